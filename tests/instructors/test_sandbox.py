"""The walls: each holds, each is probed, and where one does not hold grading is refused with one line."""
import os
import signal
import stat
import struct
import subprocess
import sys
import time
import types

import pytest
from conftest import LIMITS
from grading import probe, sandbox

REFUSE, UNKNOWN, ALLOW, KILL = 0x00050001, 0x00050026, 0x7FFF0000, 0x80000000


def decided(program, audit, number, argument=0):
    """What the kernel would make of a system call: the few instructions of BPF that the filter uses."""
    steps = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    data = struct.pack("<IIQ6Q", number, audit, 0, argument, 0, 0, 0, 0, 0)
    at = held = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            held, = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return value
        else:
            at += yes if {0x15: held == value, 0x35: held >= value, 0x45: held & value}[code] else no


@pytest.mark.parametrize("machine", sandbox.MACHINES)
def test_the_filter_of_system_calls(machine):
    program, (column, audit) = sandbox.system_calls(machine), sandbox.MACHINES[machine]
    for numbers in sandbox.FORBIDDEN.values():
        assert decided(program, audit, numbers[column]) == REFUSE
    clone, read = sandbox.CLONE[column], (0, 63)[column]
    assert decided(program, audit, read) == ALLOW and decided(program, audit, sandbox.CLONE3) == UNKNOWN
    assert decided(program, audit, clone, signal.SIGCHLD) == ALLOW
    assert decided(program, audit, clone, 0x10000000 | signal.SIGCHLD) == REFUSE
    assert decided(program, 0x40000003, read) == KILL
    assert decided(program, audit, 0x40000000 | read) == REFUSE  # the numbers of x32


def test_another_processor_has_no_filter():
    assert sandbox.system_calls("riscv64") is None


def test_the_view_is_a_short_list():
    words = sandbox.view()
    shown = {words[n + 1] for n, word in enumerate(words) if word.endswith("bind")}
    shut = {"/", str(sandbox.ROOT), os.path.expanduser("~"), "/etc", "/home", "/run", "/var", "/proc", "/sys"}
    assert not shown & shut
    assert not any("chapters" in path or "tests" in path for path in shown)
    assert {word for word in words if word.startswith("--")} <= {"--perms", "--dir", "--symlink", "--ro-bind"}


SETUID = types.SimpleNamespace(st_mode=stat.S_ISUID)


@pytest.mark.parametrize("change, said", [
    (lambda patch: patch.setattr(sandbox.sys, "platform", "darwin"), "needs Linux"),
    (lambda patch: patch.setattr(sandbox.shutil, "which", lambda name: None), "apt-get install bubblewrap"),
    (lambda patch: patch.setattr(sandbox.os, "stat", lambda path: SETUID), "setuid")])
def test_what_is_missing_is_one_line(change, said, monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: f"/usr/bin/{name}")
    change(monkeypatch)
    with pytest.raises(sandbox.Refused, match=said) as caught:
        probe.check(LIMITS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("words, advice", [
    ("bwrap: setting up uid map: Permission denied", "AppArmor"),
    ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
    ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "container"),
    ("setpriv: setresuid failed: Operation not permitted", "ordinary user")])
def test_a_sandbox_that_does_not_start_says_what_to_do(words, advice, tmp_path, monkeypatch):
    fake = tmp_path / "bwrap"
    fake.write_text(f"#!/bin/sh\necho \"{words}\" >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(sandbox.Refused, match=advice) as caught:
        probe.check(LIMITS)
    assert words in str(caught.value)


def test_of_a_folder_in_which_python_lies_all_else_is_secret(tmp_path, monkeypatch):
    """A course below /var is graded too; only the way to its Python is seen."""
    assert probe.elsewhere(str(tmp_path)) == [str(tmp_path)]
    for name in ("course/.venv", "courses", "log"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "course/.venv"))
    assert probe.elsewhere(str(tmp_path)) == [f"{tmp_path}/courses", f"{tmp_path}/log"]


def test_unsafe_probes_nothing(monkeypatch):
    monkeypatch.setattr(sandbox, "missing", lambda: "no sandbox")
    probe.check(LIMITS, unsafe=True)


# --- a wall taken away

def shared(patch, walls=sandbox.walls):
    """The network of this machine, as bubblewrap takes it: after --unshare-all."""
    patch.setattr(sandbox, "walls", lambda *given: ["--unshare-all", "--share-net", *walls(*given)[1:]])


def fewer(*words):
    """The walls without these options and what each of them takes."""
    def change(patch, walls=sandbox.walls):
        def built(*given):
            made = walls(*given)
            for word, takes in words:
                while word in made:
                    at = made.index(word)
                    del made[at:at + 1 + takes]
            return made
        patch.setattr(sandbox, "walls", built)
    return change


def no_limit(name):
    def change(patch, inside=sandbox.Limits.inside):
        patch.setattr(sandbox.Limits, "inside",
                      lambda self: {key: value for key, value in inside(self).items() if key != name})
    return change


def no_memory_limit(patch):
    no_limit("DATA")(patch)
    patch.setattr(sandbox.Worker, "memory", lambda self: 0)


def more_seen(patch):
    seen = sandbox.view()
    patch.setattr(sandbox, "view", lambda: [*seen, "--ro-bind", "/var", "/var"])


