"""What is executed and what is not, with real kernels on tiny pages."""
import os
import signal
import threading
import time

import execute
import pages
import preflight
import pytest
import quiet
import run
from nbformat.v4 import new_output

DISTURBED = {"cores": 1.3, "spread": 0.5, "others": 0.5, "stolen": 0.0}


def hello(path):
    """The stored output of a page that prints hello."""
    notebook = pages.read(path)
    notebook.cells[1].outputs = [new_output("stream", text="hello\n")]
    path.write_text(pages.canonical(notebook))


@pytest.fixture
def instead(monkeypatch):
    """Nothing is executed: the names of the pages that would be are noted, and each gives its stored outputs."""
    names = []
    monkeypatch.setattr(execute, "executed", lambda path: names.append(path.stem) or (pages.read(path), ""))
    return names


# --- test

@pytest.mark.slow
def test_nbval_compares_to_the_letter_and_a_mark_remembers(write, root, capfd):
    path = write("first", "print('hello')")
    assert run.test(["first"]) == (0, 1, 0)
    said = capfd.readouterr().out
    assert "FAILED" in said and "print('hello')" in said and "make outputs NAMES=first" in said
    assert not (run.MARKS / "first.ok").exists()
    hello(path)
    assert run.test() == (1, 0, 0) and "[1/1] first … ok" in capfd.readouterr().out
    assert run.test() == (1, 0, 0) and "passed before" in capfd.readouterr().out


@pytest.fixture
def nbval(monkeypatch):
    """A stand-in for nbval: a page passes unless its text says FAIL. The list of what was executed."""
    executed = []

    def call(command, **options):
        executed.append(os.path.basename(command[-1]).removesuffix(".ipynb"))
        return int("FAIL" in (options["cwd"] / command[-1]).read_text())

    monkeypatch.setattr(run.subprocess, "call", call)
    return executed


@pytest.mark.parametrize("change, due", [
    (lambda root, path: path.write_text(path.read_text().replace("# A lesson", "# Prose")), []),
    (lambda root, path: path.write_text(path.read_text().replace("x = 1", "x = 2")), ["first"]),
    (lambda root, path: (root / "d2l_helpers/one.py").write_text("ONE = 2"), ["second", "first"]),
    (lambda root, path: (root / "d2l_helpers/hardware/probes.py").write_text("a = 1"), ["first"])])
def test_only_what_an_edit_can_reach_is_executed_again(change, due, write, root, nbval):
    path = write("first", "x = 1\nfrom d2l_helpers import hardware")
    write("second", "1")
    assert run.test() == (2, 0, 0) and nbval == ["second", "first"]
    nbval.clear()
    change(root, path)
    assert run.test() == (2, 0, 0) and nbval == due
    assert run.test(everything=True) == (2, 0, 0) and nbval == due + ["second", "first"]


def test_a_page_that_failed_is_executed_again_and_alone(write, nbval, capsys):
    write("first", "FAIL")
    write("second", "1")
    assert run.test() == (1, 1, 0) and "1 of 2 failed: first" in capsys.readouterr().out
    assert run.test() == (1, 1, 0) and nbval == ["second", "first", "first"]


def test_where_mxnet_cannot_run_its_pages_are_skipped_with_a_line(write, nbval, monkeypatch, capsys):
    write("first", "1")
    write("first-mxnet", "1")
    monkeypatch.setattr(preflight, "mxnet_note", lambda: "No MXNet here.")
    assert run.test() == (1, 0, 1) and nbval == ["first"]
    assert "note: No MXNet here. Not executed: first-mxnet" in capsys.readouterr().out


# --- outputs

@pytest.mark.slow
def test_outputs_runs_the_stale_pages_and_stamps_them(write, calm, capsys):
    good, bad = write("first", "print('hello')\nprint('again')"), write("second", "x = 1", "1 / 0")
    old = bad.read_text()
    assert run.outputs() == 1
    said = capsys.readouterr().out
    assert "[1/2] second … FAILED" in said and "ZeroDivisionError" in said and "[2/2] first … ok" in said
    assert bad.read_text() == old, "a failing page stays as it was"
    notebook = pages.read(good)
    assert notebook.cells[1].outputs == [{"name": "stdout", "output_type": "stream", "text": "hello\nagain\n"}]
    stamp = notebook.metadata.d2l
    assert {"source", "core", "machine", "versions", "date", "quiet", "seconds", "long"} == set(stamp)
    assert stamp.quiet == quiet.look() and stamp.machine.cores and stamp.versions.python
    assert pages.stale(notebook) == "" and good.read_text() == pages.canonical(notebook)


