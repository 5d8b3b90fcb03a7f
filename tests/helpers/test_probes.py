"""The probes: shapes, counts, what the readers of a curve find in made-up curves. Never a time."""

import ctypes
import inspect
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import d2l_helpers as d2l
from d2l_helpers import hardware
from d2l_helpers.hardware import ProbeFailed, native, probes

compiled = pytest.mark.skipif(bool(hardware.missing()), reason=hardware.missing())


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


def test_times_are_read_in_the_middle_of_each_level():
    ends, levels = (32 * 1024, 2**20, 32 * 2**20), (1, 4, 15, 140)
    points = curve(levels, ends)
    times = probes.level_times(points, dict(zip(("L1", "L2", "L3"), ends, strict=True)))
    assert list(times) == ["L1", "L2", "L3", "memory"]
    assert all(abs(found / ns - 1) < 0.2 for found, ns in zip(times.values(), levels, strict=True))
    assert probes.level_times(points, {}) == {"memory": points[-1][1]}


def test_what_no_cache_holds(monkeypatch):
    for caches, memory, wanted in (
        ({}, 2**34, 2**27),
        ({"L3": 2**26}, 2**34, 2**28),
        ({"L3": 2**29}, 2**40, 2**29),
        ({"L3": 2**26}, 2**30, 2**27),
        ({"L3": 2**27}, None, 2**28),
    ):
        monkeypatch.setattr(probes, "caches", lambda caches=caches: caches)
        monkeypatch.setattr(probes, "memory_size", lambda memory=memory: memory)
        assert probes.beyond_caches() == wanted


def test_sets_and_ways_multiply_to_the_size():
    sizes = d2l.caches()
    for level in ("L1", "L2"):
        if shape := probes.geometry(level):
            assert math.prod(shape) == sizes[level]
    assert probes.geometry("L9") is None


@compiled
@pytest.mark.parametrize("group", [1, 64])
def test_the_staircase_rises(group):
    points = probes.latency_staircase(largest=2**20, per_octave=2, group=group)
    sizes = [size for size, _ in points]
    assert sizes == sorted(set(sizes)) and all(size % (64 * group) == 0 for size in sizes)
    assert all(0 < ns < math.inf for _, ns in points)


@compiled
@pytest.mark.parametrize("stride, spread, group", [(64, 0, 1), (64, 0, 64), (4096, 1, 1), (1024, 0, 1)])
def test_the_ring_visits_every_place_once(stride, spread, group):
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


@pytest.mark.slow
@compiled
def test_each_probe_reports_what_it_promises():
    assert len(probes.strides()) == 7
    assert list(probes.neighbours()) == ["every second line", "the lines between", "the same again"]
    assert [lines for lines, _ in probes.burst()] == [1, 2, 4, 8, 16]
    assert len(probes.alignment()) == 3
    assert {key: set(row) for key, row in probes.direction().items()} == {
        "16 KiB": {"forward", "backward"},
        "memory": {"forward", "backward"},
    }
    walk = probes.tlb()
    assert 0 <= walk.pop("granted", 0) <= 1
    assert {way: [n for n, _ in row] for way, row in walk.items()} == dict.fromkeys(
        ("packed", "one a page", "huge pages"), [2**i for i in range(4, 14)]
    )


@compiled
def test_small_pages_are_no_huge_ones():
    with native.borrow(2**22, False) as base:
        assert not probes._huge_share(base, 2**22)


def test_a_probe_pauses_between_its_looks(monkeypatch):
    slept = []
    monkeypatch.setattr(probes.time, "sleep", slept.append)
    assert list(probes.looks(3, 0.05)) == [0, 1, 2] and slept == [0.05, 0.05]


@compiled
def test_the_counters_and_the_branch_count_right():
    """A loop fails where a thread's counter or the number of taken branches is wrong."""
    assert all(ns > 0 for ns in probes.false_sharing(count=10_000).values())
    found = probes.branches(count=1024)
    assert found["sorted"] > 0 and found["shuffled"] > 0


@compiled
@pytest.mark.parametrize("kind", probes.KINDS)
def test_bandwidth_moves_bytes(kind):
    streams = kind != "stream" or platform.machine() == "x86_64"
    assert (probes.bandwidth(kind, 16 * 1024, threads=2, seconds=0.002) > 0) == streams


