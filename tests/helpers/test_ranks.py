"""Ranks: results by rank, one readable line for every way to fail, and nobody left running.

No time is asserted: a limit only says how long a wait may be.
"""

import os
import signal
import subprocess
import sys

import pytest
from processes import running, wait_for

from d2l_helpers.distributed import RanksFailed, ranks, run_ranks

pytestmark = pytest.mark.slow

JOIN = "import os, sys, time\nfrom d2l_helpers.distributed import report\nrank = int(os.environ['RANK'])\n"


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str):
        (tmp_path / "job.py").write_text(JOIN + text)
        return "job.py"

    return write


def test_results_come_back_by_rank_and_lines_too(script, capsys):
    text = "import torch\nprint('here', rank)\nreport(square=rank**2)\n"
    text += "report(x=torch.ones(2), who=sys.argv[1])\n"
    run = run_ranks(script(text), 3, args=["me"], env={"EXTRA": "1"}, show="by rank")
    assert [result["square"] for result in run.results] == [0, 1, 4]
    assert run.results[1]["x"] == [1.0, 1.0] and run.results[1]["who"] == "me"
    assert run.lines == {rank: [f"here {rank}"] for rank in range(3)}
    assert capsys.readouterr().out == "[0] here 0\n[1] here 1\n[2] here 2\n"


def test_ranks_talk_over_gloo(script):
    text = (
        "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\nx = torch.tensor([rank + 1.0])\n"
        "dist.all_reduce(x)\nreport(sum=x, threads=os.environ['OMP_NUM_THREADS'])\ndist.destroy_process_group()\n"
    )
    run = run_ranks(script(text), 2, show="")
    assert [result["sum"] for result in run.results] == [[3.0], [3.0]]
    assert {result["threads"] for result in run.results} == {"1"}


def test_a_rank_that_raises_is_named_with_its_own_error(script):
    text = (
        "if rank == 0:\n    report(step=7)\n    print('so far')\n    open('said', 'w').close()\n    time.sleep(60)\n"
        "while not os.path.exists('said'):\n    time.sleep(0.01)\nraise ValueError('the milk is sour')\n"
    )
    with pytest.raises(RanksFailed) as caught:
        run_ranks(script(text), 2, show="")
    assert str(caught.value) == "rank 1 failed: ValueError: the milk is sour"
    assert caught.value.results == [{"step": 7}, {}]
    assert "[0] so far" in caught.value.output and "Traceback" in caught.value.output


def test_a_rank_that_leaves_with_a_code_or_is_killed_is_named(script):
    with pytest.raises(RanksFailed, match="^rank 0 failed with exit code 3$"):
        run_ranks(script("sys.exit(3 if rank == 0 else time.sleep(60))"), 2, show="")
    with pytest.raises(RanksFailed, match="^rank 1 was killed by SIGKILL$"):
        run_ranks(script("os.kill(os.getpid(), 9) if rank == 1 else time.sleep(60)"), 2, show="")


def test_a_rank_that_hangs_is_ended_and_named(script, tmp_path):
    usual = run_ranks(script("report(done=True)"), 2, show="").seconds  # a busy machine takes longer to get there
    text = "if rank == 1:\n    time.sleep(1000)  # hangs\nreport(done=True)\n"
    with pytest.raises(RanksFailed, match="no end within .* s: rank 1 had reported nothing"):
        run_ranks(script(text), 2, args=[tmp_path], timeout=2 + 2 * usual, show="")
    assert running(str(tmp_path)) == []


def test_ranks_without_their_launcher_are_ended_too(script, tmp_path, monkeypatch):
    text = "if rank == 1:\n    os.kill(os.getppid(), 9)\ntime.sleep(1000)\n"
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "psutil", None)  # Linux needs none
        with pytest.raises(RanksFailed, match="torchrun failed"):
            run_ranks(script(text), 2, args=[tmp_path], show="")
    assert running(str(tmp_path)) == []


