"""`make grade`: grades a folder or zip of submissions safely, and writes what the platform takes back.

    grade.py SUBMISSIONS ROSTER OUT [--assignment compilers-exercises] [--seed N] [--unsafe]

Each submission runs in a sandbox and is judged outside of it (tools/grading/). What is done is kept: after a kill,
the same command goes on. Without --seed a new one is drawn, and kept in OUT for the next time.
"""
import argparse
import json
import random
import sys
from pathlib import Path

from grading import notebook, probe, run, sandbox

UNSAFE = ("*** UNSAFE: no sandbox. Students' code runs with your rights: it can read, change and send away whatever "
          "you can. Only for code that you trust. This is written into every report. ***")


def seed_of(out, wanted):
    """The seed that was asked for, or that of the run before in this folder, or a new one."""
    file = Path(out) / "seed.json"
    if wanted is None and file.exists():
        wanted = json.loads(file.read_text(encoding="utf-8"))["seed"]
    seed = random.SystemRandom().randrange(2**31) if wanted is None else wanted
    run.written(file, json.dumps({"seed": seed}) + "\n")
    return seed


def source_of(assignment):
    """The source notebook of an assignment: its name, or a path to one of your own."""
    for path in (Path(assignment), sandbox.ROOT / "chapters" / f"{assignment}.ipynb",
                 sandbox.ROOT / "chapters" / f"{assignment}-exercises.ipynb"):
        if path.suffix == ".ipynb" and path.is_file():
            return path.resolve()
    names = sorted(path.stem for path in (sandbox.ROOT / "chapters").glob("*-exercises.ipynb"))
    raise sandbox.Refused(f"there is no assignment {assignment}: ASSIGNMENT is one of {', '.join(names) or '(none)'}, "
                          "or a path to a notebook of your own")


def limits_of(memory):
    """As much memory for each of two as the machine can spare, 4 GB at most."""
    spare = sandbox.memory_left() if sys.platform == "linux" else memory
    return sandbox.Limits(memory=max(512 << 20, min(memory, int(0.4 * spare))))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("submissions", type=Path, help="the folder or zip as the platform hands it out")
    parser.add_argument("roster", type=Path, nargs="?", help="the platform's own export of grades")
    parser.add_argument("out", type=Path, help="a folder for the results; made if it is not there")
    parser.add_argument("--assignment", default="compilers-exercises", help="the source: a name, or a path")
    parser.add_argument("--seed", type=int, help="draws the inputs of the hidden tests")
    parser.add_argument("--unsafe", action="store_true", help="without a sandbox: only for code that you trust")
    wishes = parser.parse_args(arguments)
    try:
        return graded(wishes)
    except (sandbox.Refused, notebook.Unreadable) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped: what was graded is kept, the same command goes on", file=sys.stderr)
        return 130


def graded(wishes):
    from grading import platforms, reports
    source = source_of(wishes.assignment)
    submissions = platforms.collect(wishes.submissions)
    if wishes.unsafe:
        print(UNSAFE, file=sys.stderr)
    print("trying the walls of the sandbox …" if not wishes.unsafe else "no sandbox", file=sys.stderr)
    limits = limits_of(sandbox.Limits.memory)
    probe.check(limits, wishes.unsafe)
    terms = run.Terms(source, seed_of(wishes.out, wishes.seed), limits, wishes.unsafe)
    results, failed = run.grade_all(submissions, terms, wishes.out)
    platforms.write_grades(results, wishes.roster, wishes.out)
    reports.write(results, wishes.out)
    for submission, why in failed:
        print(f"NOT GRADED: {submission.student}: {why}; the same command tries again", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
