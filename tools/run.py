"""Commands that execute pages, one page at a time (two at once would disturb each other's timings).

    run.py test [--all] [NAME…]     execute what changed since it passed, with nbval; compare every output
    run.py outputs [--all] [NAME…]  execute the stale pages, or the named, and write their outputs and stamps
    run.py tidy                     write the setup cell and the drawings into every page; executes nothing
"""
import argparse
import errno
import os
import re
import signal
import subprocess
import sys
import threading
import time

import execute
import nbformat
import pages
import preflight
import quiet

ROOT = pages.ROOT
BUILD = ROOT / "_build"
MARKS = BUILD / "tested"  # NAME.ok holds the fingerprint with which a page passed
ATTEMPTS = 3              # of a page that was disturbed while it was executed
LONG = 5                  # seconds: a cell that takes longer is named in the stamp


class Failed(Exception):
    """A page that cannot be executed, with the reason in words."""


def runnable(paths):
    """Those that this platform can execute; a line names the others."""
    note = preflight.mxnet_note()
    left = [path for path in paths if note and path.stem.endswith("-mxnet")]
    if left:
        print(f"note: {note} Not executed: {', '.join(path.stem for path in left)}", flush=True)
    return [path for path in paths if path not in left]


def each(paths, work, until=None):
    """Do the work for each path with a line of progress; returns [(path, reason)] of those that failed.

    After ``until``, on the clock of time.monotonic, no further one is begun.
    """
    failed = []
    for number, path in enumerate(paths, 1):
        if until is not None and time.monotonic() > until:
            break
        print(f"[{number}/{len(paths)}] {path.stem} … ", end="", flush=True)
        begun = time.monotonic()
        try:
            work(path)
            print(f"ok, {time.monotonic() - begun:.0f} s", flush=True)
        except Failed as reason:
            print(f"FAILED, {time.monotonic() - begun:.0f} s", flush=True)
            print("\n".join("    " + line for line in str(reason).strip("\n").split("\n")), flush=True)
            failed.append((path, str(reason)))
    if failed:
        print(f"{len(failed)} of {len(paths)} failed: {', '.join(path.stem for path, _ in failed)}", flush=True)
    return failed


def aside(text):
    """A line within the line of progress."""
    print(f"\n    {text} … ", end="", flush=True)


# --- test

