"""Reads an exercise page into its exercises and runs them, as a student, nbgrader and the judge would.

An exercise runs either *together*, all cells in one namespace, as in a notebook and under nbgrader; or *apart*, as
under `make grade`: the tests see the given cells and, for each function of the solution cell, a stand-in that hands
over copies of plain values and nothing else. `python tests/exercises/runner.py PAGE...` prints a table of a page.
"""
import ast
import contextlib
import dataclasses
import importlib.util
import io
import re
import signal
import sys
import threading
import time
from pathlib import Path

import nbformat
import numpy as np
from nbgrader.preprocessors import ClearSolutions

ROOT = Path(__file__).resolve().parents[2]
WRONG = Path(__file__).resolve().parent / "wrong"
HIDDEN = re.compile(r"(?ms)^[ \t]*### BEGIN HIDDEN TESTS[^\n]*\n.*?### END HIDDEN TESTS[^\n]*(?:\n|\Z)")
LIMIT = 60  # seconds for one run; only a solution that hangs meets it


@dataclasses.dataclass
class Tests:
    """One tests cell: its name, its points and its code, with and without the hidden part."""
    grade_id: str
    points: float
    source: str

    @property
    def visible(self):
        return HIDDEN.sub("", self.source)


@dataclasses.dataclass
class Exercise:
    """One exercise of a page. `solution` is empty for a thought exercise, whose answer stands in `answer`."""
    page: str
    title: str
    table: dict                                      # points, minutes, difficulty, hardware, serves: as written
    grade_id: str = ""
    given: list = dataclasses.field(default_factory=list)
    solution: str = ""
    tests: list = dataclasses.field(default_factory=list)
    answer: str = ""
    points: float = 0

    @property
    def autograded(self):
        return bool(self.solution)

    @property
    def stub(self):
        """What the student gets instead of the solution, made by nbgrader itself."""
        cell = nbformat.v4.new_code_cell(self.solution, metadata={"nbgrader": {
            "grade": False, "solution": True, "locked": False, "task": False, "schema_version": 3,
            "grade_id": self.grade_id}})
        return ClearSolutions().preprocess_cell(cell, {"language": "python"}, 0)[0].source


@dataclasses.dataclass
class Result:
    """What one run brought. `error` is the first line of the first failure, empty where there was none."""
    points: float
    possible: float
    error: str = ""
    seconds: float = 0.0

    @property
    def full(self):
        return not self.error and self.points == self.possible


# --- reading

def exercises(path):
    """All exercises of a page in order. ValueError names what is out of place."""
    path, found, common = Path(path), [], []
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells, 1):
        where, mark = f"{path.name}, cell {number}", cell.metadata.get("nbgrader", {})
        if heading := cell.cell_type == "markdown" and re.match(r"## Exercise \d+: (.+)", cell.source):
            found.append(Exercise(path.stem, heading[1].strip(), _table(cell.source, where), given=list(common)))
        elif cell.cell_type == "markdown" and cell.source.startswith("## "):
            if found:
                break
        elif not mark:
            continue
        elif not found:
            common.append(cell.source)
        elif mark["grade"] and mark["solution"]:
            found[-1].grade_id, found[-1].answer = mark["grade_id"], cell.source
            found[-1].points += mark["points"]
        elif mark["solution"]:
            if found[-1].solution:
                raise ValueError(f"{where}: a second solution cell in one exercise")
            found[-1].grade_id, found[-1].solution = mark["grade_id"], cell.source
        elif mark["grade"]:
            found[-1].tests.append(Tests(mark["grade_id"], mark["points"], cell.source))
            found[-1].points += mark["points"]
        else:
            found[-1].given.append(cell.source)
    for exercise in found:
        if bool(exercise.solution) != bool(exercise.tests):
            raise ValueError(f"{path.name}: {exercise.title!r} must have a solution cell and a tests cell, or neither")
    return found


def _table(source, where):
    rows = [[part.strip() for part in line.strip().strip("|").split("|")]
            for line in source.splitlines() if line.startswith("|")]
    if len(rows) < 3 or len(rows[0]) != len(rows[2]):
        raise ValueError(f"{where}: the table of points and minutes must follow the heading")
    return dict(zip(rows[0], rows[2], strict=True))


