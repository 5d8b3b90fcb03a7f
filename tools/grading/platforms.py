"""Canvas, Moodle, Blackboard and plain folders: whose is which file, and the grades back in the platform's own table.

    collect(path, roster)               the submissions in a folder or zip as a platform hands it out
    read_roster(path)                   the platform's own export of grades: who is in the class
    unmatched(submissions, roster)      a line for each student without a submission, and the other way round
    write_grades(roster, scores, out)   the same export with only the grade cells changed

A student is known by the platform's own number: in Canvas the user's id, in Moodle the participant of this assignment,
in Blackboard the user name. instructors/formats.md says what was read where.
"""
import dataclasses
import re
import tempfile
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from . import unpack
from .table import Table
from .unpack import Problem

__all__ = ["Problem", "Roster", "Submission", "collect", "read_roster", "scores_of", "unmatched", "write_grades"]

KEEP = re.compile(r"EX|N/A|excused|exempt|absent|\(?read only\)?", re.I)  # set by hand, and it stays
PENDING = {"", "-", "needs grading", "in progress"}                        # no grade yet
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?\s*%?")


# --- the roster


@dataclasses.dataclass
class Student:
    key: str
    name: str
    row: int


@dataclasses.dataclass
class Roster:
    """A platform's export of grades, as it is needed to find students and to write their grades."""

    platform: str
    table: Table
    students: dict[str, Student]
    aliases: dict[str, str]   # another id or the name, folded: the key
    grade: int                # the column that gets the grades
    maximum: dict[str, float]  # points possible, by student; "" for all
    locked: set[str]
    lines: list[str] = dataclasses.field(default_factory=list)

    def find(self, text: str) -> str:
        """The key of the student who has this number, other id or name; an empty text where none or several have."""
        return text if text in self.students else self.aliases.get(fold(text), "")


def fold(text: str) -> str:
    """A text as names are compared: without case, accents, spaces and signs."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def read_roster(path: Path, column: str | None = None, to_write: bool = True) -> Roster:
    """The roster of a platform's own export. `column`: the heading that gets the grades, where several could; what is
    wrong with it is said at once, unless nothing is to be written."""
    table = Table(path)
    for read in (canvas, moodle, blackboard, plain):
        if roster := read(table, column):
            if not roster.students:
                raise Problem(f"{table.path.name} looks like an export of {read.__name__}, but names no student")
            if roster.grade < 0 and to_write:
                raise Problem(unclear(table))
            return roster
    raise Problem(f"{table.path.name} is no export of grades that is known here. Its headings are: "
                  f"{', '.join(table.heads[:12])}. A plain table needs `student` and `grade`")


def called(head: str) -> set[str]:
    """What a column may be called: `Fusion (123)` also Fusion or 123; so too Blackboard's `Fusion [Total Pts: …`."""
    return {fold(head), fold(re.sub(r"\s*(\(\d+\)|\[Total Pts.*)$", "", head)), *re.findall(r"(\d+)\)?$", head)}


def the_one(found: list[int], table: Table, column: str | None) -> int:
    """The one column that gets the grades; -1 where that is not clear."""
    table.could = found
    if column is not None:
        found = [i for i, head in enumerate(table.heads) if fold(column) in called(head)]
    return found[0] if len(found) == 1 else -1


def unclear(table: Table) -> str:
    could = ", ".join(f"“{table.heads[i]}”" for i in table.could) or "none that is known here"
    return f"{table.path.name}: which column gets the grades? Name its heading, COLUMN=…; it could be {could}"


def roster_of(platform, table, rows, grade, ids, name, maximum=None, locked=()):
    """A Roster from the columns of ids (the first is the key) and a function that gives a row's name."""
    students, aliases, twice, lines = {}, {}, set(), []
    for row in rows:
        key = table.get(row, ids[0]) if isinstance(ids[0], int) else ids[0](row)
        if not key:
            continue
        if key in students:
            raise Problem(f"{table.path.name} names {key} twice (rows {students[key].row + 1} and {row + 1})")
        students[key] = Student(key, name(row), row)
        for text in [name(row), *(table.get(row, column) for column in ids[1:] if column >= 0)]:
            if fold(text):
                if aliases.setdefault(fold(text), key) != key:
                    twice.add(fold(text))
    for text in twice:  # two of the same name: only their numbers tell them apart
        del aliases[text]
    return Roster(platform, table, students, aliases, grade, maximum or {}, set(locked), lines)


