"""`make grade` from a folder to the table: whole runs, kills, seeds, and what it says."""
import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import assignment
import cases
import grade
import psutil
import pytest
from grading import probe, run, sandbox

STUDENTS = ["ada", "ben", "cleo", "dan"]
WRONG = {"ben": {"small-waves": "def waves(needs):\n    return []"},
         "cleo": {"small-ring": assignment.stub("small-ring")}}
POINTS = {"ada": "14", "ben": "10", "cleo": "8", "dan": "14"}


@pytest.fixture
def course(tmp_path):
    """A folder of submissions, a roster and a source."""
    (tmp_path / "in").mkdir()
    for student in STUDENTS:
        assignment.write(tmp_path / "in" / f"{student}.ipynb", assignment.handed_in(WRONG.get(student)))
    (tmp_path / "roster.csv").write_text("student,name,grade\n" + "".join(f"{one},{one},\n" for one in STUDENTS))
    assignment.write(tmp_path / "small-exercises.ipynb", assignment.source())
    return tmp_path


def words(course, *more, out="out"):
    return [str(course / "in"), str(course / out), "--assignment", str(course / "small-exercises.ipynb"),
            "--roster", str(course / "roster.csv"), *more]


def results(folder):
    found = [json.loads(path.read_text())["result"] for path in sorted((folder / "results").rglob("*.json"))]
    return [{key: value for key, value in one.items() if key != "seconds"} for one in found]


def grades(folder):
    with open(folder / "grades-roster.csv", newline="") as file:
        return {row["student"]: row["grade"] for row in csv.DictReader(file)}


def command(course, *more):
    return [sys.executable, str(sandbox.ROOT / "tools" / "grade.py"), *words(course, *more)]


@pytest.mark.slow
def test_a_class_is_graded_again_from_what_is_kept_and_a_seed_decides(course, limits, capfd, monkeypatch):
    assert grade.main(words(course, "--seed", "5")) == 0
    said = capfd.readouterr()
    assert grades(course / "out") == POINTS and "seed 5: the same seed draws the same inputs" in said.err
    assert "[4/4]" in said.err and (course / "out" / "summary.html").exists()

    before = results(course / "out")
    with monkeypatch.context() as patch:  # nothing is executed a second time, and the seed is remembered
        patch.setattr(run, "Judges", None)
        patch.setattr(probe, "check", lambda *given: None)
        assert grade.main(words(course)) == 0
    said = capfd.readouterr()
    assert said.err.count("(kept)") == 4 and "seed 5" in said.err and results(course / "out") == before

    assert grade.main(words(course, "--seed", "5", out="again")) == 0
    assert results(course / "again") == before

    changed = course / "in" / "ben.ipynb"
    assignment.write(changed, assignment.handed_in())
    assert grade.main(words(course)) == 0
    assert capfd.readouterr().err.count("(kept)") == 3 and grades(course / "out") == {**POINTS, "ben": "14"}


