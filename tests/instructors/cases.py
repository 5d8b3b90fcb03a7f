"""What students hand in, by mistake or by design, and what becomes of it: the cases behind instructors/cases.md.

`python tests/instructors/cases.py` writes the page; test_cases.py hands in every one of them, in one class, and
holds each to its row.
"""
import dataclasses
import json
from pathlib import Path

import assignment

PAGE = Path(__file__).resolve().parents[2] / "instructors" / "cases.md"
ALL = {"small-waves": 4, "small-shares": 4, "small-ring": 6}


@dataclasses.dataclass
class Case:
    name: str
    happens: str              # for the page
    says: str = ""            # stands in a message or a note
    points: dict = dataclasses.field(default_factory=dict)  # of exercises that do not get full points
    make: object = None       # (path, outside) → writes the submission; else `answer`
    answer: str = ""          # the code of the first exercise's cell
    status: str = "failed"    # of the first exercise, where it does not get full points


def code(name, happens, answer, says="", points=0, status="failed"):
    return Case(name, happens, says, {} if points == 4 else {"small-waves": points}, None, answer, status)


def inside(body):
    """A function with this body, as the answer."""
    return "def waves(needs):\n" + "\n".join("    " + line for line in body.strip("\n").split("\n"))


RIGHT = assignment.RIGHT["small-waves"]
THEN_RIGHT = "\n" + RIGHT.replace("def waves", "def right") + "\n"
SEARCH = '"_wav" + "es" in text or "BEGIN HID" + "DEN" in text'

