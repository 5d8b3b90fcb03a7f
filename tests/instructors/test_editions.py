"""The editions: what the student's has not, that it is its source with parts removed, that it runs, that it grades."""
import copy
import os
import re
import shutil
import subprocess
import sys

import course_tables
import nbclient
import nbformat
import pages
import pytest
import sheets
import students
import website
from nbformat.v4 import new_code_cell, new_markdown_cell


@pytest.fixture
def root(tmp_path):
    return sheets.root(tmp_path)


@pytest.fixture
def source(root):
    return pages.read(sheets.save(sheets.sheet(root), root))


def cell(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


def test_no_answer_is_left(source):
    text = pages.canonical(students.edition(source))
    assert all(marker in pages.canonical(source) for marker in sheets.MARKERS)  # they were there
    assert [marker for marker in sheets.MARKERS if marker in text] == []


def test_no_answer_of_any_page_of_the_course_is_left():
    """A marker in each solution, hidden test, model answer and rubric of every page that there is."""
    planted = 0
    for path in pages.listed():
        if pages.is_exercises(source := pages.read(path)):
            for one in source.cells:
                one.source, count = re.subn(r"(?m)^([ \t]*)(.*BEGIN (?:SOLUTION|HIDDEN TESTS).*)$|^(- )(\d+ points?:)",
                                            lambda found: f"{found[1]}{found[2]}\n{found[1]}PLANTED = 1"
                                            if found[2] else f"- {found[4]} PLANTED", one.source)
                planted += count
            assert "PLANTED" not in pages.canonical(students.edition(source)), path.stem
    assert planted or not [path for path in pages.listed() if path.stem.endswith("-exercises")]


def test_what_a_student_gets(source):
    made = students.edition(source)
    assert cell(made, "solution").source.endswith("    # YOUR CODE HERE\n    raise NotImplementedError()")
    assert "def messages(ranks: int) -> int:" in cell(made, "solution").source
    assert cell(made, "thought").source == "YOUR ANSWER HERE"
    assert cell(made, "tests").source.count("assert") == 1
    assert cell(made, "tests").metadata.editable is False and cell(made, "solution").metadata.deletable is False
    assert cell(made, "tests").metadata.nbgrader.points == 4 and cell(made, "tests").metadata.nbgrader.checksum
    assert [output.text for output in cell(made, "shown").outputs] == ["0 is next\n"]  # it tells nothing
    assert made.metadata.d2l.machine["cpu"] == "a processor" and "source" not in made.metadata.d2l


@pytest.mark.parametrize("line", [
    "shown = [messages(3)]\nprint(shown)", "box = {}\nbox['a'] = messages(3)", "box.value = messages(3)",
    "for number in [messages(3)]:\n    print(number)", "def uses():\n    return messages(3)", "print(messages",
    "import math as m; m.x = messages(2)"])
def test_an_output_that_comes_from_a_solution_by_a_detour_is_gone(line, source):
    names = {"shown": "print(shown)", "box": "print(box)", "m": "print(m.x)", "number": "number", "uses": "uses()"}
    last = next((use for name, use in names.items() if re.search(rf"\b{name}\b", line)), "print(neighbour(1, 2))")
    output = [nbformat.v4.new_output("stream", name="stdout", text="OUTPUT_MARKER")]
    source.cells[7:7] = [new_code_cell(line, id="detour"), new_code_cell(last, id="end-of-it", outputs=output)]
    students.clear_outputs(source)
    assert cell(source, "end-of-it").outputs == []


CHANGES = {
    "a word of the text": lambda made: cell(made, "count").update(source=cell(made, "count").source + " More."),
    "the signature": lambda made: cell(made, "solution").update(source="raise NotImplementedError()"),
    "a visible test": lambda made: cell(made, "tests").update(source="pass"),
    "points": lambda made: cell(made, "tests").metadata.nbgrader.update(points=5),
    "a cell less": lambda made: made.cells.pop(),
    "a cell more": lambda made: made.cells.append(new_markdown_cell("More")),
    "the order": lambda made: made.cells.append(made.cells.pop(0)),
    "the guard": lambda made: made.cells.remove(cell(made, "go-on")),
    "a marker": lambda made: cell(made, "thought").update(source="**Model answer.** None."),
    "an output": lambda made: cell(made, "tests").update(
        outputs=[nbformat.v4.new_output("stream", name="stdout", text="24")]),
    "an output that was changed": lambda made: cell(made, "shown").update(
        outputs=[nbformat.v4.new_output("stream", name="stdout", text="24")]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_checker_sees_each_change(change, source):
    made = students.edition(source)
    assert students.differences(source, made) == []
    change(made)
    assert students.differences(source, made)


@pytest.mark.parametrize("change", [
    lambda page: cell(page, "solution").update(source=sheets.SOLUTION.replace("    ### END SOLUTION", "")),
    lambda page: cell(page, "tests").update(source=sheets.TESTS.replace("### END HIDDEN TESTS", "")),
    lambda page: cell(page, "uses").update(source="### BEGIN SOLUTION\n1\n### END SOLUTION"),
    lambda page: cell(page, "shown").update(source="### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS"),
    lambda page: cell(page, "tests").metadata.nbgrader.pop("points"),
    lambda page: page.cells.append(new_markdown_cell("**Model answer.** Forgotten here.")),
    lambda page: page.cells.append(nbformat.from_dict({**cell(page, "tests"), "id": "again"}))])
def test_a_page_that_cannot_be_made_safe_is_refused(change, source):
    change(source)
    with pytest.raises((ValueError, students.Leak)):
        students.edition(source)


def test_a_picture_and_its_description_go_with_the_answer(source):
    cell(source, "thought")["attachments"] = {"answer.png": {"image/png": "aGk="}}
    cell(source, "solution").metadata["mystnb"] = {"image": {"alt": "SOLUTION_MARKER: a line that falls to 24"}}
    text = pages.canonical(students.edition(source))
    assert "answer.png" not in text and "SOLUTION_MARKER" not in text


def test_the_command_writes_all_or_nothing(source, root, monkeypatch, capsys):
    monkeypatch.setattr(pages, "ROOT", root)
    monkeypatch.setattr(pages.listed, "__defaults__", (root,))
    monkeypatch.setattr(pages.chosen, "__defaults__", ((), root))
    monkeypatch.setattr(students, "OUT", root / "_build/students")
    assert students.main([]) is None
    assert [path.name for path in (root / "_build/students").iterdir()] == ["good-exercises.ipynb"]
    assert "of 1 page is in" in capsys.readouterr().out
    assert "no page of exercises" in students.main(["good"])
    assert "there is no notebook chapters/none.ipynb" in students.main(["none"])
    cell(source, "tests").source = sheets.TESTS.replace("### END HIDDEN TESTS", "")
    sheets.save(source, root, "bad-exercises")
    shutil.rmtree(root / "_build")
    assert "chapters/bad-exercises.ipynb: nbgrader does not accept it" in students.main([])
    assert not (root / "_build").exists()


# --- answered, unanswered, graded by nbgrader

RIGHT = "def messages(ranks):\n    return 2 * ranks * (ranks - 1)"


def run(notebook, **env):
    """The notebook after "run all", which stops at an error but where a tag allows it, as Jupyter does."""
    notebook = copy.deepcopy(notebook)
    old = {key: os.environ.get(key) for key in env}
    os.environ.update(env, PYTHONPATH=str(pages.ROOT), JUPYTER_PREFER_ENV_PATH="1")
    try:
        nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    finally:
        for key, value in old.items():
            os.environ.pop(key) if value is None else os.environ.update({key: value})
    return notebook


def grades(notebook):
    from nbgrader.utils import determine_grade, is_grade
    return {one.metadata.nbgrader.grade_id: determine_grade(one)[0] for one in notebook.cells if is_grade(one)}


@pytest.mark.slow
def test_run_all_goes_on_past_what_is_not_answered(source):
    made = students.edition(source)
    for one in made.cells:  # Colab does not know the tag
        if "raises-exception" in one.metadata.get("tags", []):
            one.metadata["tags"].remove("raises-exception")
    del made.cells[[one.id for one in made.cells].index("uses")]  # these two are no tests, and use the answer
    del made.cells[[one.id for one in made.cells].index("uses-again")]
    made.cells.append(new_code_cell("print('reached')"))
    ran = run(made)
    assert [output.text for output in cell(ran, "tests").outputs] == ["Not answered yet.\n"]
    assert ran.cells[-1].outputs[0].text == "reached\n"


@pytest.mark.slow
def test_nbgrader_gives_points_for_answers_only(source):
    made = students.edition(source)
    for name in ("uses", "uses-again"):
        cell(made, name).source = "pass"
    assert grades(run(made, NBGRADER_EXECUTION="autograde"))["good-count-tests"] == 0
    assert grades(run(made))["good-count-tests"] == 0  # and a grader that does not set the variable
    cell(made, "solution").source = RIGHT
    assert grades(run(made, NBGRADER_EXECUTION="autograde"))["good-count-tests"] == 4
    cell(made, "solution").source = RIGHT.replace("2", "3")
    wrong = run(made)
    assert grades(wrong)["good-count-tests"] == 0
    assert "sends 24 messages, not 36" in cell(wrong, "tests").outputs[0].evalue


# --- the site of each edition

TABLES = "\n\n".join(f"<!-- made: {name} -->" for name in ("lessons", "exercises", "objectives", "rubrics", "timings"))


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book with a lesson, a page of exercises, and a page for instructors."""
    folder = sheets.root(tmp_path_factory.mktemp("book"))
    sheets.save(sheets.sheet(folder), folder)
    shutil.copytree(pages.ROOT / "theme", folder / "theme", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(pages.ROOT / "_config.yml", folder)
    for name in ("references.bib",):  # what the settings name, where they do
        if (pages.ROOT / name).exists():
            shutil.copy(pages.ROOT / name, folder)
    (folder / "index.md").write_text("# Start\n\nSee the chapters, of which there are two, and learn something.\n")
    (folder / "instructors").mkdir()
    (folder / "instructors/guide.md").write_text(
        f"# Guide\n\nTables.\n\n## All\n\n{TABLES}\n\n<!-- made: plan\n1: good good-exercises later\n-->\n")
    (folder / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n  - file: chapters/good\n    sections:\n"
                                     "      - file: chapters/good-exercises\n  - file: instructors/guide\n")
    return folder


def all_text(folder):
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for path in folder.rglob("*") if path.is_file() and path.suffix not in {".png", ".woff2", ".ico", ".inv"}}


def test_tables_are_made_from_the_pages(book):
    page = website.gather(book)["instructors/guide.md"].decode()
    assert "| Count the messages of a ring, and say why there are so many | [good-exercises 1](../chapters/good" in page
    assert "1. Count the messages | 4 | 15 | easy | any computer | [Good](../chapters/good.ipynb) |" in page
    assert "| 1 | [Good](../chapters/good.ipynb) (1 min) | 1 min | [Exercises: good things]" in page
    assert "later" not in page and "<!--" not in page
    assert "RUBRIC_MARKER" not in page and page.count("EDITION=instructor") == 2
    page = website.gather(book, "instructor")["instructors/guide.md"].decode()
    assert "RUBRIC_MARKER" in page and "BEGIN SOLUTION" not in page and "| all | 26 | 2 | 7 |" in page


def test_the_plans_name_pages_that_there_are():
    """One that is misspelt would be left out in silence; a page of exercises may come later."""
    plans = re.findall(r"<!-- made: plan\n(.*?)-->", (pages.ROOT / "instructors/syllabus.md").read_text(), re.S)
    lessons = {path.stem for path in pages.listed()}
    named = [name for plan in plans for line in plan.splitlines() for name in line.partition(":")[2].split()]
    assert len(plans) == 2 and not [name for name in named if name not in lessons
                                    and name.removesuffix("-exercises") not in lessons]
    assert {name for name in lessons if not name.endswith(("-exercises", "-mxnet"))} <= set(named)


def test_links_of_model_answers_lead_to_the_lessons_from_where_they_stand_now():
    page = website.gather(pages.ROOT, "instructor")["instructors/rubrics.md"].decode()
    links = re.findall(r"\]\(([^):#]+\.(?:ipynb|md))[)#]", page)
    assert any("chapters" in link for link in links)
    assert not [link for link in links if not (pages.ROOT / "instructors" / link).is_file()]


def test_every_page_for_instructors_is_on_the_site():
    toc = (pages.ROOT / "_toc.yml").read_text()
    found = [path.stem for path in (pages.ROOT / "instructors").glob("*.md")]
    assert found and [name for name in found if f"instructors/{name}" not in toc] == []


def test_a_table_that_nobody_makes_is_one_clear_line():
    with pytest.raises(ValueError, match="instructors/a.md: `<!-- made: tabel -->`: no table has this name"):
        course_tables.filled({"instructors/a.md": b"<!-- made: tabel -->"}, {}, "student")


def test_a_page_that_nbgrader_refuses_is_one_clear_line(book, tmp_path):
    folder = shutil.copytree(book, tmp_path / "book")
    page = pages.read(folder / "chapters/good-exercises.ipynb")
    cell(page, "tests").source = "### BEGIN HIDDEN TESTS"
    sheets.save(page, folder)
    with pytest.raises(website.Problem, match="chapters/good-exercises.ipynb: nbgrader does not accept it: No end"):
        website.gather(folder)


@pytest.mark.slow
def test_nothing_of_an_answer_is_on_the_site(book):
    """Pages, search index, downloads, and all else in the folder; the other edition has it, in its own folder."""
    def build(*more):
        command = [sys.executable, pages.ROOT / "tools/website.py", "build", "--source", book, *more]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    build("--edition", "instructor")
    assert not (book / "_build/html").exists()
    answers = "\n".join(all_text(book / "_build/instructor/html").values())
    build()
    built = all_text(book / "_build/html")
    assert {"searchindex.js", "chapters/good-exercises.html", "_sources/chapters/good-exercises.ipynb"} <= set(built)
    assert "YOUR ANSWER HERE" in built["chapters/good-exercises.html"]
    found = {name: marker for name, text in built.items() for marker in sheets.MARKERS + ["hidden_mark", "rubric_mark"]
             if marker in text and name != "instructors/guide.html"}
    assert found == {}
    for marker in sheets.MARKERS:
        assert marker in answers
        assert "MARKER" not in marker or marker not in built["instructors/guide.html"]
    assert "/blob/" not in built["chapters/good-exercises.html"], "in the repository, Colab would show the solutions"
