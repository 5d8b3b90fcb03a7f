"""Points, and what they are given for. The worker has no sandbox here: these tests trust their code."""
from fractions import Fraction
from pathlib import Path

import assignment
import numpy as np
import pytest
from conftest import LIMITS
from grading import judge, notebook, run, sandbox

ALL = {"small-waves-tests": 4, "small-shares-tests": 4, "small-ring-tests": 6}


@pytest.fixture
def graded(tmp_path):
    """graded(answers, seed): {id: entry} of a submission; keywords change the source's tests or the limits."""
    def grade(answers=None, seed=1, tests=None, limits=LIMITS):
        source = assignment.source()
        for cell in source["cells"]:
            cell["source"] = (tests or {}).get(cell["id"], cell["source"])
        cells = notebook.read_source(assignment.write(tmp_path / "source.ipynb", source))
        path = assignment.write(tmp_path / "handed-in.ipynb", assignment.handed_in(answers))
        submission = notebook.read_submission(path, cells)
        entries = judge.judged(submission.cells, seed, limits, lambda: sandbox.Worker(limits, unsafe=True))
        return {entry["id"]: entry for entry in entries}
    return grade


def points(entries):
    return {name: entry["points"] for name, entry in entries.items() if name != "small-why"}


def test_it_can_be_read_in_one_sitting():
    assert len(Path(judge.__file__).read_text(encoding="utf-8").splitlines()) <= 205


def test_right_answers_get_full_points_and_prose_is_read_by_a_person(graded):
    entries = graded()
    assert points(entries) == ALL and {entries[name]["status"] for name in ALL} == {"passed"}
    assert entries["small-why"]["status"] == "to be read" and "wait for" in entries["small-why"]["answer"]
    assert entries["small-waves-tests"]["title"] == "Exercise 1: Waves"


@pytest.mark.parametrize("value, wanted", [
    (None, 6), ("text", 6), (True, 6), (False, 6), ([], 6), (3, 3), (2.5, 2.5), (np.float32(1), 1), (np.int64(7), 6),
    (Fraction(1, 2), 0.5), (99, 6), (-1, 0), (float("nan"), 0), (float("inf"), 0), (0, 0), (1j, 6)], ids=repr)
def test_a_last_value_that_is_a_number_is_partial_credit(value, wanted):
    assert judge.points_of(value, 6) == wanted


def test_a_slower_schedule_gets_part_of_the_points(graded):
    slow = "def ring(n):\n    return [[(r, (r + 1) % n) for r in range(n)] for _ in range(2 * n)]"
    entry = graded({"small-ring": slow})["small-ring-tests"]
    assert (entry["points"], entry["status"], entry["message"]) == (3, "partly",
                                                                    "3 of 6 points: right, but not all of it")


def test_a_warning_costs_nothing(graded):
    noisy = "import sys, warnings\nwarnings.warn('old')\nprint('!', file=sys.stderr)\n"
    assert points(graded({"small-waves": noisy + assignment.RIGHT["small-waves"]})) == ALL


def test_the_seed_draws_the_inputs_and_the_same_seed_the_same(graded):
    sizes = assignment.RIGHT["small-shares"].replace(
        "### BEGIN", "if len(gradient) > 5: raise ValueError(len(gradient))\n    ### BEGIN")
    said = [graded({"small-shares": sizes}, seed)["small-shares-tests"]["message"] for seed in (1, 1, 2)]
    assert said[0] == said[1] and said[0] != said[2]


@pytest.mark.parametrize("answer, status, said", [
    ("def waves(needs):\n    return [['x']]", "failed", "b waits for a: two waves"),
    ("def waves(needs):\n    return [['a'], ['b']] if needs['b'] else [['a', 'b']]", "failed",
     "with other inputs: KeyError: 'b'"),
    (assignment.RIGHT["small-waves"].replace("raise ValueError", "return 0 #"), "failed",
     "with other inputs: a cycle is a ValueError"),
    (assignment.stub("small-waves"), "not answered", "the cell is as it was handed out"),
    ("def other(): pass", "failed", "NameError: `waves` is not defined"),
    ("1 / 0", "did not run", "ZeroDivisionError: division by zero (line 1)"),
    ("def waves(needs):\n    raise NotImplementedError", "not answered", "handed out"),
    ("def waves(needs):\n    raise StopIteration", "failed", "RuntimeError: StopIteration"),
    ("class Own(ValueError): pass\ndef waves(needs):\n    raise Own('mine')", "failed", "ValueError: Own: mine")])
