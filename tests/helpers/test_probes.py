"""The probes: shapes, counts, what the readers of a curve find in made-up curves. Never a time."""

import importlib.util
import inspect
import math
import platform
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from d2l_helpers import native, probes

HAS_NUMBA = importlib.util.find_spec("numba") is not None
SOURCE = Path(native.__file__).with_name("probes.c").read_text()


@lru_cache
def compiled(by: str):
    """What ``native.library()`` answers on a machine with a C compiler, or with Numba alone."""
    with pytest.MonkeyPatch.context() as patch:
        if by == "Numba":
            patch.setattr(native.shutil, "which", lambda name: None)
        native.library.cache_clear()
        found = native.library()
    native.library.cache_clear()
    return found


@pytest.fixture(params=["C", "Numba"])
def library(request, monkeypatch):
    """What compiles the probes: a test that asks for it runs with each."""
    if request.param == "Numba" and not HAS_NUMBA:
        pytest.skip("Numba is not installed")
    found = compiled(request.param)
    if request.param == "C" and not isinstance(found[0], native.ctypes.CDLL):
        pytest.skip("no C compiler")
    monkeypatch.setattr(native, "library", lambda: found)
    return request.param


both = pytest.mark.usefixtures("library")


def curve(levels, ends, per_octave=4, top=2**27):
    """A staircase with known corners, smoothed beyond each as a cache that keeps what it can: (bytes, ns)."""
    points, size = [], 4096.0
    while size <= top:
        ns = levels[0]
        for end, level in zip(ends, levels[1:], strict=True):
            ns += (level - ns) * max(0.0, 1 - (end / size) ** 2)
        points.append((int(size), ns))
        size *= 2 ** (1 / per_octave)
    return points


@pytest.mark.parametrize(
    "levels, ends",
    [
        ((1, 4, 15, 140), (32 * 1024, 2**20, 32 * 2**20)),
        ((1.5, 5, 20, 90), (48 * 1024, 2 * 2**20, 24 * 2**20)),
        ((1, 6, 110), (64 * 1024, 512 * 1024)),
        ((1, 4, 12, 80), (32 * 1024, 256 * 1024, 8 * 2**20)),
    ],
)
def test_corners_are_found_without_being_told(levels, ends):
    found = probes.cache_sizes(curve(levels, ends))
    assert list(found) == [f"L{i + 1}" for i in range(len(ends))]
    for size, end in zip(found.values(), ends, strict=True):
        assert 0.75 <= size / end <= 1.5  # these curves climb slowly beyond their corner


def test_no_corner_in_a_flat_curve_and_none_in_an_empty_one():
    assert probes.cache_sizes([(4096 * 2**i, 3.0) for i in range(12)]) == {}
    assert probes.cache_sizes([]) == {}


def test_an_interrupted_point_moves_no_corner():
    points = curve((1, 4, 15, 140), (32 * 1024, 2**20, 32 * 2**20))
    disturbed = [(size, ns * 50 if i in (3, 20) else ns) for i, (size, ns) in enumerate(points)]
    assert probes.cache_sizes(disturbed) == probes.cache_sizes(points)


@both
@pytest.mark.parametrize("group", [1, 64])
def test_the_staircase_rises(group):
    points = probes.latency_staircase(largest=2**20, per_octave=2, group=group)
    sizes = [size for size, _ in points]
    assert sizes == sorted(set(sizes)) and all(size % (64 * group) == 0 for size in sizes)
    assert all(0 < ns < math.inf for _, ns in points)


