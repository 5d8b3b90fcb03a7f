"""Every notebook against every rule. A failure names the file, the cell, the rule and what mends it."""
import ast
import collections
import functools
import os
import re

import pages
import preflight
import pytest
import rules

PATHS = pages.chosen(os.environ.get("D2L_NAMES", "").split())  # `make test NAMES=…` sets it
lesson = functools.cache(rules.Lesson)  # no rule changes it


def test_there_are_notebooks():
    assert PATHS, "chapters/ holds no notebook"


@pytest.mark.parametrize("path, rule", [
    pytest.param(path, rule, id=f"{path.stem}-{rule.__name__}")
    for path in PATHS for rule in rules.rules_for(path)])
def test_rule(path, rule):
    if rule in (rules.fresh, rules.quiet) and path.stem.endswith("-mxnet") and preflight.mxnet_note():
        pytest.skip("MXNet does not run here, so its pages cannot be made fresh here")
    complaints = rule(lesson(path))
    if complaints:
        cure = rules.rules_for(path)[rule]
        listed = "\n".join(f"  chapters/{path.name}: {complaint}" for complaint in complaints)
        pytest.fail(f"rule `{rule.__name__}`: {rule.__doc__}\n{listed}\n  To mend it: {cure}",
                    pytrace=False)


def written(name):
    """The files that a notebook writes with %%writefile, by name."""
    sources = (cell.source for cell in pages.code_cells(pages.read(pages.ROOT / "chapters" / f"{name}.ipynb")))
    return dict(source.removeprefix("%%writefile ").split("\n", 1) for source in sources
                if source.startswith("%%writefile "))


def test_the_script_to_take_home_is_one():
    """A page of its own compares runs of the program, and a notebook on Colab has no second file."""
    program, copied = written("multi-gpu-concise"), written("second-gpu")
    both = {"parts.py", "train.py", "run.py", "group.py", "score.py"}
    differ = [file for file in sorted(both) if program.get(file) != copied.get(file)]
    assert not differ, f"not the same in multi-gpu-concise and in second-gpu: {differ}"
    assert both <= program.keys()


def test_lines_that_a_page_shows_of_its_script_stand_in_it():
    """The files are folded; the prose shows a few of their lines again."""
    text = "\n".join(written("multi-gpu-concise").values())
    prose = [cell.source for cell in pages.read(pages.ROOT / "chapters/multi-gpu-concise.ipynb").cells
             if cell.cell_type == "markdown"]
    shown = [line for source in prose for block in re.findall(r"```python\n(.*?)```", source, re.S)
             for line in block.splitlines()]
    assert shown and [line for line in shown if line not in text] == []


def test_every_notebook_is_a_page():
    listed = {path.stem for path in pages.listed()}
    toc = (pages.ROOT / "_toc.yml").read_text(encoding="utf-8")
    missing = sorted(name for name in listed if f"chapters/{name}" not in toc)
    assert not missing, f"not in _toc.yml, so not on the site: {missing}"


def test_every_exercise_has_a_grade_id_of_its_own():
    """In the whole course: grades and feedback are kept under it."""
    found = collections.Counter(name for path in pages.listed() if pages.is_exercises(lesson(path).notebook)
                                for cell in lesson(path).notebook.cells
                                if (name := cell.metadata.get("nbgrader", {}).get("grade_id")))
    assert not [name for name, count in found.items() if count > 1]


FOLDERS = ["tools", "theme", "tests", "images"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_import_is_in_requirements(folder):
    """What a tool, a test, the theme or a drawing imports is Python's own, ours, or pinned."""
    files = sorted((pages.ROOT / folder).rglob("*.py"))
    ours = {"d2l_helpers", "grading", *(path.stem for place in FOLDERS for path in (pages.ROOT / place).rglob("*.py"))}
    wrong = [f"{path.relative_to(pages.ROOT)}: {name}" for path in files
             for name in rules.unlisted({module.split(".")[0] for module, _ in
                                         rules.imported(ast.parse(path.read_text(encoding="utf-8")))} - ours,
                                        pages.ROOT)]
    assert files and not wrong, f"not in requirements.txt: {wrong}"