def test_what_is_not_full_says_why(answer, status, said, graded):
    entries = graded({"small-waves": answer})
    assert (entries["small-waves-tests"]["status"], entries["small-waves-tests"]["points"]) == (status, 0)
    assert said in entries["small-waves-tests"]["message"]
    assert points(entries) == {**ALL, "small-waves-tests": 0}


def test_a_hidden_test_without_a_message_does_not_show_itself(graded):
    test = "### BEGIN HIDDEN TESTS\n_secret = 12345\nassert waves({}) == _secret\n### END HIDDEN TESTS"
    entry = graded(tests={"c-small-waves-t": test})["small-waves-tests"]
    assert entry["message"] == "a test of other inputs fails"


@pytest.mark.slow
def test_answers_that_keep_the_tests_busy_cost_only_this_exercise(graded):
    test = "while waves({'a': []}) == [['a']]:\n    pass"
    limits = sandbox.dataclasses.replace(LIMITS, exercise=1)
    entries = graded(tests={"c-small-waves-t": test}, limits=limits)
    assert entries["small-waves-tests"]["status"] == "did not run"
    assert points(entries) == {**ALL, "small-waves-tests": 0}


def test_no_except_of_a_test_hides_that_the_worker_is_gone(graded):
    test = "try:\n    waves({})\nexcept Exception:\n    pass"
    entries = graded({"small-waves": "def waves(needs):\n    import os\n    os._exit(0)"},
                     tests={"c-small-waves-t": test})
    assert entries["small-waves-tests"]["status"] == "did not run" and points(entries)["small-shares-tests"] == 4


def test_a_plain_variable_is_an_answer_too(graded):
    tests = {"c-small-waves": "chosen = None", "c-small-waves-t": "assert chosen == [3, (4, 5)]"}
    assert points(graded({"small-waves": "chosen = [3, (4, 5)]"}, tests=tests)) == ALL
    assert graded({"small-waves": "chosen = lambda: 3"}, tests=tests)["small-waves-tests"]["points"] == 0


def test_a_cell_that_ends_the_worker_is_run_once_and_left_out(graded, tmp_path):
    count = tmp_path / "count"
    fatal = f"open({str(count)!r}, 'a').write('x')\nimport os\nos._exit(0)"
    entries = graded({"small-waves": fatal})
    assert points(entries) == {**ALL, "small-waves-tests": 0} and count.read_text() == "x"


def test_cells_before_it_are_run_again_after_a_function_ended_the_worker(graded):
    answers = {"small-waves": "kept = 5\ndef waves(needs):\n    import os\n    os._exit(0)",
               "small-ring": assignment.RIGHT["small-ring"].replace("### BEGIN", "assert kept == 5\n    ### BEGIN")}
    assert points(graded(answers)) == {**ALL, "small-waves-tests": 0}


def test_judge_and_worker_have_a_session_each(tmp_path):
    """Linux shares a busy core among sessions: in one with others, a timed reference would be slower than an answer."""
    source = assignment.source()
    source["cells"][assignment.place(source, "c-small-waves-t")]["source"] = (
        "import os\nassert os.getsid(0) == os.getpid() != waves({})[0], 'it shares a session'")
    path = assignment.write(tmp_path / "small-exercises.ipynb", source)
    answer = assignment.handed_in({"small-waves": "import os\ndef waves(needs):\n    return [os.getsid(0)]"})
    with run.Judges(run.Terms(path, 1, LIMITS, unsafe=True)) as judges:
        result = judges.grade(run.Submission("timed", assignment.write(tmp_path / "timed.ipynb", answer)))
    assert points({entry["id"]: entry for entry in result["exercises"]}) == ALL


@pytest.mark.slow
def test_tests_that_memory_or_time_stops_from_outside_cost_only_this_exercise(tmp_path, monkeypatch):
    """A test that does not hear the alarm: the judge itself is ended, and another goes on."""
    source = assignment.source()
    source["cells"][assignment.place(source, "c-small-waves-t")]["source"] = (
        "import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\ntime.sleep(waves({}))")
    monkeypatch.setattr(run, "GRACE", 0.5)
    limits = sandbox.dataclasses.replace(LIMITS, start=2, cell=2, exercise=1)
    path = assignment.write(tmp_path / "small-exercises.ipynb", source)
    answer = assignment.handed_in({"small-waves": "def waves(needs):\n    return 99"})
    with run.Judges(run.Terms(path, 1, limits, unsafe=True)) as judges:
        result = judges.grade(run.Submission("busy", assignment.write(tmp_path / "busy.ipynb", answer)))
    entries = {entry["id"]: entry for entry in result["exercises"]}
    assert "could not be finished" in entries["small-waves-tests"]["message"]
    assert points(entries) == {**ALL, "small-waves-tests": 0}
