"""What people read of a grading: feedback for each student, a summary for the teacher, results for Gradescope.

    write(results, out, submissions, roster)    feedback/, feedback.zip, summary.html, points.csv, to-read.csv
    gradescope(result)                          the dict of Gradescope's results.json
    with_read(results, path)                    the results with the points of to-read.csv, when it has been filled in

A result is the judge's plain data: {"student", "notebook", "seed", "seconds", "unsafe", "notes", "exercises": [{"id",
"title", "points", "max", "status", "message"}]}. Feedback shows the messages for students, and no hidden test.
"""
import csv
import html
import io
import json
import re
import zipfile
from pathlib import Path

from .unpack import Problem

STATUS = {  # status of the judge: (word, class, Gradescope's status)
    "passed": ("passed", "good", "passed"), "partly": ("partly", "some", "failed"), "failed": ("failed", "bad", "failed"),
    "not answered": ("not answered", "none", "failed"), "did not run": ("did not run", "bad", "failed"),
    "to be read": ("will be read", "none", None), "read": ("read", "good", None)}
UNSAFE = "This was graded without a sandbox: what the submissions did was not contained."

STYLE = """<style>
:root{color-scheme:light dark;--line:#8886;--good:#1a7f37;--bad:#c62828;--some:#9a6700;--none:#57606a}
@media(prefers-color-scheme:dark){:root{--good:#57d07a;--bad:#ff8a80;--some:#e3b341;--none:#9aa4af}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;
border-bottom:1px solid var(--line)}td.n,th.n{text-align:right;white-space:nowrap}.scroll{overflow-x:auto}
.good{color:var(--good)}.bad{color:var(--bad)}.some{color:var(--some)}.none{color:var(--none)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:inherit}.unsafe{border:2px solid var(--bad);padding:.6rem}
svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:currentColor}
</style>"""