COSTLY = [
    code("endless loop in a function", "ended at the time limit of a call", inside("while True:\n    pass"),
         "`waves` was stopped: it took longer than", status="did not run"),
    code("endless loop in a cell", "ended at the time limit of a cell; the cell is left out from then on",
         RIGHT + "\nwhile True:\n    pass", "the cell was stopped: it took longer than", status="did not run"),
    code("sleeps for a day, deaf to signals", "ended at the time limit of a call",
         inside("import signal, time\nfor n in range(1, 30):\n    if n not in (9, 19):\n"
                "        signal.signal(n, signal.SIG_IGN)\ntime.sleep(86400)"),
         "it took longer than", status="did not run"),
    code("fork bomb", "200 processes at most, all ended with the worker",
         inside("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"),
         "was stopped", status="did not run"),
    code("memory bomb in one process", "`MemoryError` in the student's code",
         inside("hold = []\nwhile True:\n    hold.append(bytearray(b'x' * (1 << 24)))"), "MemoryError"),
    code("memory bomb in many processes", "ended when all together pass the limit",
         inside("import os, time\nfor _ in range(6):\n    if os.fork() == 0:\n        break\n"
                "hold = bytearray(b'x' * (150 << 20))\ntime.sleep(60)"),
         "of memory", status="did not run"),
    code("1 GB of output", "dropped; the answer counts", THEN_RIGHT + inside(
        "import os\nline = b'x' * (1 << 20)\nfor _ in range(64):\n    os.write(1, line * 16)\nreturn right(needs)"),
         points=4),
    code("1 GB as an answer", "refused by the worker, or out of memory", inside("return 'x' * (1 << 30)")),
    code("fills the disk", "its own scratch folder is full, nobody else's", THEN_RIGHT + inside(
        "try:\n    for n in range(10000):\n        with open(f'/tmp/{n}', 'wb') as file:\n"
        "            file.write(bytes(1 << 22))\nexcept OSError:\n    pass\nreturn right(needs)"), points=4),
]
ENDING = [
    code("os._exit", "the worker is gone; the next exercise starts a new one", inside("import os\nos._exit(0)"),
         "ended itself", status="did not run"),
    code("os._exit in a cell", "the cell is left out from then on", RIGHT + "\nimport os\nos._exit(0)",
         "the cell was stopped: its process ended itself", status="did not run"),
    code("sys.exit in a cell", "an exception like others; what stands above it counts",
         RIGHT + "\nimport sys\nsys.exit()", points=4),
    code("a fault of memory", "the worker is gone; the signal is named",
         inside("import ctypes\nctypes.string_at(0)"), "SIGSEGV", status="did not run"),
    code("kills its parent and all it can", "its parent is the sandbox, which it cannot kill; nothing else is there",
         THEN_RIGHT + inside("import os\nfor who in (os.getppid(), -1):\n    try:\n        os.kill(who, 9)\n"
                             "    except OSError:\n        pass\nreturn right(needs)"), points=4),
    code("closes the pipe", "the worker is ended", inside("import os\nos.closerange(3, 256)\nreturn []"),
         "was stopped", status="did not run"),
    code("deletes all files", "what is there cannot be written", THEN_RIGHT + inside(
        "import shutil\nfor folder in ('OUTSIDE', '/course', '/etc', '/home', '/tmp'):\n"
        "    shutil.rmtree(folder, ignore_errors=True)\nreturn right(needs)"), points=4),
    code("raises StopIteration", "an error; it ends no loop of the tests", inside(
        "if len(needs) == 1:\n    raise StopIteration\n") + "\n    return right(needs)" + THEN_RIGHT, "StopIteration"),
    code("raises SystemExit", "an error like others", inside("raise SystemExit(0)"), "SystemExit"),
    code("an exception whose text raises", "an error like others",
         "class Odd(Exception):\n    def __str__(self):\n        raise Odd\n" + inside("raise Odd"), "Odd"),
    code("endless recursion", "an error like others", inside("return waves(needs)"), "RecursionError"),
]
LOOKING = [
    code("looks for the tests in frames", "finds none: they are in another process", inside(
        "import sys\nframe, found = sys._getframe(), []\nwhile frame:\n    text = repr(frame.f_globals) + "
        "repr(frame.f_locals)\n    found += [text] * ('_got' in text.replace(repr(waves), '') and "
        f"({SEARCH}))\n    frame = frame.f_back\nreturn right(needs) if found else []") + THEN_RIGHT),
    code("looks for the tests in memory", "finds none", inside(
        "import gc\nfor thing in gc.get_objects():\n    if isinstance(thing, (list, tuple, dict)):\n        try:\n"
        "            text = repr(thing)\n        except Exception:\n            continue\n"
        "        if '_ne' + 'eds' in text and 'GRADING' + '_SEED' in text:\n"
        "            return right(needs)\nreturn []") + THEN_RIGHT),
    code("looks for the tests in files", "finds none: neither notebook nor judge is in the sandbox", inside(
        "import os\nfor top in ('/course', '/home', '/root', '/work', '/tmp', '/srv', '/opt', 'OUTSIDE'):\n"
        "    for folder, inner, files in os.walk(top):\n"
        "        inner[:] = [name for name in inner if name != 'lib']\n"
        "        if any(name.endswith('.ipynb') or name == 'judge.py' for name in files):\n"
        "            return right(needs)\nreturn []") + THEN_RIGHT),
    code("looks at other processes", "sees only its own", inside(
        "import os\nothers = [n for n in os.listdir('/proc') if n.isdigit()]\n"
        "return right(needs) if len(others) > 8 else []") + THEN_RIGHT),
    code("looks for the seed", "it is not in the sandbox", inside(
        "import builtins, os, sys\nplaces = {**globals(), **os.environ, **vars(builtins)}\n"
        "return right(needs) if 'GRADING_SEED' in places or 'SEED' in ' '.join(sys.argv) else []") + THEN_RIGHT),
    code("connects to the host", "there is no network, and no socket of the host", inside(
        "import socket\nfor family, address in ((socket.AF_INET, ('127.0.0.1', PORT)), (socket.AF_UNIX, 'ABSTRACT'),\n"
        "                        (socket.AF_UNIX, 'OUTSIDE/socket')):\n    try:\n"
        "        socket.socket(family).connect(address)\n        return right(needs)\n    except OSError:\n"
        "        pass\nreturn []") + THEN_RIGHT),
    code("leaves a file outside", "cannot", inside(
        "try:\n    open('OUTSIDE/left', 'w')\n    return right(needs)\nexcept OSError:\n    return []") + THEN_RIGHT),
]
CHEATING = [
    code("patches assert and builtins", "patches its own process, where no test runs", inside("return []") + (
        "\nimport builtins\nbuiltins.AssertionError = type('Never', (Exception,), {})\n"
        "builtins.all = lambda *a: True\n")),
    code("patches showtraceback", "no IPython takes part", inside("return []") + (
        "\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.showtraceback = lambda *a, **k: None\n")),
    code("an object whose `==` is always true", "cannot be handed over", "class Yes:\n"
         "    def __eq__(self, other):\n        return True\n" + inside("return Yes()"), "cannot be handed over"),
    code("a list whose `==` is always true", "arrives as a plain list", "class Yes(list):\n"
         "    def __eq__(self, other):\n        return True\n" + inside("return Yes()")),
    code("faked clocks", "the judge has its own", inside("return []") + (
        "\nimport time\ntime.time = time.perf_counter = time.monotonic = lambda: 0.0\n")),
    Case("faked counters", "the judge counts with its own copy of the given functions", "",
         {"small-ring": 0}, lambda path, outside: assignment.write(path, assignment.handed_in({"small-ring":
             "spread = lambda rounds, n: True\nlen = lambda x: 0\ndef ring(n):\n    return [[(0, 1)]]"}))),
    code("knows the visible cases by heart", "the hidden ones have other inputs", inside(
        "return [['a'], ['b']] if needs['b'] else [['a', 'b']]"), "KeyError"),
    code("deferred work: returns a generator", "cannot be handed over",
         inside("return (wave for wave in right(needs))") + THEN_RIGHT, "cannot be handed over"),
    code("prints a fake result", "dropped", inside("print('{\"score\": 4, \"status\": \"passed\"}')\nreturn []")),
    code("writes fake answers into the pipe", "they are answers, and wrong ones; the true one then ends the worker",
         inside("import os, wire\nfor n in range(3, 20):\n    for number in range(99):\n        try:\n"
                "            os.write(n, wire.pack([number, 'done', [['a'], ['b']]]))\n"
                "        except OSError:\n            pass\nreturn []"), "answered what was not asked",
         status="did not run"),
    code("writes rubbish into the pipe", "the worker is ended", inside(
        "import os\nfor n in range(3, 20):\n    try:\n        os.write(n, b'rubbish' * 1000)\n"
        "    except OSError:\n        pass\nreturn []"), "was stopped", status="did not run"),
    code("an answer nested 100,000 deep", "cannot be handed over", inside(
        "deep = []\nfor _ in range(100000):\n    deep = [deep]\nreturn deep"), "cannot be handed over"),
    code("threads that go on after the answer", "stopped between calls, ended with the worker; the answer counts",
         THEN_RIGHT + inside("import threading, time\nfor _ in range(2):\n"
                             "    threading.Thread(target=time.sleep, args=(9999,), daemon=False).start()\n"
                             "return right(needs)"), points=4),
    code("a child that goes on after the answer", "ended with the worker; the answer counts", THEN_RIGHT + inside(
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'while True: pass'])\nreturn right(needs)"),
         points=4),
]


