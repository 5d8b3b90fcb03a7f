"""The probes: shapes, counts, what the readers of a curve find in made-up curves. Never a time."""

import math

import pytest

from d2l_helpers import native, probes

needs_compiler = pytest.mark.skipif(native.library()[0] is None, reason="no C compiler")


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


@needs_compiler
@pytest.mark.parametrize("group", [1, 64])
def test_the_staircase_rises(group):
    points = probes.latency_staircase(largest=2**20, per_octave=2, group=group)
    sizes = [size for size, _ in points]
    assert sizes == sorted(set(sizes)) and all(size % (64 * group) == 0 for size in sizes)
    assert all(0 < ns < math.inf for _, ns in points)


@needs_compiler
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


@needs_compiler
def test_each_probe_reports_what_it_promises():
    assert len(probes.strides()) == 9
    assert list(probes.burst()) == [1, 2, 4, 8, 16]
    assert len(probes.alignment()) == 5
    assert {key: set(row) for key, row in probes.direction().items()} == {
        "16 KiB": {"forward", "backward"},
        "64 MiB": {"forward", "backward"},
    }
    assert len(probes.tlb()) == 3


@needs_compiler
def test_the_counters_and_the_branch_count_right():
    """The C code returns -1 where a thread's counter or the number of taken branches is wrong."""
    assert all(ns > 0 for ns in probes.false_sharing(count=10_000).values())
    found = probes.branches(count=1024)
    assert found["sorted"] > 0 and found["shuffled"] > 0


@needs_compiler
@pytest.mark.parametrize("kind", ["read", "write", "copy", "library copy"])
def test_bandwidth_moves_bytes(kind):
    assert probes.bandwidth(kind, 16 * 1024, threads=2, seconds=0.002) > 0


@needs_compiler
@pytest.mark.parametrize("size, threads", [(1000, 1), (1024, 0), (1024, 65)])
def test_bandwidth_refuses_what_it_cannot_do(size, threads):
    with pytest.raises(ValueError, match="multiple of 512"):
        probes.bandwidth("read", size, threads)


@needs_compiler
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


@needs_compiler
def test_no_chain_of_the_arithmetic_is_merged_with_another(tmp_path):
    """Twelve chains that the compiler may take for one would seem twelve times as fast."""
    import platform
    import shutil
    import subprocess
    from pathlib import Path

    if not shutil.which("cc") or platform.machine() != "x86_64":
        pytest.skip("reads x86-64 assembly")
    assembly = tmp_path / "probes.s"
    source = Path(native.__file__).with_name("probes.c")
    flags = [flag for flag in native._FLAGS if flag != "-shared"]
    subprocess.run(["cc", *flags, "-S", str(source), "-o", str(assembly)], check=True)
    for name in ("f32_512", "f64_256", "f32_s"):
        body = assembly.read_text().split(f"\n{name}:", 1)[1].split(".size", 1)[0]
        assert body.count("fmadd") == 12, name


@needs_compiler
def test_every_machine_has_scalars_and_128_bits():
    for dtype in ("float64", "float32"):
        assert probes.flops(dtype, 0) > 0 and probes.flops(dtype, 128) > 0
    assert all(probes.flops(dtype, width) >= 0 for dtype in ("bfloat16", "int8") for width in (256, 512))


@needs_compiler
def test_loopback_loses_nothing():
    found = probes.loopback()
    assert set(found) == {"TCP", "UDP"} and all(len(row) == 4 for row in found.values())
    assert all(value > 0 for value in found["TCP"].values())


def test_storage_reports_or_says_why_not(tmp_path):
    found = probes.storage(tmp_path, size=4 * 2**20)
    assert found["how"] == "O_DIRECT" and len(found) == 4 or found["how"].startswith("left out: ") and len(found) == 1
    assert not list(tmp_path.iterdir())


def test_without_a_compiler_one_line_says_so_and_the_rest_is_empty(monkeypatch):
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    native.library.cache_clear()
    try:
        line = probes.compiler()
        assert line.startswith("compiler: ") and "left out" in line and "\n" not in line
        assert probes.latency_staircase() == [] and probes.strides() == {} and probes.flops() == 0.0
    finally:
        native.library.cache_clear()


def test_a_compiler_that_fails_is_named(monkeypatch):
    monkeypatch.setattr(native, "_FLAGS", ["-std=no-such-standard"])
    native.library.cache_clear()
    try:
        line = probes.compiler()
        assert "left out" in line and "\n" not in line
    finally:
        native.library.cache_clear()
