"""What students and teachers read: escaped, whole in itself, under names that a platform takes back."""
import csv
import io
import json
import re
import zipfile

import formats
import pytest
from bs4 import BeautifulSoup
from grading import platforms, reports
from grading.unpack import Problem

EVIL = '<script src="https://evil.example/x.js">alert(1)</script>\x1b[31m'


def rows_of(page, number=0):
    table = BeautifulSoup(page, "html.parser").find_all("table")[number]
    return [[cell.get_text() for cell in row.find_all(["td", "th"])] for row in table.find_all("tr")]


def test_feedback_says_what_was_reached_and_why():
    page = reports.feedback(formats.result(points=(2.5, 0), statuses=("partly", "to be read"),
                                           messages=("1.4 times as slow as the reference", "")), "Doe, Jane")
    assert rows_of(page)[1:] == [["Count the messages", "partly", "2.5 / 4", "1.4 times as slow as the reference"],
                                 ["What a queue must not do", "will be read", "0 / 3", ""]]
    text = BeautifulSoup(page, "html.parser").get_text()
    assert "2.5 of 7 points; 3 of them are for answers that a person will read." in text and "Doe, Jane" in text


def test_nothing_that_a_student_wrote_is_run_or_loaded():
    one = formats.result(student=EVIL, messages=(EVIL, EVIL), notes=[EVIL], notebook=EVIL)
    one["exercises"][0]["title"] = EVIL
    for page in (reports.feedback(one, EVIL), reports.summary([one], {EVIL: EVIL}, [EVIL])):
        soup = BeautifulSoup(page, "html.parser")
        assert not soup.find_all(["script", "img", "iframe", "link", "object"]) and "\x1b" not in page
        assert "default-src 'none'" in soup.find("meta", attrs={"http-equiv": True})["content"]
        assert not re.search(r"(src|href)=", re.sub(r"&lt;.*?&gt;", "", page))


def test_what_was_unsafe_says_so():
    one = formats.result(unsafe=True)
    assert reports.UNSAFE in reports.feedback(one) and reports.UNSAFE in reports.summary([one])
    assert reports.UNSAFE in reports.gradescope(one)["output"]
    assert reports.UNSAFE not in reports.feedback(formats.result())


def test_the_summary_counts():
    results = [formats.result("a"), formats.result("b", (0, 0), ("failed", "not answered")),
               formats.result("c", (4, 3), ("passed", "read"), seconds=2)]
    page = reports.summary(results, {"a": "Ann"}, ["no submission: Dan (d)"])
    assert rows_of(page)[1] == ["Count the messages", "4", "67%", "2", "", "1", "", "", ""]
    assert rows_of(page, 1)[1] == ["Ann", "4 / 7", "1.2", ""]
    svg = BeautifulSoup(page, "html.parser").svg
    assert svg["aria-label"].endswith("1 from 0 to 10, 1 from 50 to 60, 1 from 90 to 100")
    assert "no submission: Dan (d)" in page and "seed 7" in page
    assert reports.summary([])  # a class without submissions


@pytest.fixture
def moodle(tmp_path):
    (tmp_path / "export.csv").write_bytes(formats.MOODLE)
    roster = platforms.read_roster(tmp_path / "export.csv")
    place = formats.packed(formats.MOODLE_FOLDERS, tmp_path / "all.zip")
    return roster, platforms.collect(place, roster, tmp_path / "into")


def test_feedback_has_the_names_that_moodle_takes_back(moodle, tmp_path):
    roster, submissions = moodle
    results = [formats.result(name) for name in [*(one.student for one in submissions), "../../Up", "../../up"]]
    made = reports.write(results, tmp_path / "out", submissions, roster)
    with zipfile.ZipFile(tmp_path / "out/feedback.zip") as archive:
        names = archive.namelist()
        assert "José Muñoz" in archive.read("José Muñoz_1234568_assignsubmission_file/feedback.html").decode()
    assert len(set(names)) == 5 and all(".." not in name and not name.startswith("/") for name in names)
    assert {path.relative_to(tmp_path / "out/feedback").as_posix()
            for path in (tmp_path / "out/feedback").rglob("*.html")} == set(names)
    assert len(made) == 4
    first = (tmp_path / "out/feedback.zip").read_bytes()
    reports.write(results, tmp_path / "again", submissions, roster)
    assert (tmp_path / "again/feedback.zip").read_bytes() == first  # no time of day in it


def test_points_of_each_exercise_are_a_table_without_formulas(tmp_path):
    reports.write([formats.result("=cmd|' /C calc'!A0", (2.5, 0))], tmp_path)
    rows = list(csv.reader(io.StringIO((tmp_path / "points.csv").read_text())))
    assert rows == [["student", "name", "points", "good-count-tests", "good-queue"],
                    ["'=cmd|' /C calc'!A0", "", "2.5", "2.5", "0"]]


def test_answers_that_a_person_reads_get_their_points(tmp_path):
    results = [formats.result("a"), formats.result("b")]
    reports.write(results, tmp_path)
    table = tmp_path / "to-read.csv"
    text = table.read_text()
    assert text.count("good-queue") == 2
    table.write_text(text.replace("must not do,3,,", 'must not do,3,"2,5",well said', 1))
    read = reports.with_read(results, table)
    assert platforms.scores_of(read) == {"a": 6.5, "b": 4}
    assert [one["exercises"][1]["status"] for one in read] == ["read", "to be read"]
    assert "well said" in reports.feedback(read[0])
    kept = table.read_text()
    reports.write(read, tmp_path)  # grading again does not lose what was filled in
    assert table.read_text() == kept and "b,good-queue" in (tmp_path / "to-read-new.csv").read_text()


@pytest.mark.parametrize("row, words", [
    ("a,good-queue,x,3,4,", "not a number from 0 to 3"), ("a,good-queue,x,3,many,", "not a number"),
    ("a,other,x,3,1,", "not there"), ("z,good-queue,x,3,1,", "not there")])
def test_points_that_cannot_be_are_one_line(row, words, tmp_path):
    (tmp_path / "to-read.csv").write_text(f"student,exercise,title,max,points,comment\n{row}\n")
    with pytest.raises(Problem, match=words):
        reports.with_read([formats.result("a")], tmp_path / "to-read.csv")


def test_gradescope(tmp_path):
    reports.write_gradescope(formats.result(points=(2, 0), messages=("slow", ""), notes=["no metadata"]), tmp_path)
    made = json.loads((tmp_path / "results.json").read_text())
    assert made["score"] == 2 and made["output"] == "no metadata" and made["stdout_visibility"] == "hidden"
    assert made["tests"][0] == {
        "score": 2.0, "max_score": 4.0, "name": "Count the messages", "number": "1", "output": "passed\nslow",
        "output_format": "text", "tags": ["good-count-tests"], "visibility": "visible", "status": "passed"}
    assert "status" not in made["tests"][1]  # neither passed nor failed: a person reads it
