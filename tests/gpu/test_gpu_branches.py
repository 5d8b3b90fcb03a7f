"""Every GPU section of every lesson, and every GPU branch of d2l_helpers, executed under the stand-in for CUDA.

A page's cells are those that `make gpu` would run on such a machine (tools/gpu.py finds them). What the stand-in only
imitates is a list that is asserted: it is known what no machine without a GPU tries.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import gpu
import pytest

HERE, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[2]
SECONDS = 600  # a page's limit, for one that hangs: none takes a sixth of it, alone on two cores
# What of a page a stand-in imitates without running it. A new entry: its section has code that only a GPU tries.
IMITATED = {
    "torch.compile", "Triton kernels", "kernels in CUDA C", "CUDA graphs", "kernels in a profile",
    "an unfinished copy to the host", "a snapshot of memory", "a build of CUDA C from files", "make_graphed_callables",
    "a limit of the driver",
}  # fmt: skip


def under(gpus):
    """The environment in which `import torch` installs the stand-in, here and in the processes that a page starts."""
    return {"D2L_STANDIN": str(gpus), "PYTHONPATH": f"{ROOT}{os.pathsep}{HERE}", "D2L_RECORD": "",
            "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}  # fmt: skip


def machines():
    """(page, GPUs): one GPU for each page with a GPU section; two where more cells run or the code asks for them."""
    due = os.environ.get("D2L_GPU_PAGES")  # tools/suite.py names those that have not passed
    for path in gpu.listed():
        if due is not None and path.stem not in due.split():
            continue
        cells = gpu.cells_of(path)
        one, two = gpu.wanted(cells, 1), gpu.wanted(cells, 2)
        asks = any("gpus=2" in cell.code or "cuda:1" in cell.code or "num_gpus" in cell.code for cell in cells)
        for gpus, start in ((1, one if not two - one else set()), (2, two if two - one or asks else set())):
            if start:
                yield pytest.param(path, gpus, id=f"{path.stem}-{gpus}")


def first_runs(cells, gpus):
    """Of the cells that start a script on GPUs, the first for each script: the branches stand in the scripts."""
    scripts, seen, kept = gpu.scripts_on_gpus(cells), set(), set()
    for number in sorted(gpu.wanted(cells, gpus)):
        cell = next(cell for cell in cells if cell.number == number)
        named = gpu.imports(cell.source, scripts)
        if not (gpu.RUNS.search(cell.code) and named) or named - seen or "gpu" in cell.tags:
            kept.add(number)
        seen |= named if number in kept else set()
    return kept


def run(path, gpus, numbers=None):
    cells = gpu.cells_of(path)
    numbers = numbers or gpu.needed(cells, first_runs(cells, gpus))
    with tempfile.TemporaryDirectory() as folder:
        rows, output, early = gpu.run_page(path, numbers, folder, SECONDS, under(gpus), [str(HERE / "child.py")])
    last = rows.pop() if rows and isinstance(rows[-1], dict) else {}
    failed = [f"{Path(path).stem}, cell {number}, {gpus} GPUs:\n{error}" for number, _, error in rows if error]
    return failed, early and f"{early}\n{output[-2000:]}", last


@pytest.mark.slow
@pytest.mark.gpu_pages
@pytest.mark.parametrize("path, gpus", list(machines()))
def test_a_pages_gpu_cells_run(path, gpus):
    failed, early, last = run(path, gpus)
    assert not failed and not early, "\n".join([*failed, early])
    assert set(last["used"]) <= IMITATED, "the stand-in imitates something new"


@pytest.mark.slow
def test_the_helpers_gpu_branches_run():
    code = """
import torch, standin, d2l_helpers as d2l
from d2l_helpers import hardware
assert d2l.num_gpus() == 2 and d2l.try_gpu(1) == torch.device("cuda:1") and len(d2l.try_all_gpus()) == 2
x = torch.ones(8, device=d2l.try_gpu(1))
before = dict(standin.WAITED)
d2l.synchronize()
assert all(standin.WAITED[i] == before.get(i, 0) + 1 for i in (0, 1)), "both devices are waited for"
assert d2l.machine()["machine"]["gpu"] == "Tesla T4"
assert set(hardware.gpu_probes(n=64, size=2**16)) >= {"matmul float16 (TFLOP/s)", "to the GPU, pinned (GB/s)"}
guess = hardware.gpu_predict(lambda card: {"sum": card.launch, 4: card.launch}, "s", within=1e9)
assert [card.name for card in hardware.gpu_cards()] == ["T4"]
times = hardware.gpu_times(lambda: x + 1, rounds=3, loops=2)
assert len(times.device) == 3 and min(times.device) > 0
found = hardware.gpu_measured("page", "key", lambda: {"sum": times.device, 4: times.done}, gpus=2)
assert list(found) == ["T4"] and set(found["T4"]) == {"sum", 4}
assert guess.check(found) is not None
assert hardware.gpu_measured("page", "key", None, gpus=4) == {}
standin.NAME = "NVIDIA Unheard-of"
assert hardware.gpu_cards() == []
guess = hardware.gpu_predict(lambda card: {"sum": card.launch}, "s")
assert guess.check(hardware.gpu_measured("page", "key", lambda: {"sum": 1e-3})) is None
a, b = (torch.ones(4, 2, device=device) for device in d2l.try_all_gpus())
parts = d2l.split_batch(torch.ones(4, 2), torch.ones(4), d2l.try_all_gpus())
assert [part.device.index for part in parts[0]] == [0, 1]
timer = d2l.Timer(); timer.stop()
"""
    ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, **under(2)}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "no facts about NVIDIA Unheard-of: measured numbers only" in ran.stdout
    assert "NVIDIA Unheard-of, measured: sum 1 ms" in ran.stdout
    assert "no 4 GPUs here (2)" in ran.stdout


@pytest.mark.slow
def test_a_rank_joins_with_its_own_gpu(tmp_path):
    (tmp_path / "rank.py").write_text("""
