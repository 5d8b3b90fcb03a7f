"""A noisy neighbour works while the block runs, and never longer."""

import os
import subprocess
import sys
import time

import pytest

import d2l_helpers as d2l


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
        "d2l_helpers.neighbour.subprocess.Popen", lambda *a, **k: children.append(popen(*a, **k)) or children[-1]
    )
    with pytest.raises(KeyError), d2l.noisy_neighbour(2):
        assert len(children) == 2 and all(alive(c.pid) for c in children)
        raise KeyError
    assert not any(alive(c.pid) for c in children)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")
def test_neighbours_do_not_outlive_a_killed_parent():
    code = (
        "import d2l_helpers as d2l, subprocess, os\n"
        "from d2l_helpers import neighbour\n"
        "popen = subprocess.Popen\n"
        "def note(*a, **k):\n"
        "    child = popen(*a, **k); print(child.pid, flush=True); return child\n"
        "neighbour.subprocess.Popen = note\n"
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
