"""`make students`: the student edition of chapters/*-exercises.ipynb, in _build/students.

    students.py [NAME…]     writes _build/students/NAME.ipynb; refuses where anything but a solution would differ

nbgrader's preprocessors take out solutions, model answers, rubrics and hidden tests; what is left is compared with the
source by other code. The site shows the same edition (tools/website.py calls `staged`). Grading needs nbgrader or
`make grade`; answering needs neither.
"""
import argparse
import ast
import copy
import json
import logging
import re
import sys
import textwrap

import nbformat
import pages

OUT = pages.ROOT / "_build" / "students"
STUB = ["# YOUR CODE HERE", "raise NotImplementedError()"]
TEXT = "YOUR ANSWER HERE"
MARKS = re.compile(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS)|\*\*(Model answer|Rubric)\b")

# "Run all" goes on past what is not answered yet. Not under a grader: nbgrader sets the variable, and besides it gives
# no points where something is on stderr.
GO_ON = '''\
# "Run all" goes on past an exercise that is not answered yet. A grader does without this cell.
import ast, os
from IPython import get_ipython


class GoOn(ast.NodeTransformer):
    def visit_Module(self, cell):
        if any(isinstance(node, (ast.Assert, ast.Raise)) for node in ast.walk(cell)):
            line = "import sys; print('Not answered yet.', file=sys.stderr)"
            guard = ast.parse(f"try: pass\\nexcept NotImplementedError: {line}")
            guard.body[0].body, cell.body = cell.body, guard.body
        return cell


if get_ipython() and "NBGRADER_EXECUTION" not in os.environ:
    shell = get_ipython()
    shell.ast_transformers = [t for t in shell.ast_transformers if type(t).__name__ != "GoOn"] + [GoOn()]'''


class Leak(Exception):
    """A student edition that differs from its source in another way than it should, with the places in words."""


def kind(cell, what):
    return bool(cell.metadata.get("nbgrader", {}).get(what))


# --- outputs: one that comes from a solution would give it away

def names(source, stored):
    """The names that a cell binds (stored) or reads."""
    plain = "\n".join("pass" if re.match(r"\s*[%!]", line) else line for line in source.split("\n"))
    found = set()
    for node in ast.walk(ast.parse(plain)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) == stored:
            found.add(node.id)
        elif stored and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif stored and isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            inner = node  # x.a[0] = …: x has changed
            while isinstance(inner, ast.Attribute | ast.Subscript):
                inner = inner.value
            found |= {inner.id} if isinstance(inner, ast.Name) else set()
    return found


def clear_outputs(notebook):
    """Take out each output of a graded cell, a solution, and what uses a name that came from one, however far."""
    tainted = set()
    for cell in pages.code_cells(notebook):
        try:
            uses, makes = names(cell.source, stored=False), names(cell.source, stored=True)
        except SyntaxError:  # a script, another language
            uses = makes = set(re.findall(r"\w+", cell.source))
        if kind(cell, "solution") or kind(cell, "grade") or uses & tainted:
            tainted |= makes
            cell.outputs, cell.execution_count = [], None


# --- the edition

def preprocessed(notebook, what):
    """The notebook after nbgrader's preprocessors of these names. They log what they refuse; the error says it too."""
    import nbgrader.preprocessors
    for name in what:
        step = getattr(nbgrader.preprocessors, name)()
        step.log = logging.getLogger("quiet")
        step.log.setLevel(logging.CRITICAL)
        notebook, _ = step.preprocess(notebook, {})
    return notebook


def edition(source):
    """The student edition of an exercise page. Raises Leak, or ValueError for cells that nbgrader does not accept."""
    notebook = copy.deepcopy(source)
    clear_outputs(notebook)
    try:
        notebook = preprocessed(notebook, ["DeduplicateIds", "CheckCellMetadata", "ClearSolutions", "LockCells"])
        for cell in notebook.cells:
            if kind(cell, "solution"):  # what a description or a picture would tell
                cell.metadata.pop("mystnb", None)
                cell.pop("attachments", None)
        notebook = preprocessed(notebook, ["ClearHiddenTests", "ComputeChecksums", "CheckCellMetadata"])
    except Exception as error:  # nbgrader raises RuntimeError, ValidationError, KeyError and its own
        raise ValueError(f"nbgrader does not accept it: {' '.join(str(error).split())}") from None
    for cell in notebook.cells:
        if cell.cell_type == "code" and kind(cell, "grade"):  # a wrong answer does not stop Jupyter's "run all"
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "raises-exception"]
    setup = next((i for i, cell in enumerate(notebook.cells, 1) if pages.is_setup(cell)), 1)
    notebook.cells.insert(setup, nbformat.v4.new_code_cell(GO_ON, id="go-on", metadata={"tags": ["hide-cell"]}))
    stamp = notebook.metadata.get("d2l", {})
    notebook.metadata["d2l"] = {key: stamp[key] for key in ("date", "machine", "quiet", "versions") if key in stamp}
    if complaints := differences(source, notebook):
        raise Leak("; ".join(complaints))
    return notebook