def test_a_fresh_page_is_left_alone_unless_it_is_named(write, calm, instead, capsys):
    write("first", "1", stamp=True)
    assert run.outputs() == 0 and instead == [] and "are fresh" in capsys.readouterr().out
    assert run.outputs(["first"]) == 0 and instead == ["first"]
    assert run.outputs(everything=True) == 0 and instead == ["first", "first"]


def test_a_disturbed_run_is_repeated_and_then_refused(write, calm, instead, capsys, monkeypatch):
    path = write("first", "1")
    monkeypatch.setattr(quiet.time, "sleep", lambda seconds: None)
    calm.extend([quiet.look(), DISTURBED])  # before, after
    assert run.outputs() == 0 and instead == ["first", "first"]
    assert "disturbed, so once more" in capsys.readouterr().out
    old = path.read_text()
    calm.extend([quiet.look() if i % 2 == 0 else DISTURBED for i in range(6)])
    calm[0::2] = [{"cores": 1.9, "spread": 0.01}] * 3
    assert run.outputs(["first"]) == 1 and len(instead) == 5 and path.read_text() == old
    assert "disturbed in each of 3 runs" in capsys.readouterr().out


def test_of_runs_beside_a_stranger_on_our_core_the_calmest_is_kept(write, calm, instead, monkeypatch, capsys):
    path = write("first", "1")
    monkeypatch.setattr(quiet, "PATIENCE", 0)
    before = quiet.look()
    calm.extend(look for spread in (0.8, 0.6, 0.7) for look in (before, {**before, "spread": spread}))
    assert run.outputs() == 0 and instead == ["first"] * 3
    assert pages.read(path).metadata.d2l.quiet["spread"] == 0.6
    assert "not calm, so once more: somebody shares our core" in capsys.readouterr().out


def test_a_machine_that_stays_disturbed_is_refused_in_one_line(write, calm, instead, monkeypatch, capsys):
    write("first", "1")
    calm.extend([DISTURBED] * 3)
    monkeypatch.setenv("D2L_WAIT", "0")
    assert run.main(["outputs"]) == 1 and instead == []
    assert "error: the machine is not quiet after 0 s: two processes get 1.30 cores" in capsys.readouterr().err


def test_a_stamp_of_a_disturbed_machine_is_due(write, calm, instead, root):
    path = write("first", "1", stamp=True)
    path.write_text(path.read_text().replace('"others": 0.004', '"others": 0.4'))
    assert run.outputs() == 0 and instead == ["first"]


@pytest.mark.slow
def test_outputs_refuses_a_path_of_this_machine(write, calm, capsys):
    path = write("first", "import sys; print(sys.prefix)")
    assert run.outputs(["first"]) == 1
    assert "a path of one machine" in capsys.readouterr().out and pages.read(path).cells[1].outputs == []


def test_tidy_writes_the_parts_and_executes_nothing(write, instead):
    path = write("first", "old", stamp=True)
    notebook = pages.read(path)
    notebook.cells[1].metadata["tags"] = ["setup"]
    path.write_text(pages.canonical(notebook))
    run.main(["tidy"])
    assert pages.read(path).cells[1].source == pages.setup_cell() and not instead
    assert pages.stale(pages.read(path)) == ""


# --- the ends of things

def test_an_unknown_name_is_one_line(root, capsys):
    assert run.main(["test", "nothing"]) == 1
    assert capsys.readouterr().err.strip() == "error: there is no notebook chapters/nothing.ipynb"


@pytest.mark.parametrize("error, status, said", [
    (KeyboardInterrupt(), 130, "interrupted"), (OSError(28, "full"), 1, "error: the disk is full")])
def test_what_can_be_foreseen_is_one_line(error, status, said, capsys):
    def command():
        raise error

    assert run.guarded(command) == status and capsys.readouterr().err.strip() == said


@pytest.mark.slow
def test_ctrl_c_ends_the_run_at_once_and_leaves_no_kernel(write, root, calm):
    """It must not count as one failed page before the next."""
    path = write("first", "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)")
    old, place = path.read_text(), root / "chapters" / "pid"

    def interrupt():
        for _ in range(600):
            if place.read_text():
                return os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run.outputs(["first"])
    assert path.read_text() == old
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)


@pytest.mark.slow
def test_a_kernel_that_dies_is_a_reason(write):
    notebook, problem = execute.executed(write("first", "import os; os._exit(1)"))
    assert "Kernel died" in problem and execute.error_of(notebook) == (0, None)