import torch, torch.distributed as dist
from d2l_helpers import report
from d2l_helpers.distributed import join
device = join()
x = torch.full((2,), 1.0 + dist.get_rank(), device=device)
dist.all_reduce(x)
try:
    dist.all_reduce(torch.ones(2))
    cpu = "taken"
except RuntimeError as error:
    cpu = str(error)
report(device=str(device), sum=x.tolist(), cpu=cpu, backend=dist.get_backend())
dist.destroy_process_group()
""")
    code = "from d2l_helpers.distributed import run_ranks, ranks_here; import json\n" \
           "print(json.dumps(run_ranks('rank.py', ranks_here(), show='').results))"  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, **under(2)}, capture_output=True, text=True,
                         cwd=tmp_path)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    results = json.loads(ran.stdout.splitlines()[-1])
    assert [result["device"] for result in results] == ["cuda:0", "cuda:1"]
    assert all(result["sum"] == [3.0, 3.0] and result["backend"] == "nccl" for result in results)
    assert all("No backend type associated with device type cpu" in result["cpu"] for result in results)


GOOD = ["""
import torch
from d2l_helpers import hardware

device, net = torch.device("cuda"), torch.nn.Linear(4, 2).to("cuda")
""", """
def training():
    X, y = torch.randn(8, 4, device=device), torch.zeros(8, dtype=torch.long, device=device)
    torch.nn.functional.cross_entropy(net(X), y).backward()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    host = torch.empty(8, 4, pin_memory=True).copy_(X, non_blocking=True)
    end.record()
    torch.cuda.synchronize()
    weights = [p.detach().cpu().numpy() for p in net.parameters()]
    return {"copy": begin.elapsed_time(end) / 1e3, "rows": len(host), "layers": len(weights)}

found = hardware.gpu_measured("measuring", "training", training)
"""]
PLANTED = {
    "a name that torch.cuda has not": ("torch.cuda.synchronize()", "torch.cuda.synchronise()", "AttributeError"),
    "a name of the page": ("net(X)", "model(X)", "NameError: name 'model' is not defined"),
    "a wrong shape": ("randn(8, 4,", "randn(8, 5,", "mat1 and mat2 shapes cannot be multiplied"),
    "labels left on the CPU": (", dtype=torch.long, device=device", ", dtype=torch.long", "cuda:0 and cpu!"),
    "the network left on the CPU": ('.to("cuda")', "", "Expected all tensors to be on the same device"),
    "another GPU": ("X, y = torch.randn(8, 4, device=device)", 'X, y = torch.randn(8, 4, device="cuda:1")',
                    "invalid device ordinal"),
    "NumPy from a GPU": (".detach().cpu()", ".detach()", "can't convert cuda:0 device type tensor to numpy"),
    "an event that nobody waited for": ("    torch.cuda.synchronize()", "    begin.elapsed_time(end)",
                                          "Both events must be completed"),
    "an event without a clock": ("enable_timing=True", "", "enable_timing=True"),
    "what a record cannot hold": ('"rows": len(host)', '"rows": host', "not JSON serializable"),
}  # fmt: skip


def page(folder, cells, name="planted"):
    path = Path(folder, f"{name}.ipynb")
    path.write_text(json.dumps({"cells": [
        {"cell_type": "code", "source": source, "metadata": {"tags": ["gpu"]}, "outputs": []} for source in cells]}))
    return path


@pytest.mark.slow
def test_a_planted_error_in_a_gpu_branch_fails(tmp_path):
    """All in one child, a pair of cells for each, to spare the imports."""
    cells, failures = list(GOOD), []
    for old, new, _ in PLANTED.values():
        planted = [cell.replace(old, new) for cell in GOOD]
        assert planted != GOOD, old
        cells += planted
    failed, early, last = run(page(tmp_path, cells), 1, list(range(1, len(cells) + 1)))
    assert not early and last
    for number, (title, (_, _, said)) in enumerate(PLANTED.items(), 1):
        own = [error for error in failed if f"cell {2 * number + 2}, " in error or f"cell {2 * number + 1}, " in error]
        if not any(said in error for error in own):
            failures.append(f"{title}: {own or 'passed'}")
    assert not failures, "\n".join(failures)
    assert not [error for error in failed if "cell 1, " in error or "cell 2, " in error], "the page without an error"


@pytest.mark.slow
def test_two_gpus_are_two_devices(tmp_path):
    failed, early, _ = run(page(tmp_path, ["""
import torch
a, b = torch.ones(3, device="cuda:0"), torch.ones(3, device="cuda:1")
try:
    a + b
    raise AssertionError("mixed")
except RuntimeError as error:
    assert "cuda:0 and cuda:1" in str(error)
assert (a + b.to(a.device)).device == a.device
with torch.cuda.device(1):
    assert torch.ones(1, device="cuda").device.index == 1
assert torch.cuda.memory_allocated(0) and torch.cuda.memory_allocated(1)
"""]), 2)
    assert not failed and not early, failed


@pytest.mark.slow
def test_the_stand_in_writes_no_record(tmp_path):
    before = sorted((ROOT / "records").iterdir())
    failed, early, _ = run(page(tmp_path, GOOD), 1)
    assert not failed and not early and sorted((ROOT / "records").iterdir()) == before