def test(names=(), everything=False):
    """Execute what is due with nbval, and mark what passes. Returns how many pages (passed, failed, skipped)."""
    wanted = pages.chosen(names)
    paths = runnable(wanted)
    MARKS.mkdir(parents=True, exist_ok=True)

    def now(path):
        return pages.fingerprint(pages.read(path))

    def mark(path):
        return MARKS / f"{path.stem}.ok"

    def is_due(path):
        return everything or not mark(path).exists() or mark(path).read_text() != now(path)

    def work(path):
        before, log = now(path), MARKS / f"{path.stem}.log"
        mark(path).unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "--nbval", "-q", "--color=no", "--tb=short", "-rN"]
        with open(log, "w", encoding="utf-8") as out:
            status = subprocess.call([*command, str(path.relative_to(ROOT))], cwd=ROOT, stdout=out,
                                     stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if status:
            raise Failed(f"{differences(log.read_text(encoding='utf-8', errors='replace'))}\nThe whole log is in "
                         f"{log.relative_to(ROOT)}. If the new output is the right one: make outputs NAMES={path.stem}")
        mark(path).write_text(before)  # an edit made while the page ran is due again

    due = [path for path in paths if is_due(path)]
    if len(due) < len(paths):
        print(f"{len(paths) - len(due)} pages passed before, and nothing that they depend on has changed.", flush=True)
    if due:
        with quiet.alone():
            due = each(due, work)
    return len(paths) - len(due), len(due), len(wanted) - len(paths)


def differences(log):
    """The readable part of a pytest log: what differed, or its last lines."""
    found = re.search(r"=+ (?:FAILURES|ERRORS) =+\n(.*?)(?=\n=+ |\Z)", log, re.S)
    return found.group(1) if found else "\n".join(log.strip().split("\n")[-15:])


# --- outputs

def executed(path):
    """The notebook of a path, freshly executed. Raises Failed."""
    notebook, problem = execute.executed(path)
    number, error = execute.error_of(notebook) if notebook else (0, None)
    if error:
        trace = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
        problem = f"cell {number}:\n{notebook.cells[number - 1].source}\n\n{trace}"
    if problem:
        raise Failed(problem)
    return notebook


def lasted(took):
    """The seconds of a page, and those of its long cells, for who is about to run it."""
    return {"seconds": round(sum(took.values())),
            "long": {cell: round(seconds) for cell, seconds in took.items() if seconds >= LONG}}


def in_quiet(path):
    """The executed notebook and the figures of a quiet machine: of some runs the calmest; a disturbed one never."""
    runs = []
    for attempt in range(ATTEMPTS):
        before, watch = quiet.wait(aside), quiet.Watch()
        notebook = executed(path)
        figures = quiet.worst(before, watch.figures(), quiet.look())
        if not (problem := quiet.verdict(figures)):
            runs.append((figures["spread"], attempt, notebook, figures))
            if quiet.calm(figures):
                break
        if attempt + 1 < ATTEMPTS:
            aside(f"{'disturbed' if problem else 'not calm'}, so once more: {problem or 'somebody shares our core'}")
    if not runs:
        raise Failed(f"disturbed in each of {ATTEMPTS} runs, the last: {problem}. The file keeps its old outputs.")
    return min(runs)[2:]


def outputs(names=(), everything=False):
    """Tidy each page; execute those that are stale or asked for, write outputs and stamps. Returns an exit status."""
    import d2l_helpers
    if record := os.environ.get("D2L_RECORD"):  # a page runs in its own folder
        os.environ["D2L_RECORD"] = os.path.abspath(record)
    paths, due = pages.chosen(names), []
    for path in paths:
        notebook = pages.read(path)
        pages.write_parts(notebook)
        pages.replace(path, pages.canonical(pages.tidy(notebook)))
        reason = pages.stale(notebook) or quiet.verdict(notebook.metadata.d2l.get("quiet", {}))
        if reason or everything or names:
            due.append(path)
            print(f"{path.stem}: {reason or 'fresh, but asked for'}")
    due = runnable(due)
    if not due:
        print(f"The outputs of all {len(paths)} pages are fresh.")
        return 0

    def work(path):
        notebook, figures = in_quiet(path)
        if problems := pages.output_problems(notebook):
            raise Failed("\n".join([*problems, "The file keeps its old outputs."]))
        notebook.metadata["d2l"] = nbformat.from_dict(
            {**pages.made_from(notebook), **d2l_helpers.machine(), "quiet": figures,
             **lasted(notebook.metadata.pop("took", {}))})
        pages.replace(path, pages.canonical(notebook))

    quiet.adopt_orphans()
    with quiet.alone():
        return 1 if each(due, work) else 0


# --- commands

def table(rows):
    """Rows of text with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
                     for row in rows)


def tidy():
    for path in pages.listed():
        notebook = pages.read(path)
        pages.write_parts(notebook)
        pages.replace(path, pages.canonical(pages.tidy(notebook)))


def guarded(command):
    """The exit status of a command; what can be foreseen ends in one line. Being told to end is as Ctrl-C."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return command()
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    except (ValueError, quiet.Disturbed) as problem:
        print(f"\nerror: {problem}", file=sys.stderr)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print("error: the disk is full", file=sys.stderr)
    return 1


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("test", "outputs", "tidy"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="chapters/NAME.ipynb or NAME")
    parser.add_argument("--all", action="store_true", help="also what is fresh or has passed before")
    options = parser.parse_args(arguments)
    commands = {"test": lambda: 1 if test(options.names, options.all)[1] else 0,
                "outputs": lambda: outputs(options.names, options.all), "tidy": tidy}
    return guarded(commands[options.command])


if __name__ == "__main__":
    sys.exit(main())
