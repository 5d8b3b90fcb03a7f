"""Whose is which file, and the platform's own table back with nothing but the grades changed."""
import json
import os
import re
import stat
import tempfile
import zipfile
from pathlib import Path

import formats
import pytest
from grading import platforms, unpack
from grading.platforms import Problem


@pytest.fixture
def write(tmp_path):
    def put(data: bytes, name="export.csv"):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name
    return put


def who(path):
    return json.loads(path.read_bytes())["metadata"].get("who")


def collected(files, roster, tmp_path, zipped):
    tmp_path = Path(tempfile.mkdtemp(dir=tmp_path))
    place = (formats.packed(files, tmp_path / "all.zip") if zipped else formats.laid_out(files, tmp_path / "all"))
    said = []
    found = platforms.collect(place, roster, tmp_path / "into", said.append)
    return {one.student: one for one in found}, said


EXPORTS = {"Canvas": formats.CANVAS, "Moodle": formats.MOODLE, "Blackboard": formats.BLACKBOARD, "plain": formats.PLAIN}
CASES = [
    ("Canvas", formats.CANVAS_FILES, {"12345": ["jane, old", "jane, new"], "12346": ["josé"], "12347": ["eva"],
                                      "12349": [], "12350": ["test"], "99999": ["stranger"]}),
    *[("Moodle", files, {"1234567": ["jane"], "1234568": ["josé"], "1234569": ["loc"]})
      for files in (formats.MOODLE_FOLDERS, formats.MOODLE_OLD, formats.MOODLE_FLAT)],
    ("Blackboard", formats.BLACKBOARD_FILES, {"jdoe": ["jane, old", "jane, new"], "j_munoz": ["josé"]}),
    ("plain", formats.PLAIN_FILES, {"ann": ["ann"], "bob": ["bob"], "cy": ["cy"]}),
    ("plain", {"ann.ipynb": formats.notebook("ann"), "bob_fusion (1).ipynb": formats.notebook("bob"),
               "Cy C.ipynb": formats.notebook("cy")}, {"ann": ["ann"], "bob": ["bob"], "cy": ["cy"]}),
]


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "folder"])
@pytest.mark.parametrize("platform, files, expected", CASES)
def test_every_file_finds_its_student(platform, files, expected, zipped, write, tmp_path):
    roster = platforms.read_roster(write(EXPORTS[platform]), to_write=False)
    assert roster.platform == platform
    for inside in (files, {f"All of it/{name}": data for name, data in files.items()}):  # or packed once more
        found, said = collected(inside, roster, tmp_path, zipped)
        assert {key: [who(path) for path in one.files] for key, one in found.items()} == expected
        assert said == []
        paths = ["/".join(path.parts[-3:]) for one in found.values() for path in one.files]
        assert all(re.fullmatch(r"into/[\w-]+/\d\d\.ipynb", path) for path in paths)


@pytest.mark.parametrize("platform, files, expected", [case for case in CASES if case[0] != "Blackboard"])
def test_without_a_roster_the_platform_is_seen_from_the_names(platform, files, expected, tmp_path):
    found, _ = collected(files, None, tmp_path, True)
    if platform != "plain":
        assert set(found) == set(expected) and {one.origin for one in found.values()} == {platform}
    assert sorted(who(path) for one in found.values() for path in one.files) == sorted(sum(expected.values(), []))


@pytest.mark.parametrize("text", ["student,name,grade\ns1,Ann,\ns2,Bob,\n", "id,grade\nu 17,\n",
                                  "key,a,b,c,d,Grade\njd12,,,,,\n"])
def test_ids_that_look_like_moodles_are_in_a_plain_table_plain(text, write):
    roster = platforms.read_roster(write(text.encode()))
    assert roster.platform == "plain" and set(roster.students) <= {"s1", "s2", "u 17", "jd12"}


def test_what_a_platform_says_besides(write, tmp_path):
    found, _ = collected(formats.CANVAS_FILES, write(formats.CANVAS), tmp_path, True)
    assert found["12345"].name == "Doe, Jane" and found["12345"].late and not found["12346"].late
    assert found["12345"].reply == "doejane_LATE_12345_67890_feedback.html"
    assert found["12349"].notes == ["text was typed into the page: it is not graded", "no notebook was handed in"]
    assert found["99999"].known is False and list(found)[-1] == "99999"
    moodle, _ = collected(formats.MOODLE_OLD, write(formats.MOODLE), tmp_path, False)
    assert moodle["1234567"].reply == "Jane Doe_1234567_assignsubmission_file_/feedback.html"
    flat, _ = collected(formats.MOODLE_FLAT, write(formats.MOODLE), tmp_path, False)
    assert flat["1234567"].reply == "Jane Doe_1234567_assignsubmission_file_feedback.html"