def canvas(table: Table, column: str | None) -> Roster | None:
    key = table.column("ID")
    if key < 0 or table.heads[0] not in ("Student", "LastName") and table.column("Section") < 0:
        return None
    titled = [i for i, head in enumerate(table.heads) if i > key and re.search(r"\S \(\d+\)$", head)]
    grade = the_one(titled, table, column)
    rows = [row for row in range(1, len(table.rows)) if re.fullmatch(r"\d+(~\d+)?", table.get(row, key))]
    possible = [table.get(row, grade) for row in range(1, len(table.rows)) if "Points Possible" in table.get(row, 0)]
    maximum = {"": number(possible[0])} if possible and NUMBER.fullmatch(possible[0]) else {}
    two = table.column("FirstName") if table.heads[0] == "LastName" else -1
    return roster_of("Canvas", table, rows, grade, [key, table.column("SIS User ID"), table.column("SIS Login ID")],
                     lambda row: ", ".join(filter(None, [table.get(row, 0), table.get(row, two)])), maximum)


def moodle(table: Table, column: str | None) -> Roster | None:
    """The headings are in the site's language; the first column says `Participant 1234567`, in that language too.

    A plain table whose ids look alike, s1, s2, has another first heading, or fewer columns than Moodle ever gives.
    """
    if table.heads[0].casefold() in ("student", "key", "username", "email") or len(table.heads) < 5:
        return None
    first = [re.fullmatch(r"(\D+?)\s*(\d+)", table.get(row, 0)) for row in range(1, len(table.rows))]
    if not first or not all(first) or len({match[1] for match in first}) > 1:
        return None
    grade = the_one([i for i, head in enumerate(table.heads) if head == "Grade"], table, column)
    most, may = table.column("Maximum Grade"), table.column("Grade can be changed")
    rows = range(1, len(table.rows))
    keys = {row: match[2] for row, match in zip(rows, first, strict=True)}
    name = table.column("Full name")
    maximum = {keys[row]: number(table.get(row, most)) for row in rows if NUMBER.fullmatch(table.get(row, most))}
    locked = {keys[row] for row in rows if table.get(row, may).casefold() == "no"}
    roster = roster_of("Moodle", table, rows, grade, [keys.get, table.column("ID number"),
                                                      table.column("Email address")],
                       lambda row: table.get(row, name if name >= 0 else 0), maximum, locked)
    if most < 0 or may < 0:
        roster.lines.append("the headings are not in English: maximum and locks are not known here; Moodle itself "
                            "skips a grade above its maximum and one that is locked")
    if table.column("Last modified (grade)") >= 0:
        roster.lines.append("Moodle skips a grade that was changed there after this worksheet was downloaded")
    return roster


def blackboard(table: Table, column: str | None) -> Roster | None:
    key = table.column("Username")
    if key < 0:
        return None
    totals = [re.search(r"\[Total Pts: ([\d.,]+|up to [\d.,]+)[^\]]*\]\s*\|\s*\d+$", head) for head in table.heads]
    grade = the_one([i for i, total in enumerate(totals) if total], table, column)
    points = grade >= 0 and totals[grade] and re.sub(r"up to ", "", totals[grade][1])
    last, first = table.column("Last Name"), table.column("First Name")
    return roster_of("Blackboard", table, range(1, len(table.rows)), grade, [key, table.column("Student ID")],
                     lambda row: ", ".join(filter(None, [table.get(row, last), table.get(row, first)])),
                     {"": number(points)} if points and NUMBER.fullmatch(points) else {})


