"""Executing notebooks, one at a time (two at once would disturb each other's timings), with progress."""
import datetime
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbclient
import nbformat

import notebooks

ROOT = notebooks.ROOT
BUILD = ROOT / "_build"
CELL_SECONDS = 900  # as for nbval in pyproject.toml

logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # after a Ctrl-C, nbclient's tasks complain of closed sockets
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, not one in the home folder


class Failed(Exception):
    """A notebook that cannot be executed, with the reason in words."""


def chosen(names):
    """The listed notebooks, or those of the names (a path or a bare name), in the order of the pages."""
    paths = notebooks.listed()
    wanted = {Path(name).stem for name in names}
    for name in sorted(wanted - {path.stem for path in paths}):
        if not (ROOT / "chapters" / f"{name}.ipynb").exists():
            sys.exit(f"error: there is no notebook chapters/{name}.ipynb")
    return [path for path in paths if not names or path.stem in wanted]


def each(paths, work):
    """Do the work for each path with a line of progress; returns [(path, reason)] of those that failed."""
    failed = []
    for number, path in enumerate(paths, 1):
        print(f"[{number}/{len(paths)}] {path.stem} … ", end="", flush=True)
        begun = time.monotonic()
        try:
            work(path)
            print(f"ok, {time.monotonic() - begun:.0f} s", flush=True)
        except Failed as reason:
            print(f"FAILED, {time.monotonic() - begun:.0f} s\n{indent(str(reason))}", flush=True)
            failed.append((path, str(reason)))
    if failed:
        print(f"{len(failed)} of {len(paths)} failed: {', '.join(path.stem for path, _ in failed)}", flush=True)
    return failed


def indent(text):
    return "\n".join("    " + line for line in text.strip("\n").split("\n"))


# --- make book: nbval executes each notebook and compares

def test(names, marks=None):
    """Execute with nbval; a mark FOLDER/NAME.ok for each that passes. Returns an exit status."""
    logs = BUILD / "tested"
    logs.mkdir(parents=True, exist_ok=True)

    def work(path):
        begun, log = time.time(), logs / f"{path.stem}.log"
        (logs / f"{path.stem}.ok").unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "--nbval", "-q", "--color=no", "--tb=short", "-rN"]
        with open(log, "w", encoding="utf-8") as out:
            status = subprocess.call([*command, str(path.relative_to(ROOT))], cwd=ROOT, stdout=out,
                                     stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if status:
            place = (f"The whole log is in {log.relative_to(ROOT)}. If the new output is the right one: "
                     f"make outputs NAMES={path.stem}")
            raise Failed(failures(log.read_text(encoding="utf-8", errors="replace")) + "\n" + place)
        if marks:
            marks.mkdir(parents=True, exist_ok=True)
            mark = marks / f"{path.stem}.ok"
            mark.touch()
            os.utime(mark, (begun, begun))  # an edit made while the notebook ran counts as newer

    return 1 if each(chosen(names), work) else 0


def failures(log):
    """The readable part of a pytest log: what differed, or its last lines."""
    found = re.search(r"=+ (?:FAILURES|ERRORS) =+\n(.*?)(?=\n=+ |\Z)", log, re.S)
    return found.group(1) if found else "\n".join(log.strip().split("\n")[-15:])


# --- make outputs

def run(path):
    """The notebook of a path, freshly executed in its folder. Raises Failed."""
    notebook = notebooks.read(path)
    client = nbclient.NotebookClient(
        notebook, timeout=CELL_SECONDS, kernel_name="python3", record_timing=False, store_widget_state=False,
        coalesce_streams=True, extra_arguments=["--log-level=50"],  # no advice of ipykernel between our lines
        resources={"metadata": {"path": str(path.parent)}})
    try:
        client.execute()
    except Exception as error:
        if hasattr(client, "_async_cleanup_kernel_future"):  # nbclient took the Ctrl-C and ended the kernel
            raise KeyboardInterrupt from None
        what = "" if isinstance(error, nbclient.exceptions.CellExecutionError) else f"{type(error).__name__}: "
        raise Failed(what + re.sub(r"\x1b\[[\d;]*m", "", str(error))) from None
    return notebook


def outputs(names, everything):
    """Tidy each notebook; execute those that are stale or asked for, write outputs and stamps."""
    paths, due = chosen(names), []
    for path in paths:
        notebook = notebooks.read(path)
        notebooks.write_setup(notebook)
        notebooks.write_drawings(notebook)
        replace(path, notebooks.canonical(notebooks.tidy(notebook)))
        reason = notebooks.stale(notebook)
        if reason or everything or names:
            due.append(path)
            print(f"{path.stem}: {reason or 'fresh, but asked for'}")
    if not due:
        print(f"The outputs of all {len(paths)} notebooks are fresh.")

    def work(path):
        notebook = notebooks.tidy(run(path))
        if problems := notebooks.output_problems(notebook):
            raise Failed("\n".join([*problems, "The file keeps its old outputs."]))
        notebook.metadata["d2l"] = nbformat.from_dict(notebooks.stamp(notebook))
        replace(path, notebooks.canonical(notebook))

    return 1 if each(due, work) else 0


def replace(path, text):
    """Write a file in one step, and only if its text changes, so that make sees no change where there is none."""
    if path.read_text(encoding="utf-8") != text:
        new = path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)