def none_ends(patch):
    patch.setattr(sandbox, "alive", lambda pid: True)
    patch.setattr(sandbox, "GOING", 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("change, said", [
    (shared, "the network is open"),
    (more_seen, "can be read inside"),
    (fewer(("--remount-ro", 1)), "can be written inside"),
    (fewer(("--disable-userns", 0), ("--seccomp", 1)), "namespace of its own"),
    (no_limit("NPROC"), "processes can be started"),
    (fewer(("--size", 1)), "has no limit"),
    (no_limit("FSIZE"), "no largest size"),
    (no_memory_limit, "memory has no limit"),
    (none_ends, "outlive")],
    ids=["network", "files", "read-only", "namespaces", "processes", "scratch", "file", "memory", "end"])
def test_a_wall_that_does_not_hold_refuses_the_run(change, said, limits, monkeypatch):
    change(monkeypatch)
    with pytest.raises(sandbox.Refused, match=said) as caught:
        probe.check(limits)
    assert "\n" not in str(caught.value)


# --- one worker in it

@pytest.fixture
def worker(limits):
    one = sandbox.Worker(limits)
    yield one
    if one.process.poll() is None:
        one.kill()


@pytest.mark.slow
def test_between_two_calls_everything_inside_stands_still(worker):
    worker.ask(["run", "cell", "import subprocess, sys, threading\ndef spin():\n    while True: pass\n"
                "threading.Thread(target=spin, daemon=True).start()\n"
                "child = subprocess.Popen([sys.executable, '-c', 'while True: pass'])"], 20)
    inside = sandbox.descendants(worker.process.pid)[1:]
    assert len(inside) >= 3

    def state():
        found = []
        for pid in inside:
            with open(f"/proc/{pid}/stat") as file:
                found.append(file.read().rpartition(")")[2].split())
        return found

    def spent():
        return [(fields[11], fields[12]) for fields in state()]

    end = time.monotonic() + 30
    while not all(fields[0] == "T" for fields in state()):  # each stops when the system next comes to it
        assert time.monotonic() < end
        time.sleep(0.01)
    before = spent()
    time.sleep(0.3)
    assert spent() == before
    assert worker.ask(["get", "sys"], 20)[0] == "error"  # and it goes on


@pytest.mark.slow
def test_nothing_is_left_of_a_worker(worker):
    worker.ask(["run", "cell", "import subprocess, sys\nfor _ in range(5):\n    subprocess.Popen("
                "[sys.executable, '-c', 'import time; time.sleep(99)'], start_new_session=True)"], 20)
    inside = sandbox.descendants(worker.process.pid)
    assert len(inside) > 6
    worker.kill()
    assert not any(map(sandbox.alive, inside))


HOLDER = """
import sys, time
from grading import sandbox
worker = sandbox.Worker(sandbox.Limits())
print(*sandbox.descendants(worker.process.pid), flush=True)
if sys.argv[1] == "waits":
    time.sleep(99)
worker.ask(["run", "cell", "import os, sys\\nfor _ in range(2):\\n    if not os.fork():\\n        os.setsid()\\n"
            "while True: pass"], 99)
"""


@pytest.mark.slow
@pytest.mark.parametrize("doing", ["waits", "loops"])
def test_nothing_outlives_a_judge_that_is_killed(doing, limits):
    """While it waits, all in the sandbox stands still and reads no end of a pipe; while it asks, all may be busy."""
    for delay in (0, 0.02, 0.3):
        with subprocess.Popen([sys.executable, "-c", HOLDER, doing], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONPATH": str(sandbox.ROOT / "tools")}) as judge:
            try:
                inside = [int(pid) for pid in judge.stdout.readline().split()]
                time.sleep(delay)
                inside = sorted({*inside, *sandbox.descendants(inside[0])})
            finally:
                judge.kill()
        end = time.monotonic() + 20
        while left := [pid for pid in inside if sandbox.alive(pid)]:
            if time.monotonic() > end:
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                raise AssertionError(f"{len(left)} of {len(inside)} processes go on")
            time.sleep(0.01)


@pytest.mark.slow
def test_the_course_and_its_packages_are_inside(worker):
    source = ("import d2l_helpers as d2l, numpy, subprocess, sys, socket\nwhere = d2l.__file__\n"
              "child = subprocess.run([sys.executable, '-c', 'import numpy, d2l_helpers']).returncode\n"
              "with socket.create_server(('localhost', 0)) as s:\n    port = s.getsockname()[1]")
    assert worker.ask(["run", "cell", source], 60) == ["done", None]
    assert worker.ask(["get", "where"], 20)[1] == "/course/d2l_helpers/__init__.py"
    assert worker.ask(["get", "child"], 20)[1] == 0


def test_a_python_below_the_scratch_folder_is_seen_there(monkeypatch):
    """A checkout in /tmp has its environment there, and the sandbox has a /tmp of its own."""
    assert "/tmp/course/.venv" not in sandbox.walls(sandbox.Limits(), None, ())
    monkeypatch.setattr(sandbox.sys, "prefix", "/tmp/course/.venv")
    words = sandbox.walls(sandbox.Limits(), None, ())
    assert words[words.index("/tmp/course/.venv") - 1] == "--ro-bind"
    assert words.index("/tmp") < words.index("/tmp/course/.venv"), "after the scratch folder, which would hide it"
