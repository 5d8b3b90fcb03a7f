"""Which cell of a submission answers which exercise, whatever a platform or an editor did to the file.

A cell is found by its grade_id; where an editor dropped that (Colab and some others do), by its cell id; else by the
function that it defines; else, in a notebook with as many cells as the source, by its place. Given cells and tests
are always the source's own, never the student's copy.
"""
import ast
import dataclasses
import json
import os
import re
import stat

LARGEST = 50 << 20  # bytes of a file; a notebook that was handed out has some ten thousand
STUB = re.compile(r"^\s*raise NotImplementedError(\(\))?\s*$|^\s*#\s*YOUR CODE HERE\s*$", re.MULTILINE)
BLANK = {"", "YOUR ANSWER HERE"}


class Unreadable(Exception):
    """Nothing of this file can be graded; one line says why."""


@dataclasses.dataclass
class Cell:
    kind: str            # given, solution, tests, thought; of a submission also extra: a cell that the student added
    id: str
    source: str
    title: str = ""      # of the exercise
    points: float = 0
    functions: tuple = ()  # of a solution: what it defines
    values: tuple = ()
    cell_id: str = ""
    place: int = 0       # among the notebook's cells
    found: bool = True   # of a submission: the student's notebook has this cell


@dataclasses.dataclass
class Submission:
    cells: list
    notes: list


def parsed(path):
    """The notebook as JSON, and notes. Raises Unreadable."""
    data, notes = read_bytes(path), []
    if not data.strip():
        raise Unreadable("the file is empty")
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            notes.append(f"the file is written in {encoding.upper()}, not in plain UTF-8: read all the same")
            break
    else:
        encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
        notes.append("the file is not written in UTF-8: letters with accents may be wrong")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        head = text.lstrip()[:200].lower()
        what = "a web page" if head.startswith(("<!doctype", "<html")) else "not a notebook (no JSON)"
        raise Unreadable(f"the file is {what}: hand in the .ipynb file itself") from None
    if isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):  # before 2015
        sheets = [sheet.get("cells") for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        notebook = {"cells": [cell for cells in sheets if isinstance(cells, list) for cell in cells]}
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable("the file is JSON but not a notebook (no cells): hand in the .ipynb file itself")
    if not notebook["cells"]:
        raise Unreadable("the notebook has no cells")
    return notebook, notes


def read_bytes(path):
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        raise Unreadable("the file is a symbolic link: not followed" if os.path.islink(path)
                         else f"the file cannot be read ({error.strerror})") from None
    try:
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode):
            raise Unreadable("not a plain file")
        if state.st_size > LARGEST:
            raise Unreadable(f"the file has {state.st_size / 1e6:.0f} MB, more than the {LARGEST >> 20} that are read: "
                             "clear the outputs and hand it in again")
        with os.fdopen(os.dup(file), "rb") as opened:
            return opened.read(LARGEST + 1)
    finally:
        os.close(file)


def text_of(cell):
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def nbgrader(cell):
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return marks if isinstance(marks, dict) else {}


def defined(source):
    """Names of the functions and of the variables that a cell defines; none where it is no Python."""
    functions, values = [], []
    try:
        body = ast.parse(without_magic(source)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), ()
    for line in body:
        if isinstance(line, (ast.FunctionDef, ast.ClassDef)):
            functions.append(line.name)
        elif isinstance(line, (ast.Assign, ast.AnnAssign)):
            targets = line.targets if isinstance(line, ast.Assign) else [line.target]
            into = functions if isinstance(line.value, ast.Lambda) else values
            into += [target.id for target in targets if isinstance(target, ast.Name)]
    return tuple(functions), tuple(values)