@both
@pytest.mark.parametrize("stride, spread, group", [(64, 0, 1), (64, 0, 64), (4096, 1, 1), (1024, 0, 1)])
def test_the_ring_visits_every_place_once(stride, spread, group):
    import ctypes

    n = 256
    with native.borrow(n * stride) as base:
        native.call("chase", base, n, stride, spread, group, 1, 1)
        place, seen = base, []
        if spread:
            assert ctypes.c_void_p.from_address(base).value
        for _ in range(n):
            seen.append(place)
            place = ctypes.c_void_p.from_address(place).value
        assert place == base and len(set(seen)) == n
        assert {(p - base) // stride for p in seen} == set(range(n))
        if group > 1:
            assert len({(p - base) // (stride * group) for p in seen[:group]}) <= 2  # it may start inside a group


@both
def test_each_probe_reports_what_it_promises():
    assert len(probes.strides()) == 9
    assert list(probes.burst()) == [1, 2, 4, 8, 16]
    assert len(probes.alignment()) == 5
    assert {key: set(row) for key, row in probes.direction().items()} == {
        "16 KiB": {"forward", "backward"},
        "64 MiB": {"forward", "backward"},
    }
    assert len(probes.tlb()) == 3


@both
def test_the_counters_and_the_branch_count_right():
    """The loops return -1 where a thread's counter or the number of taken branches is wrong."""
    assert all(ns > 0 for ns in probes.false_sharing(count=10_000).values())
    found = probes.branches(count=1024)
    assert found["sorted"] > 0 and found["shuffled"] > 0


@both
@pytest.mark.parametrize("kind", ["read", "write", "copy", "library copy"])
def test_bandwidth_moves_bytes(kind):
    assert probes.bandwidth(kind, 16 * 1024, threads=2, seconds=0.002) > 0


@both
@pytest.mark.parametrize("size, threads", [(1000, 1), (1024, 0), (1024, 65)])
def test_bandwidth_refuses_what_it_cannot_do(size, threads):
    with pytest.raises(ValueError, match="multiple of 512"):
        probes.bandwidth("read", size, threads)


@both
def test_bandwidth_works_in_an_array_and_refuses_one_that_does_not_fit():
    import numpy as np

    spare = np.arange(2048, dtype=np.float64)
    array = spare[-spare.ctypes.data % 64 // 8 :][:1024]
    first = array[:512].copy()
    assert probes.bandwidth("library copy", array.nbytes, seconds=0.001, repeats=1, array=array) > 0
    assert (array[512:] == first).all() and (array[:512] == first).all()
    for wrong in (array[1:], array[::2], array[:64]):
        with pytest.raises(ValueError, match="array must be contiguous"):
            probes.bandwidth("read", array.nbytes, array=wrong)


def test_no_chain_of_the_arithmetic_is_merged_with_another(tmp_path):
    """Twelve chains that the compiler may take for one would seem twelve times as fast."""
    if not shutil.which("cc") or platform.machine() != "x86_64":
        pytest.skip("reads x86-64 assembly")
    assembly = tmp_path / "probes.s"
    source = Path(native.__file__).with_name("probes.c")
    flags = [flag for flag in native._FLAGS if flag != "-shared"]
    subprocess.run(["cc", *flags, "-S", str(source), "-o", str(assembly)], check=True)
    for name in ("f32_512", "f64_256", "f32_s"):
        body = assembly.read_text().split(f"\n{name}:", 1)[1].split(".size", 1)[0]
        assert body.count("fmadd") == 12, name


@both
def test_every_machine_has_scalars_and_128_bits():
    for dtype in ("float64", "float32"):
        assert probes.flops(dtype, 0) > 0 and probes.flops(dtype, 128) > 0
    assert all(probes.flops(dtype, width) >= 0 for dtype in ("bfloat16", "int8") for width in (256, 512))
    assert probes.flops("float32", threads=2) > 0


def test_loopback_loses_nothing(library):
    if library == "Numba":
        assert probes.loopback() == probes.packet_overhead() == {}
        return
    found = probes.loopback()
    assert set(found) == {"TCP", "UDP"} and all(len(row) == 4 for row in found.values())
    assert all(value > 0 for value in found["TCP"].values())


def test_storage_takes_no_memory_for_a_disk(tmp_path, monkeypatch):
    import os

    from d2l_helpers import peripherals

    device = os.stat(tmp_path).st_dev
    mounts = f"22 1 {os.major(device)}:{os.minor(device)} / /tmp rw - tmpfs tmpfs rw\n"
    monkeypatch.setattr(peripherals.Path, "read_text", lambda *args, **options: mounts)
    found = probes.storage(tmp_path)
    assert len(found) == 1 and found["how"].startswith("left out: this folder lies in memory")


def test_storage_reports_or_says_why_not(tmp_path):
    found = probes.storage(tmp_path, size=4 * 2**20)
    assert found["how"] == "O_DIRECT" and len(found) == 4 or found["how"].startswith("left out: ") and len(found) == 1
    assert not list(tmp_path.iterdir())


@both
def test_more_steps_take_longer():
    """A loop that the compiler saw through would take no time, whatever the number of its steps."""
    with native.borrow(8 * 2**20) as base:
        loops = {
            "chase": lambda n: native.call("chase", base, 1024, 64, 0, 1, n, 9) * n,
            "burst": lambda n: native.call("burst", base, 1024, 4, n, 9) * n,
            "forward": lambda n: native.call("walk", base, 11, 1, 0, n, 9) * n,
            "backward": lambda n: native.call("walk", base, 11, 1, 1, n, 9) * n,
            "random": lambda n: native.call("walk", base, 11, 1, 2, n, 9) * n,
            "misaligned": lambda n: native.call("offset_loads", base, 1, 64, 64, n // 64, 9) * n,
            "share": lambda n: min(native.call("share", base, 8, n, 1) for _ in range(9)) * n,
            "mutex": lambda n: native.call("mutex", n, 9) * n,
            "flops": lambda n: n / native.call("flops", 1, 128, n, 9),
            "scalar flops": lambda n: n / native.call("flops", 0, 0, n, 9),
        }
        assert {name: f(640_000) > 3 * f(64_000) for name, f in loops.items()} == dict.fromkeys(loops, True)


@both
def test_reading_is_done_each_time():
    assert probes.bandwidth("read", 2**20) < 20 * probes.bandwidth("library copy", 2**20)


@both
def test_the_branch_stays_a_branch():
    found = probes.branches()
    assert found["shuffled"] > 1.5 * found["sorted"]


@both
def test_locks(monkeypatch):
    assert list(found := probes.locks()) == ["mutex", "core to core"] and found["mutex"] > 0
    assert found["core to core"] > 0 or probes.cores() == 1
    monkeypatch.setattr(probes, "cores", lambda: 1)
    assert math.isnan(probes.locks()["core to core"])


@pytest.mark.skipif(probes.cores() < 2, reason="one core")
@both
def test_the_ball_goes_to_and_fro_as_often_as_asked():
    with native.borrow(4096) as base:
        native.call("bounce", base, 100, 1)
        assert native.ctypes.c_int64.from_address(base).value == 200


@pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not installed")
def test_numba_has_the_same_calls_and_names_what_it_leaves_out():
    from d2l_helpers import fallback

    calls = dict(re.findall(r"^double (\w+)\((.*?)\) \{", SOURCE, re.M))
    assert {"chase", "share", "mutex", "flops"} < set(calls)
    there = {name: getattr(fallback, name) for name in calls if hasattr(fallback, name)}
    assert set(calls) - set(there) == {"loopback"} and "loopback" in fallback.LEFT_OUT
    for name, function in there.items():
        assert len(inspect.signature(function).parameters) == calls[name].count("long "), name


@pytest.mark.skipif(not HAS_NUMBA or platform.machine() != "x86_64", reason="needs Numba, reads x86-64 assembly")
def test_numba_merges_no_chain_with_another():
    from d2l_helpers import loops

    if not loops.features.get("fma"):
        pytest.skip("no multiply-add in one instruction")
    for bits, lanes in ((64, 1), (32, 1), (32, 8)):
        run = loops.chains(bits, lanes)
        run.compile("void(int64, int64)")
        assembly = next(iter(run.inspect_asm().values()))
        assert assembly.count("fmadd") % 12 == 0 and "fmadd" in assembly
        assert bool(re.search(r"fmadd\w+ps", assembly)) == (lanes > 1)  # no scalars that became a vector


@pytest.mark.skipif(not HAS_NUMBA or platform.machine() != "x86_64", reason="needs Numba, reads x86-64 assembly")
def test_an_increment_reads_memory_and_writes_it():
    """Without the read, the value waits in a register, and false sharing does not show."""
    from d2l_helpers import loops

    loops.counts.compile("void(int64, int64, int64, int64)")
    body = next(iter(loops.counts.inspect_asm().values())).split(".cfi_endproc")[0]
    loop = body.rpartition("\tincq\t")[0].rpartition("\n.LBB")[2] + body.rpartition("\tincq\t")[2]
    assert re.search(r"movq\t\(%\w+\), %", loop) and re.search(r"movq\t%\w+, \(%", loop)


@pytest.fixture
def fresh():
    """``library()`` looks again, and once more afterwards."""
    native.library.cache_clear()
    yield
    native.library.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_with_neither_one_line_says_so_and_the_rest_is_empty(monkeypatch):
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "d2l_helpers.fallback", None)  # an ImportError
    line = probes.compiler()
    assert line.startswith("compiler: no C compiler") and "left out" in line and "\n" not in line
    assert probes.latency_staircase() == [] and probes.strides() == probes.locks() == {} and probes.flops() == 0.0


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("broken", [False, True])
def test_the_line_says_why_and_who_stands_in(monkeypatch, broken):
    if broken and not any(map(native.shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("no C compiler that could fail")
    if broken:
        monkeypatch.setattr(native, "_FLAGS", ["-std=no-such-standard"])
    else:
        monkeypatch.setattr(native.shutil, "which", lambda name: None)
    line = probes.compiler()
    assert line.startswith("compiler: ") and "left out" in line and "\n" not in line
    assert ("failed (" if broken else "no C compiler") in line
    assert bool(re.search(r"Numba \d+\.\d+\S* compiles the probes instead", line)) == HAS_NUMBA


def test_numba_is_not_imported_beside_a_compiler():
    if not isinstance(native._compile()[0], native.ctypes.CDLL):
        pytest.skip("no C compiler")
    code = "import sys; from d2l_helpers import probes; probes.compiler(); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
