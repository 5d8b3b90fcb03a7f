"""Every notebook against every rule. A failure names the file, the cell, the rule and what mends it."""
import ast
import functools
import os

import pages
import preflight
import pytest
import rules

PATHS = pages.chosen(os.environ.get("D2L_NAMES", "").split())  # `make test NAMES=…` sets it


def test_there_are_notebooks():
    assert PATHS, "chapters/ holds no notebook"


lesson = functools.cache(rules.Lesson)  # no rule changes it


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_rule(path, rule):
    if rule in (rules.fresh, rules.quiet) and path.stem.endswith("-mxnet") and preflight.mxnet_note():
        pytest.skip("MXNet does not run here, so its pages cannot be made fresh here")
    complaints = rule(lesson(path))
    if complaints:
        listed = "\n".join(f"  chapters/{path.name}: {complaint}" for complaint in complaints)
        pytest.fail(f"rule `{rule.__name__}`: {rule.__doc__}\n{listed}\n  To mend it: {rules.RULES[rule]}",
                    pytrace=False)


def test_every_notebook_is_a_page():
    listed = {path.stem for path in pages.listed()}
    toc = (pages.ROOT / "_toc.yml").read_text(encoding="utf-8")
    missing = sorted(name for name in listed if f"chapters/{name}" not in toc)
    assert not missing, f"not in _toc.yml, so not on the site: {missing}"


FOLDERS = ["tools", "theme", "tests", "images"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_import_is_in_requirements(folder):
    """What a tool, a test, the theme or a drawing imports is Python's own, ours, or pinned."""
    files = sorted((pages.ROOT / folder).rglob("*.py"))
    ours = {"d2l_helpers", *(path.stem for place in FOLDERS for path in (pages.ROOT / place).rglob("*.py"))}
    wrong = [f"{path.relative_to(pages.ROOT)}: {name}" for path in files
             for name in rules.unlisted({module.split(".")[0] for module, _ in
                                         rules.imported(ast.parse(path.read_text(encoding="utf-8")))} - ours,
                                        pages.ROOT)]
    assert files and not wrong, f"not in requirements.txt: {wrong}"