# --- make bench

def bench():
    """Execute every notebook for its goals, then measure `compare`. A missed goal is shown, not an error."""
    import d2l_helpers
    BUILD.mkdir(exist_ok=True)
    goals = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["D2L_GOALS"] = collected = os.path.join(folder, "goals.jsonl")

        def work(path):
            Path(collected).write_text("")
            try:
                run(path)
            finally:
                goals.extend({"notebook": path.stem, **json.loads(line)}
                             for line in Path(collected).read_text(encoding="utf-8").splitlines())

        failed = [{"name": path.stem, "reason": why} for path, why in each(chosen([]), work)]
        script, figures = ROOT / "tools" / "bench_compare.py", Path(folder, "compare.json")
        print("\nIs `compare` as good as it says? (tools/bench_compare.py)", flush=True)
        if subprocess.call([sys.executable, str(script), "--json", str(figures)], cwd=ROOT) or not figures.exists():
            failed.append({"name": script.name, "reason": "it ended with an error"})
        compared = json.loads(figures.read_text(encoding="utf-8")) if figures.exists() else None

    record = {"date": datetime.date.today().isoformat(), "machine": dict(d2l_helpers.machine()),
              "commit": commit(), "goals": goals, "compare": compared, "could_not_run": failed}
    (BUILD / "bench.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print("\n" + table(goals))
    missed = [goal for goal in goals if not goal["met"]]
    if missed:
        print(f"\n*** {len(missed)} of {len(goals)} goals NOT met on this machine: shown, not hidden ***")
    print("\nWritten to _build/bench.json")
    for entry in failed:
        print(f"error: {entry['name']} could not be run")
    return 1 if failed else 0


def table(goals):
    """The goals as aligned text."""
    rows = [("goal", "measured", "95 % interval", "wanted", "")]
    for goal in goals:
        interval = "" if goal["low"] is None else f"{goal['low']:.3g} to {goal['high']:.3g}"
        least = goal["at_least"] is not None
        rows.append((goal["name"], f"{goal['value']:.3g}", interval,
                     f"≥ {goal['at_least']:g}" if least else f"≤ {goal['at_most']:g}",
                     "met" if goal["met"] else "NOT met"))
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def commit():
    """The commit of the checkout, with a + if files differ from it; None outside git."""
    try:
        text = subprocess.run(["git", "describe", "--always", "--dirty=+", "--abbrev=12"], cwd=ROOT,
                              capture_output=True, text=True).stdout.strip()
    except OSError:
        return None
    return text or None
