"""Every notebook against every rule. A failure names the file, the cell, the rule and what mends it."""
import ast
import collections
import functools
import os

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
