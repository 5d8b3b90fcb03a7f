"""Outside the sandbox: runs the source's tests, with stand-ins for the student's functions, and gives the points.

The tests run here, in plain Python, as they would under nbgrader. Where they call a function of the student's, a
stand-in sends the arguments to the worker and returns what it answered: plain values and arrays, nothing else. So
the student's code never shares a process with a test, an expected value, the clock or the points.

Points come from positive evidence only: a cell of tests that ran to its end gives them all, or as many as its last
expression says where that is a number (nbgrader's rule of partial credit); everything else gives none.
"""
import ast
import builtins
import contextlib
import linecache
import math
import numbers
import random
import signal
import sys
import time
import traceback

from . import notebook, sandbox

# What a student's function may raise here. Not StopIteration: it would end a loop of the tests in silence.
ERRORS = {name: getattr(builtins, name) for name in (
    "ArithmeticError AssertionError AttributeError BufferError FileNotFoundError FloatingPointError "
    "IndexError KeyError LookupError MemoryError NameError NotImplementedError OSError OverflowError "
    "RecursionError RuntimeError TypeError UnicodeError ValueError ZeroDivisionError").split()}
HIDDEN = "### BEGIN HIDDEN TESTS"


class Stopped(BaseException):
    """This exercise is over. Not an Exception, so that no `except Exception` of a test can hide it."""


class Student:
    """The student's cells, run in a worker, and run again in a new one where the first was lost."""

    def __init__(self, new_worker, limits, tell=lambda: None):
        self.new_worker, self.limits, self.tell = new_worker, limits, tell
        self.cells, self.done, self.worker = [], 0, None  # of the cells, so many have run in this worker
        self.wrong, self.fatal, self.until = {}, set(), math.inf

    def ready(self):
        """Run what has not run. A cell that ends the worker is left out from then on."""
        while self.worker is None or self.done < len(self.cells):
            self.tell()
            if self.worker is None:
                self.worker, self.done = self.new_worker(), 0
                continue
            cell = self.cells[self.done]
            self.done += 1
            if cell.id in self.fatal:
                continue
            try:
                answer = self.worker.ask(["run", cell.id, cell.source], self.limits.cell)
            except sandbox.Died as error:
                self.worker = None
                self.fatal.add(cell.id)
                self.wrong[cell.id] = f"the cell was stopped: {error}"
                continue
            if answer[0] == "error":
                self.wrong[cell.id] = f"{answer[1][0]}: {answer[2]} (line {answer[3]})"

    def ask(self, request):
        if self.worker is None:
            raise Stopped("the worker is gone")
        seconds = min(self.limits.call, max(0.01, self.until - time.monotonic()))
        try:
            answer = self.worker.ask(request, seconds)
        except sandbox.Died as error:
            self.worker = None
            raise Stopped(f"`{request[1]}` was stopped: {error}") from None
        except BaseException:
            if self.worker.process.poll() is not None:
                self.worker = None
            raise
        if answer[0] == "done":
            return answer[1]
        kind = next((ERRORS[name] for name in answer[1] if name in ERRORS), RuntimeError)
        raise kind(answer[2] if answer[1][0] in ERRORS else f"{answer[1][0]}: {answer[2]}".removesuffix(": "))

    def close(self):
        if self.worker is not None:
            self.worker.kill()


def stand_in(student, name):
    def call(*arguments, **named):
        return student.ask(["call", name, list(arguments), named])
    call.__name__ = call.__qualname__ = name
    return call


def run(source, name, space):
    """Run a cell; the value of its last line where that is an expression."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    return eval(compile(ast.Expression(last.value), name, "eval"), space) if last else None


@contextlib.contextmanager
def at_most(seconds):
    def over(*_):
        raise Stopped(f"the tests took longer than {seconds:g} s with these answers")
    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def same_chances(seed):
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % 2**32)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


def points_of(value, most):
    """The points for a cell of tests that ran to its end, with this as the value of its last line."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return most
    return min(max(0.0, float(value)), most) if math.isfinite(value) else 0.0


def message_of(error, name, source):
    """What the student reads about a failed test: the message of the assert, and where there is none, what it says."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    number, rows = lines[-1] if lines else 0, source.splitlines()
    hidden = HIDDEN in source and number > source[:source.index(HIDDEN)].count("\n")
    text = " ".join(str(error).split())[:400]
    if isinstance(error, AssertionError):
        line = rows[number - 1].strip() if 0 < number <= len(rows) and not hidden else ""
        text = text or (f"this does not hold: {line}" if line else "a test of other inputs fails")
    else:
        text = f"{type(error).__name__}: {text}"
    return ("with other inputs: " if hidden and text[:4] != "a te" else "") + text


def test(cell, solution, student, space, seed):
    """One cell of tests: (points, status, message)."""
    name, answered = f"<{cell.id}>", solution is None or (solution.found and not notebook.stub(solution.source))
    student.ready()
    try:
        same_chances(seed)
        student.until = time.monotonic() + student.limits.exercise
        for value in solution.values if solution and solution.found else ():
            with contextlib.suppress(*ERRORS.values()):
                space[value] = student.ask(["get", value])
        with at_most(student.limits.exercise):
            points = points_of(run(cell.source, name, space), cell.points)
    except Stopped as error:
        return 0.0, "did not run", str(error)
    except NotImplementedError:
        if not answered:
            return 0.0, "not answered", "the cell is as it was handed out" if solution.found else \
                "the cell of the answer is not in the notebook"
        return 0.0, "failed", "NotImplementedError"
    except Exception as error:
        problem = student.wrong.get(solution.id) if solution else None
        if solution and not solution.found:
            return 0.0, "not answered", "the cell of the answer is not in the notebook"
        if problem:
            return 0.0, "did not run", problem
        return 0.0, "failed", message_of(error, name, cell.source)
    if points >= cell.points:
        return cell.points, "passed", ""
    said = f"{points:g} of {cell.points:g} points: right, but not all of it" if points > 0 else "no points: too far off"
    return points, "partly" if points > 0 else "failed", said


def judged(cells, seed, limits, new_worker, done=(), tell=lambda *_: None):
    """Grades the cells of one submission in order; yields one entry for each exercise that is not `done`."""
    student, space, solution = Student(new_worker, limits, tell), {"__name__": "__main__", "GRADING_SEED": seed}, None
    try:
        for cell in cells:
            if cell.kind in ("given", "solution", "extra"):
                student.cells.append(cell)
            if cell.kind == "given":
                with contextlib.suppress(Exception):  # it may call a function that the student has not written
                    run(cell.source, f"<{cell.id}>", space)
            elif cell.kind == "solution":
                solution = cell
                space.update({name: stand_in(student, name) for name in cell.functions})
            elif cell.kind in ("tests", "thought") and cell.id not in done:
                tell(cell.id)
                entry = {"id": cell.id, "title": cell.title or cell.id, "points": 0.0, "max": cell.points}
                if cell.kind == "thought":
                    blank = cell.source.strip() in notebook.BLANK
                    yield {**entry, "status": "not answered" if blank else "to be read",
                           "message": "" if blank else "read by a person", "answer": cell.source[:20000]}
                else:
                    points, status, message = test(cell, solution, student, space, seed)
                    yield {**entry, "points": points, "status": status, "message": message}
    finally:
        student.close()
