"""A small page of exercises and the lesson that it serves, for the tests of rules, editions and grading."""
import nbformat
import pages
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

QUIET = {"cores": 1.96, "spread": 0.01, "others": 0.004, "stolen": 0.0}

LESSON = """# Good

This lesson opens with a sentence, so that a page of exercises has something to serve.

## What you will be able to do

- Count the messages of a ring, and say why there are so many
- Say what a queue may not do

## Before you start

Nothing."""

START = """# Exercises: good things

Small versions of real work, each of which says at once whether it is right.

## Before you start

| you need | a computer |
|---|---|
| time | 25 minutes |
| points | 7 |"""

COUNT = """## Exercise 1: Count the messages

| points | minutes | difficulty | hardware | serves |
|---|---|---|---|---|
| 4 | 15 | easy | any computer | [Good](good.ipynb): count the messages of a ring |

Write `messages(ranks)`. (*Dive into Deep Learning*, 13.7, exercise 1.)"""

GIVEN = """def neighbour(rank, ranks):
    return (rank + 1) % ranks"""

SOLUTION = '''def messages(ranks: int) -> int:
    """How many messages a ring of `ranks` sends: messages(4) is 24."""
    ### BEGIN SOLUTION
    SOLUTION_MARKER = 2 * ranks
    return SOLUTION_MARKER * (ranks - 1)
    ### END SOLUTION'''

TESTS = '''found = messages(4)
assert int(found) == 24, f"a ring of 4 sends 24 messages, not {found}"
### BEGIN HIDDEN TESTS
import numpy as np
HIDDEN_MARKER = np.random.default_rng(globals().get("GRADING_SEED", 0)).integers(2, 99)
assert int(messages(int(HIDDEN_MARKER))) == 2 * HIDDEN_MARKER * (HIDDEN_MARKER - 1), "another number of ranks"
### END HIDDEN TESTS'''

THINK = """## Exercise 2: What a queue must not do

| points | minutes | difficulty | hardware | serves |
|---|---|---|---|---|
| 3 | 10 | hard | any computer | [Good](good.ipynb): say what a queue may not do |

Which order may it change? (From readers' notes.)"""

THOUGHT = """### BEGIN SOLUTION
**Model answer.** ANSWER_MARKER: none that a result depends on.

**Rubric.**
- 2 points: RUBRIC_MARKER, it names a dependency
- 1 point: an example
### END SOLUTION"""

END = """## Where next

- [Good](good.ipynb)"""

MARKERS = ["SOLUTION_MARKER", "HIDDEN_MARKER", "ANSWER_MARKER", "RUBRIC_MARKER", "OUTPUT_MARKER", "BEGIN SOLUTION",
           "HIDDEN TESTS", "Model answer"]


def graded(grade_id, kind, **more):
    flags = {"grade": kind in ("tests", "thought"), "solution": kind in ("solution", "thought"),
             "locked": kind in ("given", "tests"), "task": False}
    return {"nbgrader": {**flags, "schema_version": 3, "grade_id": grade_id, **more}}


def root(folder):
    """A course's folder for the page: what the rules look at besides it."""
    for name in ("chapters", "d2l_helpers", "images"):
        (folder / name).mkdir(parents=True)
    (folder / "d2l_helpers/one.py").write_text("ONE = 1\n")
    (folder / "_config.yml").write_text("repository:\n  url: https://example.org/me/course\n  branch: v1\n")
    (folder / "requirements.txt").write_text("numpy==1.26.4  # arrays\n")
    lesson = new_notebook(cells=[new_markdown_cell(LESSON, id="lesson")])
    (folder / "chapters/good.ipynb").write_text(pages.canonical(pages.tidy(lesson)), encoding="utf-8")
    return folder


def sheet(root):
    """The page as its author has it: solved, executed, with outputs that would give the answers away."""
    setup = new_code_cell(pages.setup_cell(root), id="setup", metadata={"tags": ["hide-cell", "setup"]})
    cells = [
        new_markdown_cell(START, id="start"), setup,
        new_markdown_cell(COUNT, id="count"),
        new_code_cell(GIVEN, id="given", metadata=graded("good-count-given", "given")),
        new_code_cell("print(neighbour(3, 4), 'is next')", id="shown",
                      outputs=[new_output("stream", name="stdout", text="0 is next\n")]),
        new_code_cell(SOLUTION, id="solution", metadata=graded("good-count", "solution")),
        new_code_cell("answer = messages(5)\nprint(answer)", id="uses",
                      outputs=[new_output("stream", name="stdout", text="OUTPUT_MARKER 40\n")]),
        new_code_cell("print(answer + 1)", id="uses-again",
                      outputs=[new_output("stream", name="stdout", text="OUTPUT_MARKER 41\n")]),
        new_code_cell(TESTS, id="tests", metadata=graded("good-count-tests", "tests", points=4),
                      outputs=[new_output("stream", name="stdout", text="OUTPUT_MARKER\n")]),
        new_markdown_cell(THINK, id="think"),
        new_markdown_cell(THOUGHT, id="thought", metadata=graded("good-queue", "thought", points=3)),
        new_markdown_cell(END, id="end"),
    ]
    notebook = pages.tidy(new_notebook(cells=cells))
    for number, cell in enumerate(pages.code_cells(notebook), 1):
        cell.execution_count = number
    return notebook


def save(notebook, root, name="good-exercises"):
    """Its path, after it got a stamp that is fresh."""
    notebook.metadata["d2l"] = nbformat.from_dict({
        **pages.made_from(notebook, root), "quiet": QUIET, "date": "2026-11-22", "versions": {"python": "3.11.2"},
        "machine": {"cpu": "a processor", "cores": 2, "memory GiB": 8}})
    path = root / "chapters" / f"{name}.ipynb"
    path.write_text(pages.canonical(notebook), encoding="utf-8")
    return path
