"""Many submissions: two at a time, each kept as soon as it is done, taken up again after a kill.

Each submission has a judge of its own, forked from one that has the imports done; the judge holds the worker. A
result is one file, written whole or not at all, under a digest of all that could change it: the submission, the
source, the seed, the grader. What is there already is not graded again; so a run goes on where it was stopped.
"""
import ast
import concurrent.futures
import contextlib
import dataclasses
import fcntl
import hashlib
import json
import multiprocessing
import multiprocessing.forkserver
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from . import judge, notebook, sandbox

TOOLS = Path(__file__).resolve().parents[1]
AT_ONCE = 2
ATTEMPTS = 3   # of a submission whose sandbox does not start: the machine's fault, so never a grade
GRACE = 15     # seconds beyond the limits, before a judge that is stuck is ended


class Trouble(Exception):
    """The machine failed, not the student: there is no grade, and the same command tries again."""


@dataclasses.dataclass
class Submission:
    student: str
    path: Path
    notes: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Terms:
    """What is the same for all submissions of a run."""

    source: Path
    seed: int
    limits: sandbox.Limits = sandbox.Limits()
    unsafe: bool = False

    def digest(self):
        """Of the source, the grader, the seed and the limits; not of the memory that happens to be free."""
        limits = dataclasses.replace(self.limits, memory=0)
        grader = [file for file in sorted(Path(__file__).parent.glob("*.py"))
                  if file.stem in ("judge", "notebook", "run", "sandbox", "wire", "worker")]
        state = hashlib.sha256(repr((self.seed, limits, self.unsafe, sys.version)).encode())
        for file in [self.source, *grader]:
            state.update(hashlib.sha256(file.read_bytes()).digest())
        return state.hexdigest()


# --- the judge's process

def child(connection, terms, path, done, folder):
    """Judges one submission; sends what it finds, line by line."""
    def send(**message):
        connection.send_bytes(json.dumps(message).encode())

    ends_with_parent()
    os.setsid()  # Linux gives each session the same share of a busy core; the worker has one of its own, so must we
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_DATA, (terms.limits.memory, terms.limits.memory))
    try:
        source = notebook.read_source(terms.source)
        try:
            submission = notebook.read_submission(path, source)
        except notebook.Unreadable as problem:
            return send(unreadable=str(problem))
        send(notes=submission.notes)
        for entry in judge.judged(submission.cells, terms.seed, terms.limits,
                                  lambda: sandbox.Worker(terms.limits, terms.unsafe), done,
                                  lambda *at: send(at=at[0] if at else None)):
            send(entry=entry)
        send(end=True)
    except sandbox.Died as problem:
        send(trouble=str(problem))


def ends_with_parent():
    if sys.platform == "linux":
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def imports(cells):
    """The modules that the given cells and the tests import."""
    names = {}
    for cell in cells:
        if cell.kind in ("given", "tests"):
            for line in ast.walk(ast.parse(cell.source)):
                if isinstance(line, ast.Import):
                    names |= dict.fromkeys(alias.name for alias in line.names)
                elif isinstance(line, ast.ImportFrom) and line.module and not line.level:
                    names[line.module] = None
    return list(names)


class Judges:
    """Starts judges, two at most at a time, from a process that has imported what they need."""

    def __init__(self, terms):
        self.terms, self.stopping, self.running = terms, threading.Event(), set()
        self.folder = tempfile.mkdtemp(prefix="grading-")
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["grading.judge", "numpy", *imports(notebook.read_source(terms.source))])
        threads = str(min(2, os.cpu_count() or 1))
        wanted = {"PYTHONPATH": os.pathsep.join([str(TOOLS), str(sandbox.ROOT), os.environ.get("PYTHONPATH", "")]),
                  "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads,
                  "MPLBACKEND": "agg"}
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            multiprocessing.forkserver.ensure_running()
        finally:
            for name, value in before.items():
                os.environ.pop(name, None) if value is None else os.environ.update({name: value})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for process in list(self.running):
            process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def grade(self, submission):
        """The result of one submission."""
        begun, notes, entries, attempt = time.monotonic(), [], {}, 0
        problem = None
        while True:
            at, end = self.once(submission, notes, entries)
            if self.stopping.is_set():
                raise Trouble("stopped")
            if end.get("end"):
                break
            if "unreadable" in end:
                problem = end["unreadable"]
                break
            if at is not None and "trouble" not in end:
                entries[at] = None  # the tests themselves were stopped by what this student's functions returned
                continue
            attempt += 1
            if attempt == ATTEMPTS:
                raise Trouble(end.get("trouble", "the judge does not start"))
        exercises = []
        for cell in notebook.read_source(self.terms.source):
            if cell.kind in ("tests", "thought"):
                exercises.append(entries.get(cell.id) or {
                    "id": cell.id, "title": cell.title or cell.id, "points": 0.0, "max": cell.points,
                    "status": "did not run", "message": problem or
                    "the tests could not be finished with these answers: too much time or memory"})
        return {"student": submission.student, "notebook": self.terms.source.stem, "seed": self.terms.seed,
                "seconds": round(time.monotonic() - begun, 3), "unsafe": self.terms.unsafe,
                "notes": [*submission.notes, *notes, *([problem] if problem else [])], "exercises": exercises}

    def once(self, submission, notes, entries):
        """One judge, until it ends: (the exercise that it was at, its last message)."""
        limits = self.terms.limits
        patience = max(limits.start, limits.cell, limits.exercise) + GRACE
        ours, theirs = self.context.Pipe(duplex=False)
        folder = tempfile.mkdtemp(dir=self.folder)
        done = [key for key in entries]
        process = self.context.Process(target=child, args=(theirs, self.terms, Path(submission.path).absolute(), done,
                                                           folder))
        at, message = None, {}
        try:
            process.start()
            self.running.add(process)
            theirs.close()
            while ours.poll(patience):
                message = json.loads(ours.recv_bytes())
                if "entry" in message:
                    entries[message["entry"]["id"]] = message["entry"]
                    at = None
                elif "at" in message:
                    at = message["at"] or at
                elif "notes" in message:
                    notes[:] = message["notes"]
                else:
                    break
        except EOFError:
            message = {}
        finally:
            if message.get("end") or "unreadable" in message:
                process.join(5)
            process.kill()
            process.join()
            self.running.discard(process)
            ours.close()
            shutil.rmtree(folder, ignore_errors=True)
        return at, message