@compiled
def test_what_each_kind_writes():
    import numpy as np

    spare = np.arange(2048, dtype=np.uint64)
    array = spare[-spare.ctypes.data % 64 // 8 :][:1024]
    for kind, changed in (("read", False), ("update", True), ("write", True)):
        before = array.copy()
        probes.bandwidth(kind, array.nbytes, seconds=1e-4, repeats=1, array=array)
        assert (array != before).any() == changed or kind == "update"  # an even number of updates undoes itself
    if platform.machine() == "x86_64":
        array[:] = 1
        probes.bandwidth("stream", array.nbytes, seconds=1e-4, repeats=1, array=array)
        assert not array.any()


@compiled
@pytest.mark.parametrize("size, threads", [(1000, 1), (0, 1), (1024, 0), (1024, 1025)])
def test_bandwidth_refuses_what_it_cannot_do(size, threads):
    with pytest.raises(ValueError, match="multiple of 512"):
        probes.bandwidth("read", size, threads)


@compiled
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


@pytest.mark.slow
def test_no_chain_of_the_arithmetic_is_merged_with_another(tmp_path):
    """Twelve chains that the compiler may take for one would seem twelve times as fast."""
    if not shutil.which("cc") or platform.machine() != "x86_64":
        pytest.skip("reads x86-64 assembly made by cc")
    assembly = tmp_path / "probes.s"
    flags = [flag for flag in native.FLAGS if flag != "-shared"]
    subprocess.run(["cc", *flags, "-S", str(native.SOURCE), "-o", str(assembly)], check=True)
    for name in ("f32_512", "f64_256", "f32_s"):
        body = assembly.read_text().split(f"\n{name}:", 1)[1].split(".size", 1)[0]
        assert body.count("fmadd") == 12, name


@compiled
def test_every_machine_has_scalars_and_128_bits():
    for dtype in ("float64", "float32"):
        assert probes.flops(dtype, 0) > 0 and probes.flops(dtype, 128) > 0
    assert all(probes.flops(dtype, width) >= 0 for dtype in ("bfloat16", "int8") for width in (256, 512))
    assert probes.flops("float32", threads=2) > 0


@pytest.mark.slow
@compiled
def test_loopback_loses_nothing():
    found = probes.loopback()
    assert set(found) == {"TCP", "UDP"} and all(len(row) == 4 for row in found.values())
    assert all(value > 0 for value in found["TCP"].values())


@compiled
def test_without_a_loopback_its_probes_are_empty(monkeypatch):
    def call(name, *arguments):
        raise ProbeFailed("the loopback interface is not there")

    monkeypatch.setattr(probes, "call", call)
    assert probes.loopback() == {} and probes.packet_overhead() == []


@pytest.mark.slow
@compiled
def test_a_record_in_json_holds_what_a_probe_returns():
    for probe in (probes.locks, probes.burst, probes.packet_overhead, probes.alignment, probes.neighbours):
        found = probe()
        again = json.loads(json.dumps(found, allow_nan=False))
        assert again == (found if isinstance(found, dict) else [list(row) for row in found])


def test_storage_takes_no_memory_for_a_disk(tmp_path, monkeypatch):
    device = os.stat(tmp_path).st_dev
    mounts = f"22 1 {os.major(device)}:{os.minor(device)} / /tmp rw - tmpfs tmpfs rw\n"
    monkeypatch.setattr(Path, "read_text", lambda *args, **options: mounts)
    found = hardware.storage(tmp_path)
    assert len(found) == 1 and found["how"].startswith("left out: this folder lies in memory")


def test_storage_reports_or_says_why_not(tmp_path):
    found = hardware.storage(tmp_path, size=4 * 2**20)
    assert found["how"] == "O_DIRECT" and len(found) == 4 or found["how"].startswith("left out: ") and len(found) == 1
    assert not list(tmp_path.iterdir())


def test_storage_that_cannot_be_written_is_one_line(tmp_path):
    found = hardware.storage(tmp_path / "nowhere")
    assert found == {"how": "left out: no file of 64 MiB could be written (No such file or directory)"}


def test_a_gpu_is_probed(monkeypatch):
    """A stand-in: the CPU in place of the GPU, so that the branch is tested where there is none."""
    import torch

    def on_cpu(make):
        return lambda *sizes, device=None, pin_memory=False, **options: make(*sizes, **options)

    assert torch.cuda.is_available() or hardware.gpu_probes() == {}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (8, 0))
    for name in ("zeros", "empty", "ones", "randn"):
        monkeypatch.setattr(torch, name, on_cpu(getattr(torch, name)))
    found = hardware.gpu_probes(n=16, size=4096)
    assert len(found) == 10 and all(value > 0 for value in found.values())
    assert [name for name in found if "launch" in name] == []
    assert {"operator through PyTorch, queued (µs)", "to the GPU, pinned (GB/s)"} < set(found)