def at_work(process):
    """Its processes at a moment when a worker is among them: between two submissions there may be none."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        family = psutil.Process(process.pid).children(recursive=True)
        with contextlib.suppress(psutil.NoSuchProcess):
            if any("worker.py" in " ".join(one.cmdline()) for one in family):
                return family
    raise AssertionError("no worker was started")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_killed_leaves_nothing_and_goes_on(number, course, limits):
    for n in range(8):
        assignment.write(course / "in" / f"slow{n}.ipynb", assignment.handed_in(
            {"small-waves": "import time\ntime.sleep(0.5)\n" + assignment.RIGHT["small-waves"]}))
    with subprocess.Popen(command(course, "--seed", "5"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as process:
        try:
            for line in process.stderr:
                if line.startswith("[3/"):
                    break
            family = at_work(process)
            process.send_signal(number)
            process.stderr.read()
        finally:
            process.kill()
    gone, alive = psutil.wait_procs(family, timeout=30)
    assert not [one for one in alive if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    kept = results(course / "out")
    assert 3 <= len(kept) < 12
    done = subprocess.run(command(course), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and done.stderr.count("(kept)") == len(kept) and "seed 5" in done.stderr
    after = results(course / "out")
    assert len(after) == 12 and all(one in after for one in kept)
    assert not list((course / "out").rglob("*.part"))


@pytest.mark.slow
def test_unsafe_says_so_loudly_and_everywhere(course, monkeypatch, capfd):
    monkeypatch.setattr(sandbox, "missing", lambda: "no sandbox here")
    assert grade.main(words(course)) == 1
    assert capfd.readouterr().err.strip().endswith("error: no sandbox here")
    assert grade.main(words(course, "--unsafe")) == 0
    said = capfd.readouterr().err
    assert said.count("*** UNSAFE") == 2 and all(one["unsafe"] for one in results(course / "out"))
    assert grades(course / "out") == POINTS
    assert "sandbox" in (course / "out" / "summary.html").read_text()


@pytest.mark.slow
def test_a_source_whose_model_answer_fails_here_is_refused(course, limits, capfd):
    source = assignment.source()
    source["cells"][assignment.place(source, "c-small-ring-t")]["source"] += "\nassert False, 'no GPU'"
    assignment.write(course / "small-exercises.ipynb", source)
    assert grade.main(words(course)) == 1
    said = capfd.readouterr().err
    assert "the model answer of Exercise 3: Ring gets 0 of 6 points on this machine: failed, with other" in said \
        or "the model answer of Exercise 3: Ring gets 0 of 6 points on this machine: failed, no GPU" in said
    assert not (course / "out" / "results").exists()


@pytest.mark.slow
def test_a_zip_that_climbs_out_or_swells_costs_nobody_else(course, limits, capfd):
    with zipfile.ZipFile(course / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for student in STUDENTS:
            archive.write(course / "in" / f"{student}.ipynb", f"{student}.ipynb")
        archive.writestr("../../climbed.ipynb", json.dumps(assignment.handed_in()))
        archive.writestr("/tmp/climbed.ipynb", json.dumps(assignment.handed_in()))
        archive.writestr("dan2.ipynb", bytes(300 << 20))
    arguments = words(course, "--seed", "1")
    arguments[0] = str(course / "class.zip")
    assert grade.main(arguments) == 0
    assert grades(course / "out") == POINTS
    assert not list(course.parent.glob("climbed*")) and not os.path.exists("/tmp/climbed.ipynb")


def test_the_machine_s_failure_is_no_grade(course, monkeypatch):
    class Judges:
        def __init__(self, terms):
            self.terms = terms
        def __enter__(self):
            return self
        def __exit__(self, *_):
            pass
        def grade(self, submission):
            if submission.student == "ben":
                raise run.Trouble("no memory")
            return {"student": submission.student, "notes": [], "exercises": []}
    monkeypatch.setattr(run, "Judges", Judges)
    class_ = [run.Submission(student, course / "in" / f"{student}.ipynb") for student in STUDENTS]
    done, failed = run.grade_all(class_, run.Terms(course / "small-exercises.ipynb", 1), course / "out", rehearse=False)
    assert [one["student"] for one in done] == ["ada", "cleo", "dan"]
    assert [(one.student, why) for one, why in failed] == [("ben", "no memory")]
    assert len(results(course / "out")) == 3


def test_two_runs_in_one_folder_are_refused(course):
    with run.alone(course / "out"), pytest.raises(sandbox.Refused, match="another `make grade` is at work"):
        with run.alone(course / "out"):
            pass


def test_a_half_written_result_does_not_count(tmp_path):
    path = tmp_path / "one.json"
    assert run.kept(path, "d") is None
    path.write_text('{"digest": "d", "resu')
    assert run.kept(path, "d") is None
    run.written(path, json.dumps({"digest": "d", "result": {"points": 1}}))
    assert run.kept(path, "d") == {"points": 1} and run.kept(path, "other") is None


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "ä", "", "x" * 300, "A", "a"])
def test_a_student_s_name_is_a_file_s_name(name):
    made = run.name_of(name)
    assert "/" not in made and ".." not in made and len(made) < 80
    assert len({run.name_of(other).lower() for other in (name, name + "1", name.upper() + "2")}) == 3


@pytest.mark.parametrize("change, said", [
    (lambda words: words.__setitem__(0, "/not/there"), "error: "),
    (lambda words: words.__setitem__(3, "unknown"), "there is no assignment “unknown”"),
    (lambda words: words.__setitem__(5, "/not/there.csv"), "error: ")])
def test_bad_input_is_one_line(change, said, course, capfd, limits):
    arguments = words(course)
    change(arguments)
    assert grade.main(arguments) == 1
    lines = capfd.readouterr().err.strip().splitlines()
    assert said in lines[-1] and "Traceback" not in "".join(lines)


def test_time_goes_by_on_a_bar_and_in_a_log(capfd):
    class Terminal:
        text = ""
        def isatty(self):
            return True
        def write(self, text):
            self.text += text
        def flush(self):
            pass
    terminal = Terminal()
    for file in (terminal, None):
        bar = run.Bar(2, file)
        bar.step(run.Submission("ada", None), "4 of 4 points")
        bar.step(run.Submission("ben", None), "3 of 4 points")
    assert terminal.text.startswith("\r[###############...............] 1/2") and terminal.text.endswith("\n")
    assert capfd.readouterr().err == "[1/2] ada: 4 of 4 points\n[2/2] ben: 3 of 4 points\n"


def test_cases_has_no_name_twice():
    names = [case.name for case in cases.CASES]
    assert len(set(names)) == len(names) >= 60


def test_limits_follow_the_memory_and_the_patience(monkeypatch):
    monkeypatch.setattr(sandbox, "memory_left", lambda: 5 << 30)
    limits = grade.limits_of(2.0)
    assert limits.memory == 2 << 30 and limits.call == 2 * sandbox.Limits().call
    monkeypatch.setattr(sandbox, "memory_left", lambda: 1 << 30)
    with pytest.raises(sandbox.Refused, match="too few"):
        grade.limits_of(1.0)