def raw(data):
    return lambda path, outside: path.write_bytes(data if isinstance(data, bytes) else data())


def changed(change, answers=None):
    """A submission after change(notebook), which may return another one."""
    def make(path, outside):
        notebook = assignment.handed_in(answers)
        notebook = change(notebook) or notebook
        assignment.write(path, notebook)
    return make


def encoded(*encodings):
    def data():
        text = json.dumps(assignment.handed_in(), ensure_ascii=False).replace("Text.", "Größe.")
        return text.encode(encodings[0])
    return raw(data)


def without(*keys):
    def change(notebook):
        for cell in notebook["cells"]:
            if "metadata" in keys:
                cell["metadata"] = {}
            if "id" in keys:
                del cell["id"]
    return change


def doubled(notebook):
    n = assignment.place(notebook, "c-small-waves")
    copy = json.loads(json.dumps(notebook["cells"][n]))
    notebook["cells"][n]["source"] = inside("return []")
    notebook["cells"].insert(n + 1, copy)


def helper(notebook):
    n = assignment.place(notebook, "c-small-waves")
    notebook["cells"].insert(n, assignment.cell("code", THEN_RIGHT, "mine"))
    notebook["cells"][n + 1]["source"] = inside("return right(needs)")


def old(notebook):
    cells = [{**cell, "input": cell["source"]} if cell["cell_type"] == "code" else cell for cell in notebook["cells"]]
    for cell in cells:
        if "input" in cell:
            del cell["source"]
    return {"worksheets": [{"cells": cells}], "nbformat": 3, "nbformat_minor": 0, "metadata": {}}


def own_tests(notebook):
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade"):
            cell["source"] = "assert True"
    notebook["cells"][assignment.place(notebook, "c-small-waves")]["source"] = inside("return []")


def another(notebook):
    marks = assignment.marks("other-task", solution=True)
    return {**notebook, "cells": [assignment.cell("code", "def task():\n    return 1", "other", marks)]}


NONE = {"small-waves": 0, "small-shares": 0, "small-ring": 0}


def link(path, outside):
    target = assignment.write(outside / "somebody-elses.ipynb", assignment.handed_in())
    path.symlink_to(target)