def plain(table: Table, column: str | None) -> Roster | None:
    ids = [table.column(name) for name in ("student", "key", "id", "username", "email") if table.column(name) >= 0]
    grades = [table.column(name) for name in ("grade", "score", "points") if table.column(name) >= 0]
    if not ids or not grades and column is None:
        return None
    name = table.column("name")
    return roster_of("plain", table, range(1, len(table.rows)), the_one(grades, table, column), ids,
                     lambda row: table.get(row, name if name >= 0 else ids[0]))


def number(text: str) -> float:
    return float(text.replace(",", ".").rstrip("% "))


# --- the submissions


@dataclasses.dataclass
class Submission:
    """What one student handed in."""

    student: str
    name: str
    files: list[Path]            # notebooks, the oldest first
    origin: str                  # Canvas, Moodle, Blackboard or plain
    reply: str = ""              # the path of feedback in a zip that the platform takes back
    late: bool = False
    known: bool = True           # the roster has this student
    notes: list[str] = dataclasses.field(default_factory=list)
    others: list[str] = dataclasses.field(default_factory=list)  # names of files that are no notebooks

    @property
    def path(self) -> Path:
        """The notebook that counts: the one that was handed in last."""
        return self.files[-1] if self.files else Path("(no notebook was handed in)")


@dataclasses.dataclass
class Whose:
    """What the path of a file says."""

    key: str
    name: str
    file: str
    origin: str
    order: tuple = ()
    reply: str = ""
    late: bool = False
    typed: bool = False     # into a field of the page; no file
    extra: bool = False     # the platform's own note about an attempt