def wrong(page):
    """The planted wrong solutions of a page, from wrong/TOPIC.py: {grade_id: {label: a solution cell or edits}}."""
    name = page.removesuffix("-exercises").replace("-", "_")
    spec = importlib.util.spec_from_file_location(f"wrong_{name}", WRONG / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WRONG


def written_out(exercise, label, planted):
    """The solution cell of a planted wrong solution: it as a whole, or edits of the reference.

    Edits, [(old, new), ...], are made one after the other. ValueError where an old text does not stand there
    exactly once: then the reference has changed, and the fault might be planted elsewhere or not at all.
    """
    if isinstance(planted, str):
        return planted
    code = exercise.solution
    for old, new in planted:
        if (count := code.count(old)) != 1:
            raise ValueError(f"{exercise.grade_id}, {label!r}: the reference has {old!r} {count} times, not once")
        code = code.replace(old, new)
    return code


# --- running

def run(exercise, solution=None, seed=None, apart=False, hidden=True):
    """The points of one solution, the reference if none is given. Nothing that it raises or prints comes through."""
    ours = _namespace(exercise, seed)
    began, points = time.perf_counter(), 0.0
    try:
        with _limit(LIMIT), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            theirs = _namespace(exercise, seed) if apart else ours
            code = exercise.solution if solution is None else solution
            _execute(code, f"<{exercise.grade_id}>", theirs)
            if apart:
                ours.update({name: _stand_in(theirs[name]) for name in _functions(code)})
            for tests in exercise.tests:
                last = _execute(tests.source if hidden else tests.visible, f"<{tests.grade_id}>", ours)
                points += tests.points if last is None else last
    except Exception as error:  # whatever a student's code can raise
        lines = f"{type(error).__name__}: {error}".splitlines()
        return Result(0.0, exercise.points, lines[0], time.perf_counter() - began)
    return Result(points, exercise.points, seconds=time.perf_counter() - began)


def _namespace(exercise, seed):
    names = {"__name__": "__main__"} | ({} if seed is None else {"GRADING_SEED": seed})
    for number, code in enumerate(exercise.given):
        _execute(code, f"<given {number} of {exercise.grade_id}>", names)
    return names


def _execute(code, name, names):
    """Run a cell. The value of a last expression if it is a number: nbgrader's partial credit."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    value = eval(compile(ast.Expression(last.value), name, "eval"), names) if last else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _functions(code):
    return [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]


def _stand_in(function):
    def call(*args, **kwargs):
        args, kwargs = plain(args), plain(kwargs)
        return plain(function(*args, **kwargs))
    call.__name__ = function.__name__
    return call


def plain(value):
    """A copy of a plain value. TypeError for any other: it could not cross the pipe to the judge."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    if type(value) in (list, tuple):
        return type(value)(plain(part) for part in value)
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
        return np.array(value) if isinstance(value, np.ndarray) else value.item()
    raise TypeError(f"a value of type {type(value).__name__} is not plain")


@contextlib.contextmanager
def _limit(seconds):
    """TimeoutError after so long, where the system has such an alarm."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_):
        raise TimeoutError(f"not done after {seconds} s")
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- looking at a page

def main(paths):
    for path in paths:
        planted, total = wrong(Path(path).stem), 0
        for number, exercise in enumerate(exercises(path), 1):
            total += int(exercise.table["minutes"])
            line = f"{number:2} {exercise.grade_id:32} {exercise.points:3g} points {exercise.table['minutes']:>3} min "
            if exercise.autograded:
                together, apart = run(exercise, seed=1), run(exercise, seed=1, apart=True)
                line += f" {together.points:g} {apart.points:g} in {together.seconds:.3f} s  "
                line += together.error or apart.error
                for label, cell in planted.get(exercise.grade_id, {}).items():
                    result = run(exercise, written_out(exercise, label, cell), seed=1)
                    line += f"\n      {'PASSED ' if result.full else ''}{label}: {result.error or result.points}"
            print(line)
        print(f"{path}: {total} minutes, {sum(e.points for e in exercises(path)):g} points")


if __name__ == "__main__":
    main(sys.argv[1:])
