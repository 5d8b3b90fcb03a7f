"""What safety costs: a class graded by `make grade`, beside the same notebooks executed bare, two at a time.

Both are timed in one run, in turns of a few notebooks, so that a slow minute of the machine is slow for both.
"""
import concurrent.futures
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grading import notebook, run, sandbox

import d2l_helpers as d2l

TURN = 10
BARE = ("import sys, nbclient, nbformat; nb = nbformat.read(sys.argv[1], 4); "
        "nbclient.NotebookClient(nb, timeout=600, kernel_name='python3').execute()")


def handed_in(source, folder, count):
    """The source as so many students: solutions, and the tests as they were handed out."""
    cells = json.loads(source.read_text(encoding="utf-8"))
    for cell in cells["cells"]:
        cell["source"] = notebook.visible(notebook.text_of(cell))
    paths = [folder / f"student{number}.ipynb" for number in range(count)]
    for number, path in enumerate(paths):
        cells["metadata"]["student"] = number
        path.write_text(json.dumps(cells), encoding="utf-8")
    return paths


def bare(path):
    subprocess.run([sys.executable, "-c", BARE, str(path)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def timed(work, paths):
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(run.AT_ONCE) as pool:
        results = list(pool.map(work, paths))
    return time.monotonic() - begun, results


def impossible(assignment="compilers-exercises"):
    """One line where there is no sandbox here."""
    if not (sandbox.ROOT / "chapters" / f"{assignment}.ipynb").exists():
        return f"there is no {assignment}"
    return sandbox.missing()


def main(count=200, assignment="compilers-exercises"):
    """The seconds of both and their ratio; a line, and a goal."""
    source = sandbox.ROOT / "chapters" / f"{assignment}.ipynb"
    total = {"graded": 0.0, "bare": 0.0}
    with tempfile.TemporaryDirectory() as folder, run.Judges(run.Terms(source, 1)) as judges:
        paths = handed_in(source, Path(folder), count)
        most = sum(cell.points for cell in notebook.read_source(source) if cell.kind == "tests")
        ways = {"graded": lambda path: judges.grade(run.Submission(path.stem, path)), "bare": bare}
        for way in ways.values():
            way(paths[0])  # what is read for the first time is read for neither
        ratios = []
        for start in range(0, count, TURN):
            turn = paths[start:start + TURN]
            seconds = {}
            for way in (list(ways) if start // TURN % 2 else list(ways)[::-1]):
                seconds[way], results = timed(ways[way], turn)
                total[way] += seconds[way]
                if way == "graded":  # every one of them must have been graded in full
                    for result in results:
                        assert sum(one["points"] for one in result["exercises"]) == most, result
            ratios.append(seconds["graded"] / seconds["bare"])
    ratio = total["graded"] / total["bare"]
    print(f"{count} submissions of {assignment}: graded in {ratio:.2f}× the time of executing them bare "
          f"({min(ratios):.2f} to {max(ratios):.2f} in turns of {TURN})")
    d2l.goal("graded in the sandbox, over executed bare", ratio, at_most=1.3)
    return {"submissions": count, "graded s": total["graded"], "bare s": total["bare"], "ratio": ratio}


if __name__ == "__main__":
    print(json.dumps(main(*(int(word) for word in sys.argv[1:2]))))
