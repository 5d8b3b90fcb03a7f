"""The rules of pages of exercises: a good page passes them all, and each finds what breaks it."""
import pages
import pytest
import rules
import sheets

NAMED = {"start": 0, "count": 2, "given": 3, "solution": 5, "uses": 6, "tests": 8, "think": 9, "thought": 10, "end": 11}


@pytest.fixture
def root(tmp_path):
    return sheets.root(tmp_path)


@pytest.fixture
def good(root):
    return sheets.sheet(root)


def lesson(notebook, root, name="good-exercises"):
    return rules.Lesson(sheets.save(notebook, root, name), root)


FOUND = rules.rules_for("good-exercises.ipynb")


@pytest.mark.parametrize("rule", FOUND, ids=lambda rule: rule.__name__)
def test_a_good_page_passes(rule, good, root):
    assert rule(lesson(good, root)) == []


def text(cell, old, new):
    def change(notebook):
        assert old in notebook.cells[NAMED[cell]].source
        notebook.cells[NAMED[cell]].source = notebook.cells[NAMED[cell]].source.replace(old, new)
    return change


def meta(cell, **values):
    def change(notebook):
        grading = notebook.cells[NAMED[cell]].metadata.nbgrader
        grading.update(values)
        for key in [key for key, value in values.items() if value is None]:
            del grading[key]
    return change


def drop(cell):
    return lambda notebook: notebook.cells.pop(NAMED[cell])


BROKEN = {
    rules.exercise_skeleton: [
        text("start", "# Exercises: good", "# Good"),
        text("start", "Small versions of real work, each of which says at once whether it is right.", ""),
        text("start", "25 minutes", "short"), text("start", "| points | 7 |", ""), text("end", "(good.ipynb)", ""),
        text("think", "Exercise 2", "Exercise 3"), text("think", "## Exercise 2:", "## Problem 2:"), drop("start"),
        text("count", "## Exercise 1: Count", "Words first.\n\n## Exercise 1: Count"), drop("end"),
        lambda notebook: notebook.cells.insert(1, notebook.cells.pop(NAMED["given"]))],
    rules.exercise_table: [
        text("count", "| points | minutes", "| minutes | points"), text("count", "| 4 | 15 |", "| 4 | a while |"),
        text("count", "| 4 | 15 |", "| 0 | 15 |"), text("count", "easy", "simple"), text("count", "any computer", ""),
        text("count", "good.ipynb", "nowhere.ipynb"), text("count", "count the messages of a ring", "bake some bread"),
        text("count", "[Good](good.ipynb): count the messages of a ring", "everything"),
        text("count", "\n\n| points", "\n\nWords before it.\n\n| points")],
    rules.exercise_points: [
        text("count", "| 4 | 15 |", "| 5 | 15 |"), meta("tests", points=3), text("start", "| points | 7 |",
                                                                                "| points | 8 |")],
    rules.exercise_cells: [
        meta("given", grade_id="given"), meta("tests", grade_id="good-count"), meta("tests", schema_version=2),
        meta("tests", points=None), meta("solution", points=2), meta("solution", locked=True),
        meta("thought", solution=False), text("solution", "### END SOLUTION", ""),
        text("tests", "### BEGIN HIDDEN TESTS", ""), text("uses", "print", "### BEGIN SOLUTION\nprint"),
        text("given", "return", "### BEGIN HIDDEN TESTS\n    return"),
        text("tests", ', f"a ring of 4 sends 24 messages, not {found}"', ""), text("tests", "assert int(found)", "int"),
        text("tests", "found = messages(4)", "if True:"),
        lambda notebook: notebook.cells[NAMED["tests"]].update(source="assert messages(4) == 24, 'a ring'"),
        text("thought", "**Model", "### END SOLUTION\n### BEGIN SOLUTION\n**Model"),
        text("thought", "- 2 points", "- 1 points"),
        text("thought", "**Rubric.**", "Rubric"), drop("solution"), drop("tests"), drop("thought"),
        lambda notebook: notebook.cells[NAMED["thought"]].update(cell_type="code", outputs=[], execution_count=None)],
    rules.exercise_imports: [text("tests", "found = messages(4)", "import heapq\nfound = messages(4)")],
    rules.minutes: [text("start", "25 minutes", "20 minutes"), text("count", "| 4 | 15 |", "| 4 | 16 |")],
}


@pytest.mark.parametrize("rule, change", [(rule, change) for rule, changes in BROKEN.items() for change in changes],
                         ids=lambda value: value.__name__ if value in FOUND else "")
def test_each_rule_finds_what_breaks_it(rule, change, good, root):
    change(good)
    complaints = rule(lesson(good, root))
    assert complaints and all(len(complaint) > 15 for complaint in complaints)


def test_its_own_rules_are_all_tried():
    assert set(rules.OWN) <= set(BROKEN)


def test_a_name_that_is_no_topic_is_found(good, root):
    assert "TOPIC" in rules.exercise_skeleton(lesson(good, root, "baking-exercises"))[0]


def test_lessons_keep_their_rules():
    assert rules.rules_for("chapters/good.ipynb") is rules.RULES


def test_time_and_points_are_computed(good, root):
    for old, new in (("25 minutes", "1 minutes"), ("| points | 7 |", "| points | 0 |")):
        text("start", old, new)(good)
    pages.write_parts(good, root)
    assert "| time | 25 minutes |" in good.cells[0].source and "| points | 7 |" in good.cells[0].source


def test_time_and_points_may_be_columns(good, root):
    table = "| you need | time | points |\n|---|---|---|\n| [Good](good.ipynb) | 1 minutes | 1 |"
    good.cells[0].source = sheets.START.split("| you need")[0] + table
    pages.write_parts(good, root)
    assert "| 25 minutes | 7 |" in good.cells[0].source
    assert [rule(lesson(good, root)) for rule in FOUND] == [[]] * len(FOUND)


def test_an_hour_of_exercises_is_not_too_long(good, root):
    text("count", "| 4 | 15 |", "| 4 | 90 |")(good)
    text("start", "25 minutes", "100 minutes")(good)
    assert rules.minutes(lesson(good, root)) == []