def esc(text) -> str:
    """A text for a page: escaped, without what a terminal or a page would act upon."""
    return html.escape(re.sub(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]", "", str(text)))


def short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def total(result: dict) -> tuple[float, float]:
    return tuple(sum(one[key] for one in result["exercises"]) for key in ("points", "max"))


def page(title: str, body: str) -> str:
    """A page that needs nothing else. No script runs in it, and nothing is loaded, whatever a message holds."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{esc(title)}</title>\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<meta name="viewport" content="width=device-width">\n{STYLE}</head>\n<body>\n{body}\n</body></html>\n')


def table(heads: list, rows: list) -> str:
    """Heads and cells; a head that starts with a space is of numbers. Cells are HTML."""
    kinds = [' class="n"' if head.startswith(" ") else "" for head in heads]
    head = "".join(f'<th scope="col"{kind}>{esc(text.strip())}</th>' for text, kind in zip(heads, kinds, strict=True))
    body = "\n".join("<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
                     for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


# --- for a student


def feedback(result: dict, name: str = "") -> str:
    """The page that a student gets back."""
    got, most = total(result)
    waiting = sum(one["max"] for one in result["exercises"] if one["status"] == "to be read")
    said = f"<p><strong>{short(got)} of {short(most)} points</strong>"
    said += f"; {short(waiting)} of them are for answers that a person will read.</p>" if waiting else ".</p>"
    rows = []
    for one in result["exercises"]:
        word, kind, _ = STATUS.get(one["status"], (one["status"], "none", None))
        rows.append((esc(one["title"]), f'<span class="{kind}">{esc(word)}</span>',
                     f"{short(one['points'])} / {short(one['max'])}", f"<pre>{esc(one.get('message', ''))}</pre>"))
    notes = "".join(f"<li>{esc(note)}</li>" for note in result["notes"])
    body = f"<h1>Feedback: {esc(result['notebook'])}</h1>\n<p>{esc(name or result['student'])}</p>\n{said}\n"
    body += table(["exercise", "result", " points", "what it says"], rows)
    body += f"\n<h2>About your file</h2><ul>{notes}</ul>" if notes else ""
    body += f'\n<p class="unsafe">{UNSAFE}</p>' if result.get("unsafe") else ""
    return page(f"Feedback: {result['notebook']}", body)


# --- for the teacher


def histogram(shares: list[float]) -> str:
    """How many students are in each tenth of the points, as a drawing with a text for those who do not see it."""
    counts = [0] * 10
    for share in shares:
        counts[min(9, int(share * 10 + 1e-9))] += 1
    top, parts = max([1, *counts]), []
    for i, count in enumerate(counts):
        height = 140 * count / top
        parts.append(f'<rect x="{i * 56 + 4}" y="{170 - height:.1f}" width="48" height="{height:.1f}" fill="#4477aa"/>'
                     f'<text x="{i * 56 + 28}" y="{164 - height:.1f}" text-anchor="middle">{count or ""}</text>'
                     f'<text x="{i * 56 + 28}" y="188" text-anchor="middle">{i * 10} to {i * 10 + 10}</text>')
    told = ", ".join(f"{count} from {i * 10} to {i * 10 + 10}" for i, count in enumerate(counts) if count)
    return (f'<svg viewBox="0 0 564 205" role="img" aria-label="Students by percent of the points: {told or "none"}">'
            f'<line x1="0" y1="170.5" x2="564" y2="170.5" stroke="currentColor"/>{"".join(parts)}'
            f'<text x="282" y="203" text-anchor="middle">percent of the points</text></svg>')


def summary(results: list[dict], names: dict[str, str] | None = None, lines: list[str] = ()) -> str:
    """The page with the distribution, the success of each exercise, and each submission's points and time."""
    names, totals = names or {}, [total(result) for result in results]
    shares = [got / most if most else 0.0 for got, most in totals]
    middle = sorted(shares)[len(shares) // 2] if shares else 0.0
    exercises: dict[str, list[dict]] = {}
    for result in results:
        for one in result["exercises"]:
            exercises.setdefault(one["id"], []).append(one)
    rows = []
    for found in exercises.values():
        most, count = found[0]["max"], len(found)
        reached = sum(one["points"] for one in found) / (most * count) if most else 0.0
        kinds = {status: sum(one["status"] == status for one in found) for status in STATUS}
        rows.append((esc(found[0]["title"]), short(most), f"{reached:.0%}",
                     *(kinds[status] or "" for status in ("passed", "partly", "failed", "not answered", "did not run")),
                     kinds["to be read"] + kinds["read"] or ""))
    each = [(esc(names.get(result["student"], result["student"])), f"{short(got)} / {short(most)}",
             f"{result['seconds']:.1f}", "<br>".join(map(esc, result["notes"])))
            for result, (got, most) in zip(results, totals, strict=True)]
    seeds = sorted({str(result["seed"]) for result in results})
    body = f"<h1>Summary: {esc(', '.join(sorted({result['notebook'] for result in results})) or 'nothing')}</h1>\n"
    if any(result.get("unsafe") for result in results):
        body += f'<p class="unsafe">{UNSAFE}</p>\n'
    body += (f"<p>{len(results)} submissions, seed {esc(', '.join(seeds))}, {sum(r['seconds'] for r in results):.0f} s "
             f"in all. Half of the class has {middle:.0%} of the points or more.</p>\n{histogram(shares)}\n")
    if lines:
        body += "<h2>To look at</h2><ul>" + "".join(f"<li>{esc(line)}</li>" for line in lines) + "</ul>\n"
    body += "<h2>Exercises</h2>\n" + table(["exercise", " points", " reached", " passed", " partly", " failed",
                                            " not answered", " did not run", " read by a person"], rows)
    body += "\n<h2>Submissions</h2>\n" + table(["student", " points", " seconds", "notes"], each)
    return page("Summary of a grading", body)


def cell(text) -> str:
    """A text for a spreadsheet: one that begins like a formula is a text all the same."""
    text = str(text)
    return "'" + text if text[:1] in "=+-@\t\r" and not re.fullmatch(r"-?\d+(\.\d+)?", text) else text


def sheet(heads: list, rows: list) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([heads, *([cell(one) for one in row] for row in rows)])
    return out.getvalue()


def with_read(results: list[dict], path: Path) -> list[dict]:
    """The results with the points that a person gave in to-read.csv; rows without points wait on. Raises Problem."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and not {"student", "exercise", "points"} <= set(rows[0]):
        raise Problem(f"{path} needs the columns student, exercise and points")
    given = {(row["student"].lstrip("'"), row["exercise"]): row for row in rows if (row["points"] or "").strip()}
    made = []
    for result in results:
        exercises = []
        for one in result["exercises"]:
            row = given.pop((result["student"], one["id"]), None)
            if row:
                try:
                    points = float(row["points"].replace(",", "."))
                except ValueError:
                    points = -1.0
                if not 0 <= points <= one["max"]:
                    raise Problem(f"{path}: {result['student']}, {one['id']}: “{row['points']}” is not a number from 0 "
                                  f"to {short(one['max'])}")
                one = {**one, "points": points, "status": "read", "message": row.get("comment") or ""}
            exercises.append(one)
        made.append({**result, "exercises": exercises})
    if given:
        raise Problem(f"{path} has points for what is not there: {', '.join(map(' '.join, given))}")
    return made


# --- all of it


def replies(results: list[dict], submissions) -> dict[str, str]:
    """{student: path in the zip}: names that the platform takes back, each only once."""
    asked = {one.student: one.reply for one in submissions or ()}
    made, used = {}, set()
    for result in results:
        name = asked.get(result["student"]) or f"{result['student']}.html"
        name = re.sub(r"[\x00-\x1f\\:*?\"<>|]|\.\.+|^/+", "-", name)
        while name.casefold() in used:
            name = name.removesuffix(".html") + "-.html"
        used.add(name.casefold())
        made[result["student"]] = name
    return made


def write(results: list[dict], out: Path, submissions=(), roster=None, lines: list[str] = ()) -> list[str]:
    """Writes all reports into the folder `out`, and returns what there is, a line for each."""
    out = Path(out)
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    names = {key: student.name for key, student in roster.students.items()} if roster else {}
    names = {one.student: one.name for one in submissions or ()} | names
    places = replies(results, submissions)
    with zipfile.ZipFile(out / "feedback.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for result in results:
            text, place = feedback(result, names.get(result["student"], "")), places[result["student"]]
            path = out / "feedback" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            member = zipfile.ZipInfo(place)  # without a time: the same results make the same zip
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, text)
    (out / "summary.html").write_text(summary(results, names, lines), encoding="utf-8")
    ids = list(dict.fromkeys(one["id"] for result in results for one in result["exercises"]))
    rows = []
    for result in results:
        points = {one["id"]: short(one["points"]) for one in result["exercises"]}
        rows.append([result["student"], names.get(result["student"], ""), short(total(result)[0]),
                     *(points.get(name, "") for name in ids)])
    (out / "points.csv").write_text(sheet(["student", "name", "points", *ids], rows), encoding="utf-8")
    made = [f"{out / 'summary.html'}: the class at a glance", f"{out / 'feedback.zip'}: feedback, for the platform",
            f"{out / 'points.csv'}: points of each exercise"]
    waiting = [[result["student"], one["id"], one["title"], short(one["max"]), "", ""] for result in results
               for one in result["exercises"] if one["status"] == "to be read"]
    if waiting:
        to_read = out / "to-read.csv"
        if to_read.exists():  # somebody may be filling it in
            to_read = out / "to-read-new.csv"
        to_read.write_text(sheet(["student", "exercise", "title", "max", "points", "comment"], waiting),
                           encoding="utf-8")
        made.append(f"{to_read}: {len(waiting)} answers for a person to read; fill in the points")
    return made


# --- Gradescope


def gradescope(result: dict) -> dict:
    """What Gradescope reads as results.json. The output of the tests is for the student, as plain text."""
    tests = []
    for number, one in enumerate(result["exercises"], 1):
        word, _, status = STATUS.get(one["status"], (one["status"], "none", "failed"))
        said = "\n".join(filter(None, [word, one.get("message", "")]))
        tests.append({"score": one["points"], "max_score": one["max"], "name": one["title"], "number": str(number),
                      "output": said, "output_format": "text", "tags": [one["id"]], "visibility": "visible",
                      **({"status": status} if status else {})})
    notes = [*result["notes"], *([UNSAFE] if result.get("unsafe") else [])]
    return {"score": total(result)[0], "execution_time": round(result["seconds"]), "output": "\n".join(notes),
            "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden", "tests": tests}


def write_gradescope(result: dict, path: Path) -> None:
    """Writes results.json; in Gradescope's machine it belongs at /autograder/results/results.json."""
    path = Path(path)
    path = path / "results.json" if path.suffix != ".json" else path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(gradescope(result), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