def without_magic(source):
    """The cell without the lines that only IPython understands (%timeit, !pip), where it is no Python with them."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        if re.match(r"\s*%%", source):
            return ""
        return re.sub(r"^(\s*)[%!].*$", r"\1pass", source, flags=re.MULTILINE)
    except (RecursionError, MemoryError):
        pass
    return source


def read_source(path):
    """The cells of an exercise notebook that grading needs, in order."""
    notebook, _ = parsed(path)
    cells, title = [], ""
    for place, cell in enumerate(notebook["cells"]):
        source, marks, kind = text_of(cell), nbgrader(cell), cell.get("cell_type")
        if kind == "markdown" and (heading := re.match(r"##\s+(Exercise.*)", source)):
            title = heading[1].strip()
        if kind == "code":
            role = "tests" if marks.get("grade") and not marks.get("solution") else \
                "solution" if marks.get("solution") else "given"
        elif marks.get("grade") or marks.get("solution"):
            role = "thought"
        else:
            continue
        identity = marks.get("grade_id") or cell.get("id") or f"cell-{place}"
        functions, values = defined(source) if role == "solution" else ((), ())
        cells.append(Cell(role, identity, source, title, float(marks.get("points", 0)), functions, values,
                          cell.get("id", ""), place))
    if not any(cell.kind in ("tests", "thought") for cell in cells):
        raise Unreadable(f"{path} has no exercise to grade")
    return cells


def stub(source):
    """Is this cell as it was handed out?"""
    return bool(STUB.search(source))


def read_submission(path, source):
    """The cells to run for this student: the source's, with the student's solutions and added cells among them."""
    notebook, notes = parsed(path)
    theirs = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    if len(theirs) < len(notebook["cells"]):
        notes.append("some cells are damaged and were left out")
    found = matched(theirs, source, notes)
    used = {place for places in found.values() for place in places}
    wanted = [cell for cell in source if cell.kind in ("solution", "thought")]
    if not any(found.values()):
        other = {nbgrader(cell).get("grade_id", "") for cell in theirs} - {""}
        ours = {cell.id for cell in source}
        if other and not other & ours:
            raise Unreadable("this is the notebook of another assignment")
        raise Unreadable("no cell of this assignment was found in the notebook")
    if lost := [cell for cell in wanted if not found[cell.id]]:
        notes.append(f"{len(lost)} of {len(wanted)} answers are not in the notebook (deleted, or renamed): "
                     + ", ".join(dict.fromkeys(cell.title or cell.id for cell in lost)))
    order = [found[cell.id][-1] for cell in wanted if found[cell.id]]
    if order != sorted(order):
        notes.append("the cells are not in their order: run in the order of the source")
    cells, extra = [], added(theirs, used, source)
    ends = places_of_tests(theirs, source, found)
    for cell in source:
        places = found.get(cell.id, [])
        until = places[-1] if places else ends.get(cell.id, -1)
        while extra and extra[0][0] < until:
            cells.append(extra.pop(0)[1])
        if cell.kind in ("solution", "thought"):
            text = text_of(theirs[places[-1]]) if places else ""
            cell = dataclasses.replace(cell, source=without_magic(text) if cell.kind == "solution" else text,
                                       found=bool(places))
        cells.append(cell)
    return Submission(cells + [cell for _, cell in extra], notes)


def places_of_tests(theirs, source, found):
    """{id of a tests cell: its place in the student's notebook}; where it is lost, that of the next answer."""
    ends, following = {}, len(theirs)
    for cell in reversed(source):
        if cell.kind == "tests":
            seen = visible(cell.source)
            mine = [n for n, other in enumerate(theirs) if nbgrader(other).get("grade_id") == cell.id
                    or cell.cell_id and other.get("id") == cell.cell_id or text_of(other).strip() == seen]
            ends[cell.id] = mine[0] if mine else following
        elif found.get(cell.id):
            following = found[cell.id][-1]
    return ends


def visible(source):
    """A cell of tests as it was handed out."""
    return re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", source, flags=re.DOTALL).strip()


def matched(theirs, source, notes):
    """{id of a solution or thought cell: places of the student's cells that answer it, the one that counts last}."""
    found, free = {}, set(range(len(theirs)))
    wanted = [cell for cell in source if cell.kind in ("solution", "thought")]
    tests = {cell.id for cell in source if cell.kind in ("tests", "given")} | \
            {cell.cell_id for cell in source if cell.kind in ("tests", "given")} - {""}
    free -= {n for n, cell in enumerate(theirs) if nbgrader(cell).get("grade_id") in tests or cell.get("id") in tests}
    identities = [lambda cell: nbgrader(cell).get("grade_id"), lambda cell: cell.get("id")]
    keys = [lambda cell: cell.id, lambda cell: cell.cell_id]
    for cell in wanted:
        found[cell.id] = []
        for theirs_key, our_key in zip(identities, keys, strict=True):
            if our_key(cell) and not found[cell.id]:
                found[cell.id] = [n for n in sorted(free) if theirs_key(theirs[n]) == our_key(cell)]
        free -= set(found[cell.id])
    by_name = []
    for cell in wanted:
        if not found[cell.id] and cell.kind == "solution":
            names = {*cell.functions, *cell.values}
            found[cell.id] = [n for n in sorted(free) if theirs[n].get("cell_type") == "code"
                              and names & {name for group in defined(text_of(theirs[n])) for name in group}]
            free -= set(found[cell.id])
            by_name += found[cell.id]
    titles = {}
    for n, cell in enumerate(theirs):
        if cell.get("cell_type") == "markdown" and (heading := re.match(r"##\s+(Exercise.*)", text_of(cell))):
            titles[heading[1].strip()] = n
    for cell in wanted:  # what follows the exercise's heading, where nothing else is there
        if not found[cell.id] and (start := titles.get(cell.title)) is not None:
            kind = "markdown" if cell.kind == "thought" else "code"
            end = min([n for n in titles.values() if n > start], default=len(theirs))
            near = [n for n in range(start + 1, end) if n in free and theirs[n].get("cell_type") == kind
                    and not text_of(theirs[n]).startswith("## ")]
            if kind == "code":  # one that defines something else is no answer to this
                near = [n for n in near if not any(defined(text_of(theirs[n])))]
            found[cell.id] = near[:1]
            free -= set(near[:1])
            by_name += near[:1]
    if by_name:
        notes.append("cells have lost their marks (an editor dropped them): found by name and place")
    for cell in wanted:
        places = found[cell.id]
        if len(places) > 1:
            answered = [n for n in places if not stub(text_of(theirs[n])) and text_of(theirs[n]).strip() not in BLANK]
            last = (answered or places)[-1]
            found[cell.id] = [n for n in places if n != last] + [last]
            notes.append(f"{cell.title or cell.id} is in the notebook {len(places)} times: "
                         "the last one with an answer counts")
    return found


def added(theirs, used, source):
    """Code cells that the student added, with their places: what is left of the notebook."""
    known = {visible(cell.source) for cell in source}
    ours = {cell.id for cell in source} | {cell.cell_id for cell in source} - {""}
    cells = []
    for n, cell in enumerate(theirs):
        text = text_of(cell)
        if cell.get("cell_type") != "code" or n in used or not text.strip() or visible(text) in known:
            continue
        if nbgrader(cell).get("grade_id") in ours or cell.get("id") in ours:
            continue
        cells.append((n, Cell("extra", f"added-{n}", without_magic(text))))
    return cells