CANVAS = re.compile(r"(?:(?P<name>\w+?)_)?(?P<late>LATE_)?(?P<key>anon_[A-Za-z0-9]+|\d+)_(?:(?P<id>\d+)_(?P<file>.+)"
                    r"|(?P<typed>(?:text|link)\.html))")
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<key>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?P<rest>_.*)?")
BLACKBOARD = re.compile(r"(?P<head>.+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.S)


def whose(path: PurePosixPath, roster: Roster | None) -> Whose:
    """Whose a file is, from where it lies. With a roster, only as the roster's platform hands files out."""
    may = {roster.platform} if roster else {"Canvas", "Moodle", "Blackboard"}
    for i, part in enumerate(path.parts):
        if "Moodle" in may and (found := MOODLE.fullmatch(part)):
            inner, rest = path.parts[i + 1:], (found["rest"] or "").lstrip("_")
            own = f"{found['name']}_{found['key']}_assignsubmission_file"
            if rest and not inner:  # flat
                reply, file = f"{own}_feedback.html", rest
            else:
                reply, file = f"{own}{'_' if found['rest'] == '_' else ''}/feedback.html", "/".join(inner)
            return Whose(found["key"], found["name"], file, "Moodle", (), reply, typed=found["kind"] == "onlinetext")
    name = path.name
    if "Blackboard" in may and (found := BLACKBOARD.fullmatch(name)):
        head = found["head"]
        known = [key for key in (roster.students if roster else ()) if head.endswith(f"_{key}")]
        key = max(known, key=len, default=head.rpartition("_")[2])
        return Whose(key, key, found["file"] or "", "Blackboard", (found["time"],), extra=not found["file"])
    if "Canvas" in may and (found := CANVAS.fullmatch(name)) and (roster or found["name"] or "anon_" in name):
        start = name[:found.start("file")] if found["file"] else name[:found.start("typed")]
        known = found["name"] if found["name"] not in (None, "LATE") else found["key"]
        return Whose(found["key"], known, found["file"] or found["typed"], "Canvas",
                     (int(found["id"] or 0),), f"{start}feedback.html", bool(found["late"] or "LATE_anon" in name),
                     typed=not found["file"])
    parts = path.parts if len(path.parts) > 1 else (re.sub(r"(\.ipynb)?(\.txt|\.json|\.zip)?$", "", name), name)
    key = parts[0]
    if roster and not roster.find(key):  # KEY_anything.ipynb
        starts = [known for known in roster.students if re.match(re.escape(known) + r"[_\W]", name)]
        key = max(starts, key=len, default=key)
    return Whose(key, key, "/".join(parts[1:]), "plain", reply=f"{key}.html")


def common_folder(found: list[unpack.Found], roster: Roster | None) -> int:
    """How many folders lie around all that was found: a zip that was packed once more has one of its own. A folder that
    is a student's is none of these."""
    paths, depth = [one.path.parts for one in found], 0
    while len(paths) > 1 and all(len(parts) > depth + 1 for parts in paths) and len({p[depth] for p in paths}) == 1:
        name = paths[0][depth]
        if MOODLE.fullmatch(name) or roster and roster.find(name):
            break
        depth += 1
    return depth


def collect(path: Path, roster: "Roster | Path | None" = None, into: Path | None = None,
            say: Callable[[str], None] = print) -> list[Submission]:
    """The submissions in a folder or zip, by their students. Notebooks are copied to `into` (default: a new temporary
    folder) under safe names; what is not read is a note of the student's, or a line that `say` gets."""
    roster = read_roster(roster, to_write=False) if isinstance(roster, str | Path) else roster
    into, made = Path(into or tempfile.mkdtemp(prefix="submissions-")), {}
    with unpack.opened(path) as found:
        depth, newest = common_folder(found, roster), {}
        for one in found:
            inside = PurePosixPath(*one.path.parts[depth:])
            about = whose(inside, roster)
            if len(inside.parts) == 1 and about.origin == "plain" and not looks_right(inside.name):
                say(f"{inside}: not a submission, left out" + (f" ({one.why})" if one.why else ""))
                continue
            key, known = student_of(about, roster)
            if key not in made:
                name = roster.students[key].name if roster and known else about.name
                made[key] = Submission(key, name, [], about.origin, about.reply, known=known), []
            submission, kept = made[key]
            submission.late |= about.late
            if about.typed:
                submission.notes.append("text was typed into the page: it is not graded")
            elif not about.extra:
                if about.order >= newest.get(key, about.order):  # a reply goes to what was handed in last
                    newest[key], submission.reply = about.order, about.reply
                take(one, about, into / folder_of(key), kept, submission)
    if not made:
        raise Problem(f"{path} holds no submission ({len(found)} files were looked at)")
    for submission, kept in made.values():
        for count, (_, part) in enumerate(sorted(kept), 1):
            submission.files.append(part.rename(part.with_name(f"{count:02d}.ipynb")))
        if not submission.files:
            others = ", ".join(submission.others[:3])
            submission.notes.append("no notebook was handed in" + (f", but {others}" if others else ""))
    return sorted((submission for submission, _ in made.values()),
                  key=lambda one: (not one.known, one.name.casefold(), one.student))


def student_of(about: Whose, roster: Roster | None) -> tuple[str, bool]:
    """(key, whether the roster has it). A platform's number is the only one that counts; a plain folder may be called
    by any id or by the name."""
    if roster is None:
        return about.key, True
    key = roster.find(about.key) if about.origin == "plain" else about.key
    return (key, True) if key in roster.students else (about.key, False)


def folder_of(key: str) -> str:
    """A folder's name that no path hides in, and that no other student has."""
    return f"{re.sub(r'[^A-Za-z0-9-]+', '-', key)[:40]}-{zlib.crc32(key.encode('utf-8', 'replace')):08x}"


def looks_right(name: str) -> bool:
    return ".ipynb" in name.lower() or name.lower().endswith(".zip")


def take(one: unpack.Found, about: Whose, folder: Path, kept: list, submission: Submission, inner: bool = False):
    """Keeps a file if it is a notebook, and those of a zip that a student packed."""
    label = about.file or one.path.name
    name = label.lower()
    try:
        if one.why:
            raise Problem(one.why)
        if not inner and name.endswith(".zip"):
            for member in unpack.nested(one.read(), label):
                take(member, dataclasses.replace(about, file=f"{label}/{member.path}"), folder, kept, submission, True)
            return
        maybe = re.search(r"\.(json|txt)$|^[^.]*$", PurePosixPath(name).name)  # a browser may have added or cut the end
        if ".ipynb" not in name and not (maybe and b'"cells"' in one.read()):
            submission.others.append(label)
            return
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{len(kept)}.part"
        part.write_bytes(one.read())
        kept.append(((about.order, one.time, str(one.path)), part))
    except (Problem, OSError) as problem:
        submission.notes.append(f"{label[:80]}: not read: {problem}")


def unmatched(submissions: list[Submission], roster: Roster) -> list[str]:
    """One line for each student without a submission, and for each submission without a student."""
    there = {one.student for one in submissions}
    if not there & set(roster.students):
        return [f"no submission is of a student in {roster.table.path.name}: is it the export of this very assignment?"]
    lines = [f"no submission: {student.name} ({key})" for key, student in roster.students.items() if key not in there]
    return lines + [f"no student in {roster.table.path.name}: the submission of {one.name} ({one.student}); it gets "
                    "feedback and no grade" for one in submissions if one.student not in roster.students]


# --- the grades


def scores_of(results: list[dict]) -> dict[str, float]:
    """{student: points} of the judge's results."""
    return {one["student"]: sum(exercise["points"] for exercise in one["exercises"]) for one in results}


def write_grades(roster: "Roster | Path", scores: dict[str, float | None], out: Path, maximum: float | None = None,
                 scale: bool = False) -> list[str]:
    """Writes the platform's export with the grades into `out` (a folder, or a file that is not the roster itself).

    Changes a cell only where there is a score, and never one that is excused, locked or of an absent student.
    `maximum`: what the exercises give in all; where the platform has another maximum, `scale` converts, and without it
    that is a Problem. Returns a line for each cell that was left in spite of a score, and what the teacher must know.
    """
    roster = read_roster(roster) if isinstance(roster, str | Path) else roster
    table, lines = roster.table, list(roster.lines)
    if roster.grade < 0:
        raise Problem(unclear(table))
    target = Path(out) / f"grades-{table.path.name}" if Path(out).is_dir() or not Path(out).suffix else Path(out)
    if target.resolve() == table.path.resolve():
        raise Problem(f"{target} is the roster itself: name another file")
    comma = table.delimiter == ";" and any(re.fullmatch(r"\d+,\d+", cell.text.strip())
                                           for row in table.rows for cell in row)
    table.changes.clear()
    replaced = 0
    for key, score in scores.items():
        student = roster.students.get(key)
        if student is None or score is None:
            continue
        most, old = roster.maximum.get(key, roster.maximum.get("")), table.get(student.row, roster.grade)
        who = f"{student.name} ({key})"
        if key in roster.locked:
            lines.append(f"left as it is: {who}: the grade is locked")
            continue
        if old.casefold() not in PENDING and (KEEP.fullmatch(old) or not NUMBER.fullmatch(old)):
            lines.append(f"left as it is: {who}: the cell says “{old}”")
            continue
        if most and maximum and most != maximum:
            if not scale:
                raise Problem(f"{roster.platform} has {most:g} points for “{table.heads[roster.grade]}”, the exercises "
                              f"{maximum:g}: set its points to {maximum:g} there, or convert with SCALE=1")
            score *= most / maximum
        if score < 0 or most and score > most + 1e-9:
            lines.append(f"left as it is: {who}: {score:g} is not between 0 and {most:g}")
            continue
        text = f"{score:.2f}".rstrip("0").rstrip(".")
        if not table.put(student.row, roster.grade, text.replace(".", ",") if comma else text):
            lines.append(f"left as it is: {who}: the row ends before the column “{table.heads[roster.grade]}”")
        elif NUMBER.fullmatch(old) and number(old) != number(text):
            replaced += 1
    if replaced:
        lines.append(f"{replaced} grades that were there already are replaced")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(table.bytes())
    return lines