@compiled
def test_more_steps_take_longer():
    """A loop that the compiler saw through would take no time, whatever the number of its steps."""
    with native.borrow(8 * 2**20) as base:
        loops = {
            "chase": lambda n: native.call("chase", base, 1024, 64, 0, 1, n, 9) * n,
            "burst": lambda n: native.call("burst", base, 1024, 4, n, 9) * n,
            "tick": lambda n: native.call("tick", n, 9) * n,
            "forward": lambda n: native.call("walk", base, 11, 1, 0, n, 9) * n,
            "backward": lambda n: native.call("walk", base, 11, 1, 1, n, 9) * n,
            "random": lambda n: native.call("walk", base, 11, 1, 2, n, 9) * n,
            "misaligned": lambda n: native.call("offset_loads", base, 1, 64, 64, n // 64, 9) * n,
            # two threads, which start late where the cores are busy: a loop that is long against that
            "share": lambda n: min(native.call("share", base, 8, 5 * n, 1) for _ in range(5)) * n,
            "mutex": lambda n: native.call("mutex", n, 9) * n,
            "flops": lambda n: n / native.call("flops", 1, 128, n, 9, 1),
            "scalar flops": lambda n: n / native.call("flops", 0, 0, n, 9, 1),
        }
        assert {name: f(640_000) > 2 * f(64_000) for name, f in loops.items()} == dict.fromkeys(loops, True)


@compiled
def test_reading_is_done_each_time():
    assert probes.bandwidth("read", 2**20) < 20 * probes.bandwidth("library copy", 2**20)


@compiled
def test_the_branch_stays_a_branch():
    found = probes.branches()
    assert found["shuffled"] > 1.5 * found["sorted"]


@pytest.mark.slow
@compiled
def test_locks(monkeypatch):
    assert all(ns > 0 for ns in probes.locks().values())
    monkeypatch.setattr(probes, "cores", lambda: 1)
    assert list(probes.locks()) == ["mutex"]


@pytest.mark.skipif(d2l.cores() < 2, reason="one core")
@compiled
def test_the_ball_goes_to_and_fro_as_often_as_asked():
    with native.borrow(4096) as base:
        native.call("bounce", base, 100, 1)
        assert ctypes.c_int64.from_address(base).value == 200
    assert "core to core" in probes.locks()


@pytest.mark.parametrize("wrong", [dict(dtype="int3"), dict(width=100), dict(threads=0)])
def test_flops_refuses_what_it_does_not_know(wrong):
    with pytest.raises(ValueError, match="the type must be one of float64, float32"):
        probes.flops(**wrong)


# --- where something is missing: one clear line, and nothing left running


@pytest.fixture
def fresh():
    """``library()`` looks again, and once more afterwards."""
    native.library.cache_clear()
    yield
    native.library.cache_clear()


def said(*parts: str) -> None:
    """What is missing is said in one line, which each probe repeats as an error."""
    line = hardware.missing()
    assert "\n" not in line and all(part in line for part in parts), line
    assert hardware.compiler() == f"compiler: {line}; the probes of processor and memory cannot run here"
    for probe in (probes.strides, probes.locks, probes.flops, probes.loopback, probes.packet_overhead, probes.burst):
        with pytest.raises(ProbeFailed) as error:
            probe()
        assert str(error.value) == line


@pytest.mark.usefixtures("fresh")
def test_no_compiler_is_one_line(monkeypatch):
    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    said("no C compiler")


def a_compiler(folder: Path, script: str, monkeypatch) -> None:
    """A "cc" that runs a shell script, the only one on the path."""
    folder.mkdir()
    (folder / "cc").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "script, words",
    [
        ("echo 'probes.c:3: fatal error: time.h: No such file' >&2; exit 1", "cc failed (fatal error: time.h"),
        ("exit 7", "cc failed (exit status 7)"),
        ("kill -9 $$", "cc failed (exit status -9)"),
    ],
)
def test_a_compiler_that_fails_is_named_with_its_reason(tmp_path, monkeypatch, script, words):
    a_compiler(tmp_path / "bin", script, monkeypatch)
    said(words)


@pytest.mark.usefixtures("fresh")
def test_a_compiler_that_hangs_is_named(tmp_path, monkeypatch):
    a_compiler(tmp_path / "bin", "exit 1", monkeypatch)

    def run(command, **options):
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(native.subprocess, "run", run)
    said("cc did not run (TimeoutExpired)")


