"""`make bench`: executes every page for its goals, measures `compare` itself, and writes _build/bench.json.

A missed goal is shown, not an error; a page that could not be executed is one.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bench_compare
import bench_grade
import pages
import quiet
import run

import d2l_helpers


def collected(work, place, page):
    """The goals that `work` on a page measures: d2l.goal writes a line of JSON for each into the file of D2L_GOALS."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["D2L_GOALS"] = os.path.join(folder, "goals.jsonl")
        try:
            work()
        finally:
            file = Path(os.environ.pop("D2L_GOALS"))
            lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
            place.extend({"page": page, **json.loads(line)} for line in lines)


def goal_table(goals):
    rows = [("goal", "measured", "95 % interval", "wanted", "")]
    for goal in goals:
        exact = goal["low"] is None or goal["low"] == goal["high"]
        wanted = f"≤ {goal['at_most']:g}" if goal["at_least"] is None else f"≥ {goal['at_least']:g}"
        interval = "" if exact else f"{goal['low']:.3g} to {goal['high']:.3g}"
        rows.append((goal["name"], f"{goal['value']:.3g}", interval, wanted, goal["verdict"]))
    return run.table(rows)


def main(trials=200, repeats=30, submissions=200):
    goals, figures = [], {}
    with quiet.alone():
        state = quiet.look()
        print(f"disturbed, and measured all the same: {problem}" if (problem := quiet.verdict(state)) else "quiet")
        failed = run.each(run.runnable(pages.chosen()),
                          lambda path: collected(lambda: run.executed(path), goals, path.stem))
        print("\nIs `compare` as good as it says?", flush=True)
        collected(lambda: figures.update(bench_compare.main(trials, repeats)), goals, "compare")
        grading = {}
        if why := bench_grade.impossible():
            print(f"\n`make grade` is not measured: {why}", flush=True)
        else:
            print("\nWhat does a sandbox cost `make grade`?", flush=True)
            collected(lambda: grading.update(bench_grade.main(submissions)), goals, "grade")
    commit = subprocess.run("git describe --always --dirty=+", shell=True, cwd=run.ROOT, capture_output=True, text=True)
    record = {**d2l_helpers.machine(), "commit": commit.stdout.strip(), "quiet": state, "goals": goals,
              "compare": figures, "grade": grading, "could_not_run": {path.stem: why for path, why in failed}}
    run.BUILD.mkdir(exist_ok=True)
    (run.BUILD / "bench.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print("\n" + goal_table(goals))
    for wrong in ("NOT met", "undecided"):
        if missed := [goal for goal in goals if goal["verdict"] == wrong]:
            print(f"*** {len(missed)} of {len(goals)} goals {wrong} on this machine: shown, not hidden ***")
    print("\nWritten to _build/bench.json")
    return 1 if failed else 0


if __name__ == "__main__":
    # Without a parser, `--help` would start an hour of measuring.
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    sys.exit(run.guarded(main))
