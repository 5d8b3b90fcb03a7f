"""Quietness by its figures, and the lock. No test here depends on how quiet this machine is."""
import fcntl
import os
import subprocess
import sys
import threading
import time

import pytest
import quiet

QUIET = {"cores": 1.96, "spread": 0.01, "others": 0.004, "stolen": 0.0}


@pytest.mark.parametrize("figures, said", [
    (QUIET, ""), ({"spread": 0.01}, ""), ({}, "no figure of quietness"), ({"cores": 2.0}, "no figure of quietness"),
    ({**QUIET, "cores": 1.3}, "two processes get 1.30 cores, at least 1.6 wanted"),
    ({**QUIET, "others": 0.5}, "others use 0.500 of all core time, at most 0.05 allowed"),
    ({**QUIET, "stolen": 0.1}, "the hypervisor takes 0.100 of all core time, at most 0.02 allowed"),
    ({**QUIET, "spread": 4.0}, "the time of a short loop varies by 4.00, at most 1 allowed")])
def test_the_verdict(figures, said):
    assert quiet.verdict(figures) == said


def test_several_disturbances_are_one_line():
    said = quiet.verdict({"cores": 1.0, "spread": 4.0, "others": 0.5, "stolen": 0.5})
    assert said.count("; ") == 3 and "\n" not in said


def test_the_worst_of_several_looks():
    assert quiet.worst({"cores": 1.9, "spread": 0.1}, {"others": 0.2}, {"cores": 1.5, "spread": 0.05, "others": 0.1}) \
        == {"cores": 1.5, "spread": 0.1, "others": 0.2}


def test_the_account_counts_the_cores_that_we_may_use(monkeypatch):
    text = "cpu 9 9 9 9 9 9 9 9 9 9\ncpu0 100 20 30 999 5 6 7 40 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5\n"
    tick = os.sysconf("SC_CLK_TCK")
    monkeypatch.setattr(os, "sched_getaffinity", lambda who: {0}, raising=False)
    assert quiet.account(text) == [150 / tick, 40 / tick]
    monkeypatch.setattr(os, "sched_getaffinity", lambda who: {0, 1}, raising=False)
    assert quiet.account(text) == [153 / tick, 41 / tick]


def test_what_others_used_is_all_that_was_not_ours(monkeypatch):
    readings = iter([[100.0, 50.0, 1.0, 10.0], [120.0, 62.0, 2.0, 20.0]])  # all, busy, stolen, ours
    monkeypatch.setattr(quiet.Watch, "now", lambda self: next(readings))
    assert quiet.Watch().figures() == {"others": 0.1, "stolen": 0.05}


def test_where_the_kernel_keeps_no_account(monkeypatch, tmp_path):
    monkeypatch.setattr(quiet.Watch, "STAT", tmp_path / "none")
    assert quiet.Watch().figures() == {}


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are counted on Linux only")
@pytest.mark.slow
def test_what_a_child_and_its_orphan_use_is_ours():
    """In a process of its own: it becomes the parent of orphans, which pytest should not."""
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    script = f"""
import subprocess, sys, time
sys.path[:0] = ["tools"]
import quiet

quiet.adopt_orphans()
before = quiet.Watch().begun[3]
subprocess.run([sys.executable, "-c", {busy!r}])
subprocess.run(["sh", "-c", '"$0" -c "$1" &', sys.executable, {busy!r}])  # the shell ends at once
for _ in range(200):
    if (ours := quiet.Watch().begun[3] - before) >= 1:
        break
    time.sleep(0.05)
print(ours)"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert float(ran.stdout) >= 1, ran.stderr


@pytest.mark.slow
def test_a_look_has_all_figures_that_this_machine_can_give():
    figures = quiet.look(rounds=1)
    assert set(figures) <= set(quiet.LIMITS) and "spread" in figures
    assert all(isinstance(value, float) for value in figures.values())


def test_waiting_says_why_once_and_gives_the_quiet_figures(calm, monkeypatch):
    said = []
    monkeypatch.setattr(quiet.time, "sleep", lambda seconds: None)
    calm.extend([{**QUIET, "others": 0.5}] * 3)
    assert quiet.wait(said.append) == QUIET
    assert said == ["waiting up to 600 s for a quiet machine: others use 0.500 of all core time, at most 0.05 allowed"]


def test_calm_is_waited_for_a_while_and_done_without(calm, monkeypatch):
    """Somebody shares our core: no reason to refuse, but worth some patience."""
    shared = {**QUIET, "spread": 0.7}
    calm.extend([shared] * 3)
    assert quiet.wait(print) == QUIET and not quiet.calm(shared)
    monkeypatch.setattr(quiet, "PATIENCE", 0)
    calm.extend([shared] * 3)
    assert quiet.wait(print) == shared


def test_waiting_ends(calm, monkeypatch):
    monkeypatch.setenv("D2L_WAIT", "0")
    calm.extend([{**QUIET, "spread": 4.0}] * 2)
    with pytest.raises(quiet.Disturbed, match="not quiet after 0 s: the time of a short loop"):
        quiet.wait(print)


# --- the lock

def taken():
    with open(quiet.LOCK) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_the_lock_is_held_and_given_back(root):
    with quiet.alone():
        assert taken() and quiet.LOCK.read_text() == f"process {os.getpid()} in {os.getcwd()}"
    assert not taken() and quiet.LOCK.read_text() == ""
    with pytest.raises(KeyError), quiet.alone():
        raise KeyError
    assert not taken()


def test_a_second_one_waits_with_a_line_that_names_the_first(root):
    said, order = [], []

    def second():
        with quiet.alone(say=lambda text, flush: said.append(text)):
            order.append("second")

    with quiet.alone():
        thread = threading.Thread(target=second)
        thread.start()
        while not said:
            time.sleep(0.01)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert said == [f"waiting: this machine is measuring already (process {os.getpid()} in {os.getcwd()})"]


def test_another_users_lock_can_be_taken(root, monkeypatch):
    quiet.LOCK.write_text("left by another user")
    opened = os.open

    def refuse(path, flags, *mode):
        if flags & os.O_RDWR:
            raise PermissionError(13, "not yours", path)
        return opened(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse)
    with quiet.alone():
        assert taken()
    assert not taken()