def test_without_torch_one_line_says_so(script, monkeypatch):
    monkeypatch.setattr(ranks.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RanksFailed, match="torchrun, which comes with PyTorch: pip install torch"):
        run_ranks(script(""), 2)


@pytest.mark.parametrize("text, words", [("this is no Python", "SyntaxError"), ("import no_such_module", "No module")])
def test_a_script_that_cannot_start_says_why(script, text, words):
    with pytest.raises(RanksFailed, match=words):
        run_ranks(script(text), 1, show="")


def test_bad_input_is_refused_before_anything_starts(script):
    with pytest.raises(FileNotFoundError, match="no script 'missing.py'"):
        run_ranks("missing.py")
    for options in ({"ranks": 0}, {"show": "loud"}):
        with pytest.raises(ValueError, match="ranks must be"):
            run_ranks(script(""), **options)


def test_restarts_run_it_again(script, tmp_path):
    text = (
        "attempt = int(os.environ['TORCHELASTIC_RESTART_COUNT'])\nreport(attempt=attempt)\n"
        "sys.exit(1 if attempt == 0 and rank == 0 else 0)\n"
    )
    run = run_ranks(script(text), 2, restarts=1, show="")
    assert [result["attempt"] for result in run.results] == [1, 1]


def test_after_a_restart_the_ranks_find_each_other_and_not_the_dead(script):
    """With torchrun's store shared, every second run or so went to addresses of the first life (pytorch #135712)."""
    text = (
        "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\nx = torch.ones(1)\n"
        "dist.all_reduce(x)\nlife = int(os.environ['TORCHELASTIC_RESTART_COUNT'])\n"
        "if life == 0 and rank == 1:\n    os.kill(os.getpid(), 9)\n"
        "dist.all_reduce(x)\nreport(life=life, x=x)\ndist.destroy_process_group()\n"
    )
    run = run_ranks(script(text), 2, restarts=1, show="")
    assert [result["life"] for result in run.results] == [1, 1] and run.results[0]["x"] == [4.0]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nobody_outlives_the_notebook(script, tmp_path, how):
    if how == signal.SIGKILL and sys.platform != "linux":
        pytest.skip("only Linux ends a child with its parent")
    job = script("open(f'up{rank}', 'w').close()\ntime.sleep(1000)\n")
    caller = f"from d2l_helpers.distributed import run_ranks; run_ranks({job!r}, 2, args=[{str(tmp_path)!r}], show='')"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # a killed notebook cannot remove its folder
    command = [sys.executable, "-c", caller]
    notebook = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=tmp_path, env=environment)
    wait_for(lambda: (tmp_path / "up0").exists() and (tmp_path / "up1").exists())
    notebook.send_signal(how)
    notebook.wait(timeout=60)
    wait_for(lambda: not running(str(tmp_path)))


def test_without_the_helper_a_rank_prints_its_report(script):
    environment = {key: value for key, value in os.environ.items() if key != "D2L_RESULTS"}
    environment["RANK"] = "5"
    done = subprocess.run(
        [sys.executable, script("report(rank=rank, loss=0.5)")], capture_output=True, text=True, env=environment
    )
    assert done.stdout == '{"rank": 5, "loss": 0.5}\n'


@pytest.mark.parametrize("library", ["torch", "json"])
def test_a_rank_with_torch_leaves_before_python_takes_itself_apart(script, library):
    """What threads still hold is let go of by nobody then; what was registered for the end is still called."""
    text = (
        f"import atexit, {library}\nclass Held:\n    def __del__(self, write=os.write):\n"
        "        write(1, b'taken apart\\n')\n"
        "os.held = Held()\natexit.register(print, 'the end')\nprint(sys.argv, __name__, sys.path[0])\n"
    )
    lines = run_ranks(script(text), 1, args=["--option"], show="").lines[0]
    told = [f"['job.py', '--option'] __main__ {os.getcwd()}", "the end"]
    assert lines == told + ["taken apart"] * (library != "torch")