def test_an_anonymous_submission_is_kept_apart(write, tmp_path):
    files = {"anon_aB3xY_67890_fusion.ipynb": formats.notebook("a"),
             "LATE_anon_Zz9_67891_fusion.ipynb": formats.notebook("b")}
    for roster in (None, write(formats.CANVAS)):
        found, _ = collected(files, roster, tmp_path, True)
        assert {"anon_aB3xY", "anon_Zz9"} == set(found) and found["anon_Zz9"].late


def test_lines_for_who_is_missing_and_who_is_a_stranger(write, tmp_path):
    roster = platforms.read_roster(write(formats.CANVAS), "Fusion")
    found, _ = collected(formats.CANVAS_FILES, roster, tmp_path, True)
    assert platforms.unmatched(list(found.values()), roster) == [
        "no submission: Absent, Abe (12348)",
        "no student in export.csv: the submission of stranger (99999); it gets feedback and no grade"]
    other = platforms.read_roster(write(formats.CANVAS.replace(b",123", b",823")), "411")
    assert "the export of this very assignment?" in platforms.unmatched(list(found.values()), other)[0]


# --- what strangers put into a zip


def test_a_path_that_climbs_a_link_and_a_bomb_touch_nobody_else(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann/a.ipynb", formats.notebook("ann"))
        for name in ("../../evil.ipynb", "/tmp/evil.ipynb", "C:\\evil.ipynb", "bob/..\\..\\evil.ipynb"):
            archive.writestr(name, formats.notebook("evil"))
        link = zipfile.ZipInfo("cy/link.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("dan/bomb.ipynb", b" " * (30 << 20))
        archive.writestr("eve/large.ipynb", b"\0" * (unpack.LARGEST + 1))
        archive.writestr("fay/notes.pdf", b"%PDF")
        archive.writestr("__MACOSX/ann/._a.ipynb", b"?")
    before = set(tmp_path.parent.rglob("*evil*"))
    found = {one.student: one for one in platforms.collect(path, None, tmp_path / "into", lambda line: None)}
    assert [who(one) for one in found["ann"].files] == ["ann"]
    assert "symbolic link" in found["cy"].notes[0] and "zip bomb" in found["dan"].notes[0]
    assert "50 MB" in found["eve"].notes[0] and "but notes.pdf" in found["fay"].notes[0]
    assert all(not one.files for key, one in found.items() if key != "ann")
    assert "climbs out of the zip" in found["evil"].notes[0]
    assert set(tmp_path.parent.rglob("*evil*")) - before <= {tmp_path / "into"}
    assert not any(part.name == ".." for part in (tmp_path / "into").rglob("*"))


def test_a_zip_that_lies_about_a_size_or_is_broken_is_a_note(tmp_path):
    data = bytearray(formats.packed({"ann/a.ipynb": formats.notebook("ann"), "bob/b.ipynb": b"x" * 5000}))
    at = data.index(b"bob/b.ipynb", data.index(b"PK\x01\x02")) - 46 + 24  # the size in the directory
    data[at:at + 4] = (10).to_bytes(4, "little")
    (tmp_path / "all.zip").write_bytes(data)
    found = {one.student: one for one in platforms.collect(tmp_path / "all.zip", None, tmp_path / "into")}
    assert len(found["ann"].files) == 1 and not found["bob"].files
    assert "cannot be unpacked" in found["bob"].notes[0]


def test_a_zip_in_a_submission_is_opened_once(tmp_path):
    inner = formats.packed({"x/fusion.ipynb": formats.notebook("ann"), "deeper.zip": formats.packed({"a.ipynb": b""}),
                            "../up.ipynb": b""})
    found = platforms.collect(formats.packed({"ann/all.zip": inner, "bob/all.zip": b"PK nonsense"},
                                             tmp_path / "s.zip"), None, tmp_path / "into")
    ann, bob = found
    assert [who(path) for path in ann.files] == ["ann"] and "climbs out" in ann.notes[0]
    assert ann.others == ["all.zip/deeper.zip"]
    assert "no readable zip" in bob.notes[0]


def test_links_in_a_folder_are_not_followed(tmp_path):
    folder = formats.laid_out(formats.PLAIN_FILES, tmp_path / "all")
    (tmp_path / "secret.ipynb").write_bytes(formats.notebook("secret"))
    (folder / "bob/fusion.ipynb").unlink()
    (folder / "bob/fusion.ipynb").symlink_to(tmp_path / "secret.ipynb")
    (folder / "dan").symlink_to(tmp_path)
    os.mkfifo(folder / "cy/pipe.ipynb")
    said = []
    found = {one.student: one for one in platforms.collect(folder, None, tmp_path / "into", said.append)}
    assert "symbolic link" in found["bob"].notes[0] and not found["bob"].files
    assert "no plain file" in found["cy"].notes[0] and len(found["cy"].files) == 1
    assert len(said) == 1 and "dan" in said[0] and "dan" not in found


def test_too_many_files_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "MEMBERS", 2)
    for place in (formats.laid_out(formats.PLAIN_FILES, tmp_path / "all"),
                  formats.packed(formats.PLAIN_FILES, tmp_path / "all.zip")):
        with pytest.raises(Problem, match="more than 2 files"):
            platforms.collect(place, None, tmp_path / "into")


def test_names_in_utf8_without_the_flag(tmp_path):
    data = formats.packed({"José/a.ipynb": formats.notebook("j")})
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + place
        data = data[:at] + b"\0\0" + data[at + 2:]
    (tmp_path / "all.zip").write_bytes(data)
    assert [one.student for one in platforms.collect(tmp_path / "all.zip", None, tmp_path / "into")] == ["José"]


@pytest.mark.parametrize("name, data, words", [
    ("none.zip", None, "does not exist"), ("a.pdf", b"%PDF", "neither a folder nor a zip"),
    ("a.zip", formats.packed({}), "holds no submission")])
def test_what_is_no_submission_is_one_line(name, data, words, tmp_path):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(Problem, match=words):
        platforms.collect(tmp_path / name, None, tmp_path / "into")


def test_the_same_files_with_another_end(tmp_path):
    files = {"ann/fusion.ipynb.json": formats.notebook("ann"), "bob/fusion": formats.notebook("bob"),
             "cy/readme.txt": b"hello"}
    found = {one.student: one for one in platforms.collect(formats.laid_out(files, tmp_path / "all"), None,
                                                           tmp_path / "into")}
    assert len(found["ann"].files) == len(found["bob"].files) == 1 and not found["cy"].files


# --- the grades


def changed(before: bytes, after: bytes, encoding="utf-8"):
    """The lines that differ."""
    pairs = zip(before.decode(encoding).split("\n"), after.decode(encoding).split("\n"), strict=True)
    return [(a, b) for a, b in pairs if a != b]


def graded(data, scores, write, tmp_path, name="export.csv", column=None, **more):
    roster = platforms.read_roster(write(data, name), column)
    lines = platforms.write_grades(roster, scores, tmp_path / "out", **more)
    return (tmp_path / f"out/grades-{name}").read_bytes(), lines


def test_canvas_gets_its_own_export_back(write, tmp_path):
    scores = {"12345": 6.5, "12346": 7.0, "12347": 5.0, "12349": 1.0, "12348": None, "99999": 3.0}
    after, lines = graded(formats.CANVAS, scores, write, tmp_path, column="Fusion", maximum=7)
    assert changed(formats.CANVAS, after) == [
        ('"Doe, Jane",12345,S-1,jdoe,"Monday, early",quick,,8,80,B\r',
         '"Doe, Jane",12345,S-1,jdoe,"Monday, early",quick,6.5,8,80,B\r'),
        ('"Muñoz, José",12346,S-2,jmunoz,Tuesday,"says ""hi""",3.5,,35,F\r',
         '"Muñoz, José",12346,S-2,jmunoz,Tuesday,"says ""hi""",7,,35,F\r')]
    assert lines == ["left as it is: Excused, Eva (12347): the cell says “EX”",
                     "left as it is: Elsewhere, Ed (12349): the cell says “N/A”",
                     "1 grades that were there already are replaced"]


def test_moodle_gets_its_own_worksheet_back(write, tmp_path):
    after, lines = graded(formats.MOODLE, {"1234567": 7 / 3, "1234568": 4, "1234569": 7}, write, tmp_path, maximum=7)
    assert [b for _, b in changed(formats.MOODLE, after)] == [
        '"Participant 1234567","Jane Doe",jane@example.org,"Submitted for grading",2.33,7.00,Yes,'
        '"Monday, 2 March 2026",-,',
        '"Participant 1234568","José Muñoz",jose@example.org,Submitted,4,7.00,Yes,"Monday, 2 March",-,"<p>a']
    assert "left as it is: Loc Ked (1234569): the grade is locked" in lines


def test_moodle_in_another_language_needs_the_name_of_the_column(write, tmp_path):
    with pytest.raises(Problem, match="COLUMN="):
        platforms.read_roster(write(formats.MOODLE_GERMAN))
    after, lines = graded(formats.MOODLE_GERMAN, {"1234567": 5}, write, tmp_path, column="Bewertung")
    assert len(changed(formats.MOODLE_GERMAN, after)) == 1 and any("not in English" in line for line in lines)


def test_blackboard_in_utf16(write, tmp_path):
    after, lines = graded(formats.BLACKBOARD, {"jdoe": 6.25, "j_munoz": 3.5}, write, tmp_path, "grades.xls", "664617")
    assert after.startswith(b"\xff\xfe") and lines == []
    assert changed(formats.BLACKBOARD, after, "utf-16") == [
        ('"Doe"\t"Jane"\t"jdoe"\t"77"\t"Yes"\t"Needs Grading"\t"8"', '"Doe"\t"Jane"\t"jdoe"\t"77"\t"Yes"\t"6.25"\t"8"')]


def test_plain_and_decimal_commas(write, tmp_path):
    after, lines = graded(formats.PLAIN, {"ann": 1, "bob": 2, "cy": 3}, write, tmp_path)
    assert after == b"student,name,grade\nann,Ann A.,1\nbob,Bob B.,2\ncy,Cy C.,absent\n"
    assert len(lines) == 2
    after, _ = graded(formats.CANVAS_GERMAN, {"12345": 6.5}, write, tmp_path, "de.csv")
    assert after == formats.CANVAS_GERMAN.replace(b"jdoe;A;", b"jdoe;A;6,5")


@pytest.mark.parametrize("data", [*EXPORTS.values(), formats.CANVAS_GERMAN, formats.CANVAS.rstrip(b"\r\n"),
                                  formats.CANVAS.replace(b"\r\n", b"\r"), formats.PLAIN + b"\n\n"])
def test_without_scores_every_byte_is_the_same(data, write, tmp_path):
    column = {formats.BLACKBOARD: "664617"}.get(data, "Fusion" if b"Fusion" in data else None)
    assert graded(data, {}, write, tmp_path, column=column)[0] == data


def test_another_maximum_is_not_silently_converted(write, tmp_path):
    with pytest.raises(Problem, match="set its points to 14 there"):
        graded(formats.CANVAS, {"12345": 7}, write, tmp_path, column="411", maximum=14)
    after, _ = graded(formats.CANVAS, {"12345": 7}, write, tmp_path, column="411", maximum=14, scale=True)
    assert b"quick,3.5,8" in after
    after, lines = graded(formats.CANVAS, {"12345": 8}, write, tmp_path, column="411")
    assert after == formats.CANVAS and "not between 0 and 7" in lines[0]


@pytest.mark.parametrize("data, column, words", [
    (formats.CANVAS, None, "it could be “Fusion .411.”, “Rings .412.”"), (formats.CANVAS, "Fusions", "which column"),
    (b"a,b\n1,2\n", None, "no export of grades that is known"), (b"", None, "is empty"),
    (b"PK\x03\x04", None, "spreadsheet"), (formats.PLAIN + b"ann,Ann,\n", None, "names ann twice"),
    (b"student,grade\n", None, "names no student")])
def test_an_export_that_does_not_fit_is_one_line(data, column, words, write):
    with pytest.raises(Problem, match=words):
        platforms.read_roster(write(data), column)


def test_the_roster_is_never_overwritten(write, tmp_path):
    roster = write(formats.PLAIN)
    with pytest.raises(Problem, match="the roster itself"):
        platforms.write_grades(roster, {}, roster)
    assert platforms.write_grades(roster, {"ann": 1}, tmp_path / "other.csv") == []
    assert roster.read_bytes() == formats.PLAIN


def test_two_of_the_same_name_are_told_apart_by_their_number_only(write, tmp_path):
    data = b"student,name,grade\na1,Ann A.,\na2,Ann A.,\nb1,Bob,\n"
    files = {"Ann A/x.ipynb": formats.notebook("?"), "bob/x.ipynb": formats.notebook("b")}
    found, _ = collected(files, write(data), tmp_path, False)
    assert found["b1"].known and not found["Ann A"].known
