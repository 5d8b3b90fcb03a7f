"""Pages on other machines: how a run is judged, and what each machine lacks."""
import json
import os
import subprocess
import sys

import execute
import machines
import pages
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output


def page(*outputs):
    return new_notebook(cells=[new_code_cell("1"), new_code_cell("2", outputs=list(outputs))])


@pytest.mark.parametrize("outputs, problem, judged", [
    ([new_output("stream", text="ok\n")], "", (True, "")),
    ([new_output("error", ename="AssertionError", evalue="no\nmore", traceback=[])], "",
     (False, "cell 2: AssertionError: no")),
    ([new_output("error", ename="SystemExit", evalue="MXNet is not here", traceback=[])], "",
     (True, "cell 2: SystemExit: MXNet is not here")),
    ([new_output("stream", text="Traceback (most recent call last)\n")], "",
     (False, "cell 2: a traceback in its output")),
    ([], "DeadKernelError: Kernel died\nand more", (False, "DeadKernelError: Kernel died"))])
def test_how_a_run_is_judged(outputs, problem, judged):
    assert machines.judged(page(*outputs), problem) == judged


@pytest.fixture
def tried(write, root, monkeypatch):
    """Runs that fail where a page's text says so; the record in the temporary folder."""
    (root / "records").mkdir(exist_ok=True)
    monkeypatch.setattr(machines, "RECORD", root / "records" / "machines.json")
    monkeypatch.setattr(machines, "try_page", lambda path, machine: "FAILED cell 1: AssertionError: 3 < 2"
                        if f"fails on {machine}" in path.read_text() else "ok 3 s")
    return lambda: json.loads(machines.RECORD.read_text())


def test_the_table_is_kept_and_merged(write, tried, capsys):
    write("first", "'fails on busy'")
    write("second", "1")
    assert machines.main(["--on", "older busy"]) == 1
    said = capsys.readouterr().out
    assert "[4/4] first on busy … FAILED cell 1: AssertionError: 3 < 2" in said
    assert tried()["pages"]["first"] == {"older": "ok 3 s", "busy": "FAILED cell 1: AssertionError: 3 < 2"}
    assert {"machine", "versions", "date", "pages", "of"} == set(tried())
    before = tried()["of"]["first"]["busy"]
    write("first", "1")
    assert machines.main(["--on", "busy", "first"]) == 0
    assert tried()["pages"] == {name: {"older": "ok 3 s", "busy": "ok 3 s"} for name in ("first", "second")}
    of = tried()["of"]["first"]  # an entry says which code it is of
    assert of["older"] == before != of["busy"]


def test_an_unknown_machine_is_one_line(write, tried, capsys):
    write("first", "1")
    assert machines.main(["--on", "odd"]) == 1
    assert "error: there is no machine odd, only older, narrow, busy, small, bare" in capsys.readouterr().err


PROBE = """import importlib.util, json, os, shutil, socket, subprocess, sys
def can(work):
    try:
        work()
    except OSError:
        return False
    return True
print(json.dumps({
    "cores": len(os.sched_getaffinity(0)), "held to": os.environ.get("ATEN_CPU_CAPABILITY"),
    "programs": [name for name in ("cc", "gcc", "g++", "clang", "ip", "unshare", "sh") if shutil.which(name)],
    "mxnet": importlib.util.find_spec("mxnet") is not None,
    "pip": subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0,
    "home": can(lambda: open(os.path.expanduser("~/d2l-probe"), "w").close()),
    "shm": can(lambda: open("/dev/shm/d2l-probe", "w").close()),
    "network": can(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))),
    "loopback": can(lambda: socket.create_server(("127.0.0.1", 0)).close()),
    "group": open("/proc/self/cgroup").read()}))
"""


def on(machine, tmp_path, monkeypatch):
    """What a process finds on a machine. Our own home is a temporary one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    with machines.MACHINES[machine](dict(os.environ)) as (before, env):
        ran = subprocess.run([*before, sys.executable, "-c", PROBE], env=env, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="these machines are made with Linux's means")
@pytest.mark.slow
class TestMachines:
    def test_older(self, tmp_path, monkeypatch):
        assert on("older", tmp_path, monkeypatch)["held to"] == "avx2"

    def test_narrow(self, tmp_path, monkeypatch):
        before = os.sched_getaffinity(0)
        assert on("narrow", tmp_path, monkeypatch)["cores"] == 1
        assert os.sched_getaffinity(0) == before

    def test_bare(self, tmp_path, monkeypatch, capsys):
        found = on("bare", tmp_path, monkeypatch)
        assert found["programs"] == ["sh"] and found["loopback"] and not (found["mxnet"] or found["pip"])
        assert not found["network"] or "the network is there" in capsys.readouterr().out

    def test_small(self, tmp_path, monkeypatch, capsys):
        found = on("small", tmp_path, monkeypatch)
        said = capsys.readouterr().out
        assert "no mount is allowed" in said or not (found["home"] or found["shm"])
        assert "memory is not limited" in said or f"d2l-{os.getpid()}" in found["group"]

    def test_a_page_runs_on_all_of_them(self, write):
        path = write("first", "print('hello')")
        for machine in machines.MACHINES:
            assert machines.try_page(path, machine).startswith("ok")

    def test_a_page_that_takes_too_much_memory_fails(self, write, capsys):
        said = machines.try_page(write("first", "x = b'1' * (3 * 2**30)"), "small")
        assert "memory is not limited" in capsys.readouterr().out or said.startswith("FAILED")


def test_an_executed_page_stays_as_it_was(write, monkeypatch):
    path = write("first", "1")
    old = path.read_text()
    monkeypatch.setattr(execute, "executed", lambda *arguments: (pages.read(path), ""))
    assert machines.try_page(path, "older").startswith("ok") and path.read_text() == old
