"""Devices, neighbours, goals, the machine's description, and the drawing of graphs."""

import json
import os
import subprocess
import sys
import time

import pytest
import torch

import d2l_helpers as d2l


def test_devices_without_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert d2l.num_gpus() == 0
    assert d2l.try_gpu() == d2l.try_gpu(3) == d2l.cpu() == torch.device("cpu")
    assert d2l.try_all_gpus() == [torch.device("cpu")]


def test_devices_with_two_gpus(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert d2l.try_gpu(1) == d2l.gpu(1) == torch.device("cuda", 1)
    assert d2l.try_gpu(2) == d2l.cpu()
    assert d2l.try_all_gpus() == [torch.device("cuda", 0), torch.device("cuda", 1)]


def test_a_negative_device_is_refused():
    with pytest.raises(ValueError, match="starts at 0"):
        d2l.try_gpu(-1)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")
def test_neighbours_end_with_the_block_and_with_an_error(monkeypatch):
    children = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        "d2l_helpers.neighbours.subprocess.Popen", lambda *a, **k: children.append(popen(*a, **k)) or children[-1]
    )
    with pytest.raises(KeyError), d2l.noisy_neighbour(2):
        assert len(children) == 2 and all(alive(c.pid) for c in children)
        raise KeyError
    assert not any(alive(c.pid) for c in children)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")
def test_neighbours_do_not_outlive_a_killed_parent():
    code = (
        "import d2l_helpers as d2l, subprocess, os\n"
        "from d2l_helpers import neighbours\n"
        "popen = subprocess.Popen\n"
        "def note(*a, **k):\n"
        "    child = popen(*a, **k); print(child.pid, flush=True); return child\n"
        "neighbours.subprocess.Popen = note\n"
        "with d2l.noisy_neighbour(1):\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    pid = int(output.split()[0])
    for _ in range(200):
        if not alive(pid):
            break
        time.sleep(0.05)
    assert not alive(pid)


def test_no_neighbour_is_refused():
    with pytest.raises(ValueError, match="at least one process"):
        with d2l.noisy_neighbour(0):
            pass


def test_goals_are_printed_and_collected(tmp_path, monkeypatch, capsys):
    file = tmp_path / "goals.jsonl"
    monkeypatch.setenv("D2L_GOALS", str(file))
    assert d2l.goal("speed", 7.0, low=6.5, high=7.5, at_least=6)
    assert not d2l.goal("limit", 1.4, at_most=1.3)
    assert capsys.readouterr().out.splitlines() == [
        "goal met: speed: 7 (95 % interval 6.5 to 7.5), wanted at least 6",
        "goal NOT met: limit: 1.4, wanted at most 1.3",
    ]
    first, second = map(json.loads, file.read_text().splitlines())
    assert first["met"] is True and first["low"] == 6.5 and second["met"] is False


def test_a_number_of_numpy_or_pandas_is_collected_too(tmp_path, monkeypatch):
    import numpy as np

    file = tmp_path / "goals.jsonl"
    monkeypatch.setenv("D2L_GOALS", str(file))
    assert d2l.goal("error in %", np.float64(6.8), at_most=25) is True
    assert json.loads(file.read_text())["met"] is True


@pytest.mark.parametrize("options", [{}, {"at_least": 1, "at_most": 2}])
def test_a_goal_needs_one_side(options):
    with pytest.raises(ValueError, match="either"):
        d2l.goal("x", 1, **options)


def test_machine_says_what_matters():
    found = d2l.machine()
    assert "core" in found["cpu"] and found["python"].count(".") == 2
    assert found["torch"].startswith(torch.__version__.split("+")[0])
    assert all(isinstance(value, str) for value in found.values())


def test_a_graph_is_drawn_in_layers():
    nodes = {name: name.upper() for name in "abcd"}
    figure = d2l.draw_graph(nodes, [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")])
    place = {text.get_text(): text.get_position() for text in figure.axes[0].texts if text.get_text()}
    assert place["A"][0] == place["D"][0] == 0 and place["B"][0] == 1 and place["C"][0] == 2


def test_lines_are_logarithmic():
    axes = d2l.plot_lines([1, 10], {"a": [1, 2], "b": [3, 4]}, xlabel="x", ylabel="y", level=2).axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log" and len(axes.get_lines()) == 3


def test_d2l_notes_run_with_one_changed_import():
    """The call forms in readers' notes, as they stand there."""
    code = """
import d2l_helpers as d2l
import numpy, torch
class Benchmark:
    def __init__(self, description='Done'):
        self.description = description
    def __enter__(self):
        self.timer = d2l.Timer()
        return self
    def __exit__(self, *args):
        print(f'{self.description}: {self.timer.stop():.4f} sec')
with Benchmark('Without torchscript'):
    pass
device = d2l.try_gpu()
a = torch.randn(size=(10, 10), device=device)
with d2l.Benchmark('numpy'):
    numpy.dot(numpy.ones((9, 9)), numpy.ones((9, 9)))
with d2l.Benchmark():
    torch.mm(a, a)
timer = d2l.Timer()
print(f'batch 1, time {timer.stop():.4f} sec')
"""
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    labels = [line.split(":")[0].split(",")[0] for line in lines[:4]]
    assert labels == ["Without torchscript", "numpy", "Done", "batch 1"]
