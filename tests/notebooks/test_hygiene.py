"""Every notebook against every rule. A failure names the file, the cell, the rule and what mends it."""
import notebooks
import preflight
import pytest
import rules

PATHS = sorted((notebooks.ROOT / "chapters").glob("*.ipynb"))


def test_there_are_notebooks():
    assert PATHS, "chapters/ holds no notebook"


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_rule(path, rule):
    if rule is rules.fresh and path.stem.endswith("-mxnet") and preflight.mxnet_note():
        pytest.skip("MXNet does not run here, so its pages cannot be made fresh here")
    complaints = rule(rules.Lesson(path))
    if complaints:
        listed = "\n".join(f"  chapters/{path.name}: {complaint}" for complaint in complaints)
        pytest.fail(f"rule `{rule.__name__}`: {rule.__doc__}\n{listed}\n  To mend it: {rules.RULES[rule]}",
                    pytrace=False)


def test_every_notebook_is_a_page():
    listed = {path.stem for path in notebooks.listed(note="")}
    toc = (notebooks.ROOT / "_toc.yml").read_text(encoding="utf-8")
    missing = sorted(name for name in listed if f"chapters/{name}" not in toc)
    assert not missing, f"not in _toc.yml, so not on the site: {missing}"