NOTEBOOKS = [
    Case("not JSON", "one line; no points", "not a notebook (no JSON)", NONE, raw(b"%PDF-1.4 not a notebook")),
    Case("a saved web page", "one line; no points", "a web page", NONE, raw(b"<!DOCTYPE html><html></html>")),
    Case("JSON, but no notebook", "one line; no points", "JSON but not a notebook", NONE, raw(b'{"a": 1}')),
    Case("JSON nested 100,000 deep", "one line; no points", "no JSON", NONE, raw(b"[" * 100000)),
    Case("empty file", "one line; no points", "the file is empty", NONE, raw(b"")),
    Case("notebook without cells", "one line; no points", "has no cells", NONE,
         changed(lambda notebook: {**notebook, "cells": []})),
    Case("100 MB", "one line; no points", "105 MB, more than the 50 that are read", NONE,
         raw(lambda: b" " * (100 << 20))),
    Case("30 MB of outputs", "read; full points", "", {}, changed(lambda notebook: notebook["cells"][1].update(
        outputs=[{"output_type": "stream", "name": "stdout", "text": ["x" * 1000] * 30000}]))),
    Case("a cell lost", "the others count", "1 of 4 answers are not in the notebook", {"small-waves": 0},
         changed(lambda notebook: notebook["cells"].pop(assignment.place(notebook, "c-small-waves")) and None),
         status="not answered"),
    Case("cells of tests deleted", "the source's tests are used", "", {}, changed(lambda notebook: {
        **notebook, "cells": [cell for cell in notebook["cells"]
                              if not cell["metadata"].get("nbgrader", {}).get("grade_id", "").endswith("-tests")]})),
    Case("cells of tests changed", "the source's tests are used", "", {"small-waves": 0}, changed(own_tests)),
    Case("cells reordered", "run in the order of the source", "not in their order", {},
         changed(lambda notebook: {**notebook, "cells": notebook["cells"][::-1]})),
    Case("a cell copied", "the last one with an answer counts", "is in the notebook 2 times", {}, changed(doubled)),
    Case("marks of cells dropped", "found by cell id", "", {}, changed(without("metadata"))),
    Case("marks and ids of cells dropped", "found by the function's name, and by the heading above", "lost their marks",
         {}, changed(without("metadata", "id"))),
    Case("a cell added", "run as well", "", {}, changed(helper)),
    Case("an added cell that never ends", "left out after the time limit", "", {}, changed(
        lambda notebook: notebook["cells"].insert(3, assignment.cell("code", "while True: pass", "mine")))),
    Case("magic commands", "left out", "", {}, changed(lambda notebook: None, {
        "small-waves": "%matplotlib inline\n!pip install something\n" + RIGHT})),
    Case("a syntax error in one cell", "the others count", "SyntaxError", {"small-waves": 0},
         changed(lambda notebook: None, {"small-waves": "def waves(needs:\n    return []"}), status="did not run"),
    Case("one answer left as handed out", "the others count", "as it was handed out", {"small-waves": 0},
         changed(lambda notebook: None, {"small-waves": assignment.stub("small-waves")}), status="not answered"),
    Case("from another assignment", "one line; no points", "notebook of another assignment", NONE,
         changed(another)),
    Case("UTF-16", "read all the same", "UTF-16", {}, encoded("utf-16")),
    Case("UTF-8 with a byte-order mark", "read all the same", "UTF-8-SIG", {}, encoded("utf-8-sig")),
    Case("Latin-1", "read; accents may be wrong", "not written in UTF-8", {}, encoded("latin-1")),
    Case("a format from before 2015", "read", "", {}, changed(old)),
    Case("a symbolic link", "not followed; no points", "symbolic link", NONE, link),
    Case("a folder in place of the file", "one line; no points", "not a plain file", NONE,
         lambda path, outside: path.mkdir()),
]
GROUPS = {"Costs too much": COSTLY, "Ends, kills, deletes": ENDING, "Looks for the answers": LOOKING,
          "Cheats the tests": CHEATING, "Files and notebooks": NOTEBOOKS}
CASES = [case for cases in GROUPS.values() for case in cases]


def points_of(case):
    return {**ALL, **case.points}


def page():
    lines = ["# What becomes of odd submissions", "",
             "Every row was handed in as one student of a class, with the other two exercises answered right, and "
             "graded by `make grade`. A test of the course does so again. In every case all others were graded, no "
             "process was left, and nothing outside of the sandbox was touched. Points are of 14: 4 for the exercise "
             "with the odd answer, 10 for the others.", "",
             "A row says what you and the student read: one clear line in the report, never a failed run."]
    for title, cases in GROUPS.items():
        lines += ["", f"## {title}", "", "| case | what happens | points |", "|---|---|---|"]
        lines += [f"| {case.name} | {case.happens} | {sum(points_of(case).values())} |" for case in cases]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