def expected(cell):
    """What must be left of a cell's text: by patterns, where the edition is made by nbgrader."""
    stub = STUB if cell.cell_type == "code" else [TEXT]
    if kind(cell, "solution") and "BEGIN SOLUTION" not in cell.source:
        return "\n".join(stub)
    text = re.sub(r"(?ms)^([ \t]*)[^\n]*BEGIN SOLUTION.*?END SOLUTION[^\n]*$",
                  lambda found: textwrap.indent("\n".join(stub), found[1]), cell.source)
    return re.sub(r"(?ms)^[^\n]*BEGIN HIDDEN TESTS.*?END HIDDEN TESTS[^\n]*(\n|\Z)", "", text)


def differences(source, student):
    """In which ways a student edition is not its source with parts removed. An empty list is a pass."""
    wrong, mine = [], [cell for cell in student.cells if cell.source != GO_ON]
    if [cell.id for cell in mine] != [cell.id for cell in source.cells]:
        return ["cells are missing, new or in another order"]
    if len(mine) + 1 != len(student.cells):
        wrong.append("the cell that lets \"run all\" go on must stand there once")
    for number, (before, after) in enumerate(zip(source.cells, mine, strict=True), 1):
        if after.cell_type != before.cell_type or after.source.rstrip("\n") != expected(before).rstrip("\n"):
            wrong.append(f"cell {number}: more or less than the solution differs")
        if found := MARKS.search(after.source):
            wrong.append(f"cell {number}: `{found[0]}` is left")
        told = {"checksum", "cell_type"}
        grading = [{key: value for key, value in cell.metadata.get("nbgrader", {}).items() if key not in told}
                   for cell in (before, after)]
        if grading[0] != grading[1]:
            wrong.append(f"cell {number}: what nbgrader reads in its metadata differs")
        secret = kind(after, "solution") or kind(after, "grade")
        if after.get("outputs") and (secret or after.outputs != before.outputs):
            wrong.append(f"cell {number}: an output that its source has not, or that gives an answer away")
        if kind(after, "solution") and after.get("attachments"):
            wrong.append(f"cell {number}: a picture of the solution")
    return wrong


# --- what the site shows

def staged(files, which="student"):
    """The files of a book, {path: bytes}, as this edition shows them. ValueError names the page that cannot be."""
    import course_tables
    notebooks = {name: nbformat.reads(content.decode("utf-8"), as_version=4) for name, content in files.items()
                 if re.fullmatch(r"chapters/[\w-]+\.ipynb", name)}
    files = course_tables.filled(files, notebooks, which)
    if which == "student":
        for name, notebook in notebooks.items():
            if pages.is_exercises(notebook):
                try:
                    files[name] = pages.canonical(edition(notebook)).encode()
                except (ValueError, Leak) as problem:
                    raise ValueError(f"{name}: {problem}") from None
    return files


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="chapters/NAME.ipynb or NAME; default: all exercises")
    options = parser.parse_args(arguments)
    try:
        chosen = pages.chosen(options.names)
        chosen = [path for path in chosen if pages.is_exercises(pages.read(path))]
        if not chosen:
            raise ValueError("no page of exercises (chapters/TOPIC-exercises.ipynb) among "
                             + (", ".join(options.names) or "the chapters"))
        made = {}
        for path in chosen:  # all or none: nobody hands out half of a new edition
            try:
                made[path.name] = pages.canonical(edition(pages.read(path)))
            except (ValueError, Leak) as problem:
                raise ValueError(f"chapters/{path.name}: {problem}") from None
    except (ValueError, json.JSONDecodeError) as problem:
        return f"error: {problem}"
    OUT.mkdir(parents=True, exist_ok=True)
    if not options.names:
        for old in OUT.glob("*.ipynb"):  # of a page that was renamed
            old.unlink()
    for name, text in made.items():
        (OUT / name).write_text(text, encoding="utf-8")
    print(f"The student edition of {len(made)} page{'s' * (len(made) != 1)} is in {OUT}")


if __name__ == "__main__":
    sys.exit(main())