# --- the folder of results

def name_of(student):
    """A file's name that no path hides in, and that no other student has."""
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '_', student)[:60]}-{hashlib.sha256(student.encode()).hexdigest()[:8]}"


def written(path, text):
    """Write the file whole or not at all, also where the power fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def digest_of(submission, terms):
    try:
        data = notebook.read_bytes(submission.path)
    except notebook.Unreadable as problem:
        data = str(problem).encode()
    return hashlib.sha256(b"".join([terms.digest().encode(), hashlib.sha256(data).digest(),
                                    repr((submission.student, submission.notes)).encode()])).hexdigest()


def kept(path, digest):
    """The result that is there already, or None."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["digest"] == digest:
            return record["result"]
    return None


@contextlib.contextmanager
def alone(folder):
    """No second run writes into the same folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise sandbox.Refused(f"another `make grade` is at work in {folder}") from None
        yield


class Bar:
    """A bar on a terminal, a line for each submission in a log."""

    def __init__(self, total, file=None):
        self.total, self.number, self.file, self.begun = total, 0, file or sys.stderr, time.monotonic()

    def step(self, submission, said):
        self.number += 1
        if not self.file.isatty():
            print(f"[{self.number}/{self.total}] {submission.student}: {said}", file=self.file, flush=True)
            return
        filled = 30 * self.number // max(1, self.total)
        left = (time.monotonic() - self.begun) / self.number * (self.total - self.number)
        print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {self.number}/{self.total}, about {left:.0f} s left "
              f"· {submission.student[:24]}: {said}"[:110].ljust(110), end="\n" * (self.number == self.total),
              file=self.file, flush=True)


def in_short(result):
    got, most = (sum(entry[key] for entry in result["exercises"]) for key in ("points", "max"))
    ran = sum(entry["status"] == "did not run" for entry in result["exercises"])
    return f"{got:g} of {most:g} points" + (f", {ran} did not run" if ran else "")


def rehearsal(judges):
    """The model answers must get full points here, or nobody could. Raises Refused."""
    result = judges.grade(Submission("the model answers", judges.terms.source))
    for entry in result["exercises"]:
        if entry["status"] not in ("passed", "to be read"):
            raise sandbox.Refused(f"the model answer of {entry['title']} gets {entry['points']:g} of {entry['max']:g} "
                                  f"points on this machine: {entry['status']}, {entry['message']}")
    return result


def grade_all(submissions, terms, out, at_once=AT_ONCE, bar=None, rehearse=True):
    """(results in the order of the submissions, [(submission, why)] of those that the machine failed to grade)."""
    results, failed = {}, []
    bar = bar or Bar(len(submissions))
    with alone(Path(out)):
        folder = Path(out) / "results" / terms.source.stem
        todo = []
        for number, submission in enumerate(submissions):
            digest = digest_of(submission, terms)
            if (result := kept(folder / f"{name_of(submission.student)}.json", digest)) is not None:
                results[number] = result
                bar.step(submission, f"{in_short(result)} (kept)")
            else:
                todo.append((number, submission, digest))
        if todo:
            with Judges(terms) as judges, concurrent.futures.ThreadPoolExecutor(at_once) as pool:
                try:
                    if rehearse:
                        rehearsal(judges)
                    coming = {pool.submit(judges.grade, submission): (number, submission, digest)
                              for number, submission, digest in todo}
                    for future in concurrent.futures.as_completed(coming):
                        number, submission, digest = coming[future]
                        try:
                            results[number] = future.result()
                        except Trouble as problem:
                            failed.append((submission, str(problem)))
                            bar.step(submission, f"NOT GRADED: {problem}")
                            continue
                        written(folder / f"{name_of(submission.student)}.json", json.dumps(
                            {"digest": digest, "result": results[number]}, indent=1, ensure_ascii=False) + "\n")
                        bar.step(submission, in_short(results[number]))
                except BaseException:  # Ctrl-C, a full disk: what is written is kept
                    judges.__exit__()
                    pool.shutdown(cancel_futures=True)
                    raise
    return [results[number] for number in sorted(results)], failed
