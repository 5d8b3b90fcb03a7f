"""`make grade`: grades a folder or zip of submissions safely, and writes what the platform takes back.

Each submission runs in a sandbox and is judged outside of it (tools/grading/). What is done is kept in OUT: after a
kill, the same command goes on. Without a seed a new one is drawn, and kept in OUT for the next time.
"""
import argparse
import dataclasses
import json
import random
import signal
import sys
import tempfile
from pathlib import Path

from grading import notebook, platforms, probe, reports, run, sandbox

UNSAFE = ("*** UNSAFE: no sandbox. The students' code runs with your rights: it can read, change and send away "
          "whatever you can. Only for code that you trust. Every report says so. ***")


def options(arguments):
    parser = argparse.ArgumentParser(prog="grade.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("submissions", type=Path, help="the folder or zip as the platform hands it out")
    parser.add_argument("out", type=Path, help="a folder for the results; made if it is not there")
    parser.add_argument("--roster", type=Path, help="the platform's own export of grades; it is given back with them")
    parser.add_argument("--column", help="the heading in the roster that gets the grades, where several could")
    parser.add_argument("--scale", action="store_true", help="convert, where the platform has another maximum")
    parser.add_argument("--assignment", default="compilers-exercises", help="the source: a name, or a path of your own")
    parser.add_argument("--seed", type=int, help="draws the inputs of the hidden tests")
    parser.add_argument("--read", type=Path, help="to-read.csv, with the points that a person gave to written answers")
    parser.add_argument("--gradescope", action="store_true", help="also a results.json for each student")
    parser.add_argument("--patience", type=float, default=1.0, help="all time limits times this; on a slow machine, 2")
    parser.add_argument("--unsafe", action="store_true", help="without a sandbox: only for code that you trust")
    return parser.parse_args(arguments)


def source_of(assignment):
    """The source notebook of an assignment: its name, or a path to one of your own."""
    chapters = sandbox.ROOT / "chapters"
    # A topic before the lesson of the same name.
    for path in (Path(assignment), chapters / f"{assignment}-exercises.ipynb", chapters / f"{assignment}.ipynb"):
        if path.suffix == ".ipynb" and path.is_file():
            return path.resolve()
    names = ", ".join(sorted(path.stem for path in chapters.glob("*-exercises.ipynb")))
    raise sandbox.Refused(f"there is no assignment “{assignment}”: name a notebook of your own, or one of {names}")


def seed_of(out, wanted):
    """The seed that was asked for, or that of the run before in this folder, or a new one."""
    file = Path(out) / "seed.json"
    if wanted is None and file.exists():
        wanted = json.loads(file.read_text(encoding="utf-8"))["seed"]
    seed = random.SystemRandom().randrange(1, 2**31) if wanted is None else wanted
    run.written(file, json.dumps({"seed": seed}) + "\n")
    return seed


def limits_of(patience):
    """As much memory for each of two as the machine can spare, 4 GB at most."""
    limits = sandbox.Limits()
    if sys.platform == "linux":
        spare = int(0.4 * sandbox.memory_left())
        if spare < 1 << 30:
            raise sandbox.Refused(f"{spare >> 20} MB of memory for each of two submissions are too few: 1024 are "
                                  "needed, and as much again must stay free. Close other programs")
        limits = dataclasses.replace(limits, memory=min(limits.memory, spare))
    return dataclasses.replace(limits, **{name: getattr(limits, name) * patience
                                          for name in ("start", "cell", "call", "exercise")})


def say(*words, sep=" "):
    print(*words, sep=sep, file=sys.stderr, flush=True)


def graded(wishes):
    source = source_of(wishes.assignment)
    cells = notebook.read_source(source)
    roster = platforms.read_roster(wishes.roster, wishes.column) if wishes.roster else None
    if wishes.unsafe:
        say(UNSAFE)
    with tempfile.TemporaryDirectory(prefix="submissions-") as folder:
        submissions = platforms.collect(wishes.submissions, roster, Path(folder), say)
        lines = platforms.unmatched(submissions, roster) if roster else []
        say(f"{len(submissions)} submissions, {source.stem}: trying the walls of the sandbox, then the model answers")
        limits = limits_of(wishes.patience)
        probe.check(limits, wishes.unsafe)
        terms = run.Terms(source, seed_of(wishes.out, wishes.seed), limits, wishes.unsafe)
        results, failed = run.grade_all(submissions, terms, wishes.out)
    if wishes.read:
        results = reports.with_read(results, wishes.read)
    if roster:
        maximum = sum(cell.points for cell in cells if cell.kind in ("tests", "thought"))
        lines += platforms.write_grades(roster, platforms.scores_of(results), wishes.out, maximum, wishes.scale)
    lines += [f"NOT GRADED, the machine failed: {submission.student}: {why}" for submission, why in failed]
    lines += [UNSAFE] * wishes.unsafe
    made = reports.write(results, wishes.out, submissions, roster, lines)
    if wishes.gradescope:
        for result in results:
            reports.write_gradescope(result, wishes.out / "gradescope" / run.name_of(result["student"]))
        made.append(f"{wishes.out / 'gradescope'}: a results.json for each student")
    say(*lines, sep="\n")
    say(f"seed {terms.seed}: the same seed draws the same inputs")
    print("\n".join(made))
    if failed:
        say(f"{len(failed)} of {len(submissions)} could not be graded: the same command tries them again")
    return 1 if failed else 0


def main(arguments=None):
    def stop(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, stop)
    try:
        return graded(options(arguments))
    except (sandbox.Refused, notebook.Unreadable, platforms.Problem) as problem:
        say(f"error: {problem}")
        return 1
    except OSError as problem:
        say(f"error: {problem.filename or ''}: {problem.strerror or problem}")
        return 1
    except KeyboardInterrupt:
        say("\nstopped: what was graded is kept, the same command goes on")
        return 130


if __name__ == "__main__":
    sys.exit(main())
