"""A child process: what it reports comes back, every way to fail is one readable line, and nobody is left.

No time is asserted: a limit only says how long a wait may be.
"""

import os
import signal
import subprocess
import sys

import pytest
from processes import running, wait_for

import d2l_helpers as d2l
from d2l_helpers import child

GRANDCHILD = (
    "import subprocess, sys, time\nimport d2l_helpers as d2l\n"
    "grandchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', sys.argv[1]])\n"
    "d2l.report(pid=grandchild.pid)\n"
)


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str) -> str:
        (tmp_path / "job.py").write_text(text)
        return "job.py"

    return write


def test_values_and_lines_come_back(script, monkeypatch, capsys):
    monkeypatch.setenv("RANK", "3")  # a notebook may itself be a rank
    text = (
        "import os, sys, numpy\nimport d2l_helpers as d2l\nprint('here', *sys.argv[1:])\n"
        "print('there', file=sys.stderr)\n"
        "d2l.report(x=numpy.arange(3), extra=os.environ['EXTRA'])\nd2l.report(extra=1, who=sys.argv[1])\n"
    )
    run = d2l.run_script(script(text), "me", 2, env={"EXTRA": 7})
    assert run.values == {"x": [0, 1, 2], "extra": 1, "who": "me"}
    assert run.lines == ["here me 2", "there"] and run.seconds > 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "text, words",
    [
        ("raise ValueError('the milk is sour')", "failed: ValueError: the milk is sour"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('x') from e", "failed: KeyError: 'x'"),
        ("class Sour(Exception):\n    pass\nraise Sour('milk')", "failed: Sour: milk"),
        ("assert False", "failed: AssertionError"),
        ("this is no Python", "failed: SyntaxError: invalid syntax"),
        ("import no_such_module", "failed: ModuleNotFoundError: No module named 'no_such_module'"),
        ("import sys\nsys.exit(3)", "failed with exit code 3"),
        ("print('so far')\nimport sys\nsys.exit('no more')", "failed with exit code 1; its last line: no more"),
        ("import os\nos.kill(os.getpid(), 9)", "was killed by SIGKILL"),
    ],
)
def test_every_failure_is_one_readable_line(script, text, words):
    with pytest.raises(d2l.ScriptFailed) as caught:
        d2l.run_script(script(text))
    assert str(caught.value) == f"job.py {words}"


def test_what_was_said_before_a_failure_is_kept(script):
    with pytest.raises(d2l.ScriptFailed) as caught:
        d2l.run_script(script("import d2l_helpers as d2l\nd2l.report(step=7)\nprint('so far')\n1 / 0"))
    assert caught.value.values == {"step": 7} and caught.value.output.startswith("so far\nTraceback")


def test_there_must_be_a_script(tmp_path):
    with pytest.raises(FileNotFoundError, match="no script"):
        d2l.run_script(tmp_path / "missing.py")


@pytest.mark.slow
@pytest.mark.parametrize("psutil_there", [True, False])
@pytest.mark.parametrize("platform", [sys.platform, "darwin"])  # there, we see no process without psutil
def test_at_the_limit_a_script_is_ended_with_its_children(script, tmp_path, monkeypatch, platform, psutil_there):
    job = script(GRANDCHILD + "time.sleep(1000)\n")
    with monkeypatch.context() as patch:
        patch.setattr(child.sys, "platform", platform)
        if not psutil_there:
            patch.setitem(sys.modules, "psutil", None)
        with pytest.raises(d2l.ScriptFailed, match=r"^job.py: no end within 2 s; it was ended$"):
            d2l.run_script(job, tmp_path, timeout=2)
    assert running(str(tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["while True: print('still here')", "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(1000)"]
)
def test_the_limit_holds_for_one_that_never_stops_talking_and_for_one_that_hung_up(script, text):
    with pytest.raises(d2l.ScriptFailed, match="no end within 2 s"):
        d2l.run_script(script(text), timeout=2)


@pytest.mark.parametrize("last", ["", "1 / 0\n"])
def test_whom_a_script_leaves_behind_is_ended(script, tmp_path, last):
    job = script(GRANDCHILD + last)  # the grandchild holds the output open as well
    if last:
        with pytest.raises(d2l.ScriptFailed, match="ZeroDivisionError"):
            d2l.run_script(job, tmp_path)
    else:
        assert d2l.run_script(job, tmp_path).values["pid"] > 0
    assert running(str(tmp_path)) == []


@pytest.mark.slow
def test_a_grandchild_that_wiped_its_variables_is_ended(script, tmp_path):
    text = GRANDCHILD.replace("sys.argv[1]])", "sys.argv[1]], env={}, start_new_session=True)") + "time.sleep(1000)\n"
    with pytest.raises(d2l.ScriptFailed, match="no end within"):
        d2l.run_script(script(text), tmp_path, timeout=2)
    assert running(str(tmp_path)) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_script_does_not_outlive_the_notebook(script, tmp_path, how):
    if how == signal.SIGKILL and sys.platform != "linux":
        pytest.skip("only Linux ends a child with its parent")
    job = script("open('up', 'w').close()\nimport time\ntime.sleep(1000)\n")
    caller = f"import d2l_helpers as d2l; d2l.run_script({job!r}, {str(tmp_path)!r})"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # a killed notebook cannot remove its folder
    notebook = subprocess.Popen([sys.executable, "-c", caller], stderr=subprocess.DEVNULL, env=environment)
    wait_for((tmp_path / "up").exists)
    notebook.send_signal(how)
    notebook.wait(timeout=60)
    wait_for(lambda: not running(str(tmp_path)))


def test_whoever_cannot_be_ended_is_named_and_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(child, "_left", lambda processes, mark: {2**22 + 1})  # above every process number
    with pytest.warns(UserWarning, match="could not end the processes .4194305."):
        child._end([], "no folder", limit=0.1)


def test_a_report_that_cannot_be_sent_says_what_can(monkeypatch, tmp_path):
    monkeypatch.setenv("D2L_RESULTS", str(tmp_path))
    with pytest.raises(TypeError, match="report takes numbers, text"):
        d2l.report(path=tmp_path)


def test_started_by_hand_a_script_prints_its_report(script):
    environment = {key: value for key, value in os.environ.items() if key != "D2L_RESULTS"}
    command = [sys.executable, script("import d2l_helpers as d2l\nd2l.report(loss=0.5)")]
    assert subprocess.run(command, capture_output=True, text=True, env=environment).stdout == '{"loss": 0.5}\n'
