"""Exports of grades and files of submissions as the platforms hand them out, made by hand after their sources.

Canvas: lib/content_zipper.rb, lib/gradebook_exporter.rb. Moodle: mod/assign/downloader.php and the feedback plugins
`offline` and `file`. Blackboard: what scripts that read its zips expect. instructors/formats.md has the links.
"""
import io
import json
import zipfile

NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def notebook(text: str) -> bytes:
    """One that can be told from the others."""
    return NOTEBOOK.replace(b'"metadata": {}', b'"metadata": {"who": "%s"}' % text.encode())


# With a byte order mark and CRLF, as Canvas writes it for spreadsheets; a row for hidden assignments; a test student.
CANVAS = "\ufeff".encode() + "\r\n".join([
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Fusion (411),Rings (412),Current Score,Final Grade",
    ",,,,,,Manual Posting,,,",
    "    Points Possible,,,,,,7,10,(read only),(read only)",
    '"Doe, Jane",12345,S-1,jdoe,"Monday, early",quick,,8,80,B',
    '"Muñoz, José",12346,S-2,jmunoz,Tuesday,"says ""hi""",3.5,,35,F',
    '"Excused, Eva",12347,S-3,eva,Tuesday,,EX,EX,,',
    '"Absent, Abe",12348,S-4,abe,Tuesday,,5,,50,F',
    '"Elsewhere, Ed",12349,S-5,ed,Tuesday,,N/A,N/A,,',
    '"Student, Test",12350,,,Monday,,,,,', ""]).encode()
CANVAS_FILES = {
    "doejane_LATE_12345_67890_fusion-1.ipynb": notebook("jane, new"),
    "doejane_LATE_12345_67001_fusion.ipynb": notebook("jane, old"),
    "muñozjosé_12346_67891_fusion.ipynb": notebook("josé"),
    "excusedeva_12347_67892_fusion.ipynb": notebook("eva"),
    "doe2_12350_67893_fusion.ipynb": notebook("test"),
    "stranger_99999_67894_fusion.ipynb": notebook("stranger"),
    "elsewhereed_12349_text.html": b"<p>typed</p>",
}
CANVAS_GERMAN = "\n".join([
    "Student;ID;SIS Login ID;Section;Fusion (411)", "    Points Possible;;;;7,00", "Doe, Jane;12345;jdoe;A;",
    "Muñoz, José;12346;jmunoz;A;3,50", ""]).encode("latin-1")

MOODLE_HEADS = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed",
                "Last modified (submission)", "Last modified (grade)", "Feedback comments"]
MOODLE = "\n".join([
    ",".join(f'"{head}"' if " " in head else head for head in MOODLE_HEADS),
    '"Participant 1234567","Jane Doe",jane@example.org,"Submitted for grading",,7.00,Yes,"Monday, 2 March 2026",-,',
    '"Participant 1234568","José Muñoz",jose@example.org,Submitted,3.50,7.00,Yes,"Monday, 2 March",-,"<p>a',
    'b</p>"',
    '"Participant 1234569","Loc Ked",loc@example.org,"Submitted for grading",2.00,7.00,No,-,-,',
    '"Participant 1234570","No One",no@example.org,"No submission",,7.00,Yes,-,-,', ""]).encode()
MOODLE_GERMAN = (MOODLE.replace(b"Participant ", b"Teilnehmer/in").replace(b"Identifier", b"ID")
                 .replace(b'Grade,"Maximum Grade"', b"Bewertung,Bestwertung")
                 .replace(b'"Grade can be changed"', '"Bewertung kann geändert werden"'.encode()))
MOODLE_FOLDERS = {
    "Jane Doe_1234567_assignsubmission_file/fusion.ipynb": notebook("jane"),
    "Jane Doe_1234567_assignsubmission_onlinetext/onlinetext.html": b"<p>see my file</p>",
    "José Muñoz_1234568_assignsubmission_file/work/fusion.ipynb": notebook("josé"),
    "Loc Ked_1234569_assignsubmission_file/fusion.ipynb": notebook("loc"),
}
MOODLE_OLD = {name.replace("_file/", "_file_/"): data for name, data in MOODLE_FOLDERS.items()}
MOODLE_FLAT = {
    "Jane Doe_1234567_assignsubmission_file_fusion.ipynb": notebook("jane"),
    "José Muñoz_1234568_assignsubmission_file_my_fusion.ipynb": notebook("josé"),
    "Loc Ked_1234569_assignsubmission_file_fusion.ipynb": notebook("loc"),
}

# Tab-delimited in UTF-16, though it is called .xls.
BLACKBOARD = "\ufeff".encode("utf-16-le") + "\n".join([
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Availability"\t"Fusion [Total Pts: 7 Score] |664617"\t'
    '"Total [Total Pts: up to 17 Score] |664600"',
    '"Doe"\t"Jane"\t"jdoe"\t"77"\t"Yes"\t"Needs Grading"\t"8"',
    '"Muñoz"\t"José"\t"j_munoz"\t"78"\t"Yes"\t"3.5"\t"9"', '"No"\t"One"\t"none"\t"79"\t"Yes"\t""\t""', ""]
).encode("utf-16-le")
BLACKBOARD_FILES = {
    "Fusion_jdoe_attempt_2026-03-02-10-00-00.txt": b"Name: Jane Doe (jdoe)\nAssignment: Fusion\n",
    "Fusion_jdoe_attempt_2026-03-02-10-00-00_fusion.ipynb": notebook("jane, old"),
    "Fusion_jdoe_attempt_2026-03-03-09-00-00_fusion.ipynb": notebook("jane, new"),
    "Fusion_j_munoz_attempt_2026-03-02-11-00-00_my_work.ipynb": notebook("josé"),
}

PLAIN = b"student,name,grade\nann,Ann A.,\nbob,Bob B.,4\ncy,Cy C.,absent\n"
PLAIN_FILES = {"ann/fusion.ipynb": notebook("ann"), "bob/fusion.ipynb": notebook("bob"),
               "cy/fusion.ipynb": notebook("cy")}


def packed(files: dict, path=None):
    """A zip of these files, as bytes or written to a path."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    if path:
        path.write_bytes(out.getvalue())
    return path or out.getvalue()


def laid_out(files: dict, folder):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def result(student="12345", points=(4, 0), statuses=("passed", "to be read"), messages=("", ""), **more):
    """A result as the judge gives it."""
    exercises = [{"id": name, "title": title, "points": float(got), "max": float(most), "status": status,
                  "message": message} for name, title, most, got, status, message in zip(
                      ("good-count-tests", "good-queue"), ("Count the messages", "What a queue must not do"), (4, 3),
                      points, statuses, messages, strict=True)]
    return {"student": student, "notebook": "good-exercises", "seed": 7, "seconds": 1.25, "unsafe": False, "notes": [],
            "exercises": exercises, **more}