@pytest.mark.slow
@compiled
@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("memory", [True, False])
def test_a_temporary_folder_that_forbids_execution(tmp_path, monkeypatch, memory):
    """Linux can load the library from memory; where that is forbidden too, the line names the folder."""
    load = ctypes.CDLL

    def careful(name, *rest):
        if str(name).startswith(str(tmp_path)) or not memory:
            raise OSError("failed to map segment from shared object")
        return load(name, *rest)

    monkeypatch.setattr(native.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(native.ctypes, "CDLL", careful)
    if memory and hasattr(os, "memfd_create"):
        assert probes.locks()["mutex"] > 0
    else:
        said(f"the temporary folder {tmp_path} forbids execution: set TMPDIR")
    assert not list(tmp_path.iterdir())


@compiled
@pytest.mark.usefixtures("fresh")
def test_no_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(native.tempfile, "tempdir", str(tmp_path / "nowhere"))
    said("no temporary folder to compile in (No such file or directory): set TMPDIR")


@pytest.mark.slow
@compiled
def test_too_little_memory_is_one_line():
    with pytest.raises(ProbeFailed, match="^the probe grab could not measure: the system gives no more memory$"):
        with native.borrow(2**50):
            pass


def test_every_code_of_the_loops_has_its_words():
    names = native.SOURCE.read_text().split("enum { ", 1)[1].split(" }", 1)[0].split(", ")
    assert [int(name.split(" = ")[1]) for name in names] == list(native.REASONS)


@pytest.mark.slow
@compiled
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
def test_a_thread_that_cannot_start_ends_the_others():
    """In a process that has room for a few stacks only: the rest of the threads wait for nobody."""
    code = """
import resource
from d2l_helpers.hardware import ProbeFailed, native, probes
native.library()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**27, used + 2**27))
for probe in (lambda: probes.bandwidth("read", 512, 1000, repeats=1), lambda: probes.flops("float32", 128, 1000)):
    try:
        print("measured", probe())
    except ProbeFailed as error:
        print(error)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("Threads")))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout.splitlines() == [
        "the probe bandwidth could not measure: the system gives no more threads",
        "the probe flops could not measure: the system gives no more threads",
        "1",
    ], run.stderr


HARNESS = """
#include "SOURCE"
#include <stdio.h>
static void *comes(void *argument) {
    job *j = argument;
    if (!meet(j->go)) j->seconds = NOBODY_CAME;
    return 0;
}
static void *stays_away(void *argument) { (void)argument; return 0; }
static void *first_only(void *argument) { return ((job *)argument)->core ? stays_away(argument) : comes(argument); }
static void *never_plays(void *argument) { return ((job *)argument)->core ? comes(argument) : player(argument); }
int main(void) {
    patience = 0.05;
    uint64_t ball = 1;
    job two[2] = {{.core = 0}, {.core = 1}};
    printf("%g ", together(2, comes, two));
    printf("%g ", together(2, first_only, two));
    two[0] = (job){.core = 0, .passes = 1, .base = (char *)&ball}, two[1] = (job){.core = 1};
    printf("%g", together(2, never_plays, two));
}
"""


@compiled
def test_nobody_waits_for_ever(tmp_path):
    """Both come: 0. One stays away from the meeting, or comes and never hands the ball on: the other goes home."""
    source, program = tmp_path / "waiting.c", tmp_path / "waiting"
    source.write_text(HARNESS.replace("SOURCE", str(native.SOURCE)))
    cc = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))))
    subprocess.run([cc, "-std=gnu11", "-w", "-DPLAIN", "-pthread", str(source), "-o", str(program)], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    assert found.stdout == "0 -2 -2" and native.REASONS[-2] == "a thread waited too long for another one"


ROOT = Path(__file__).parents[2]
PROBE = r'\bprobe\(\s*"([^"]+)"'


@pytest.mark.parametrize(
    "page, call",
    [("hardware", PROBE), ("memory-hierarchy", PROBE), ("roofline", r'\brecorded\(\s*"roofline", "([^"]+)"')],
)
def test_a_machine_without_a_compiler_finds_every_record(page, call):
    cells = json.loads((ROOT / "chapters" / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    asked = set(re.findall(call, code))
    kept = json.loads((ROOT / "records" / f"{page}.json").read_text(encoding="utf-8"))["runs"]
    assert asked and asked == set(kept)


# --- the face


def test_import_is_light():
    """No library of numbers or drawing, and few modules beside the core's: what a probe needs it imports itself."""
    code = """
import sys, d2l_helpers
core = set(sys.modules)
import d2l_helpers.hardware
print(*sorted(set(sys.modules) - core))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert not loaded & {"numpy", "torch", "pandas", "matplotlib", "psutil", "IPython", "numba"}
    assert len(run.stdout.split()) < 40


def test_every_public_name_is_there_and_explained():
    for name in hardware.__all__:
        thing = getattr(hardware, name)
        assert not callable(thing) or thing.__doc__, name
        assert not inspect.isfunction(thing) or "return" in thing.__annotations__, name
