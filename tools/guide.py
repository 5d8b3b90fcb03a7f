"""The pages that help to find one's way, made from what is there: notebooks, records, docstrings, data files.

tools/website.py hands it all files of the book. Wherever a page says `<!-- made: NAME -->`, the text of that name is
put in: a path, the glossary, the bibliography, the helper module's API, the book's items, the status, models' values.
"""
import ast
import html
import json
import re
from collections import defaultdict
from pathlib import Path

import nbformat
import pages
import used_by
import yaml

MARK = re.compile(r"<!-- made: ([\w-]+)((?: [\w-]+)*) -->")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\((https?://[^)\s]+)\)")
MACHINES = {"older": "an older processor", "narrow": "one core", "busy": "a busy neighbour",
            "small": "two gigabytes", "bare": "neither compiler nor MXNet"}
KINDS = {"code": "Examples in code", "figure": "Figures", "table": "Tables", "exercise": "Exercises",
         "concept": "Concepts", "helper": "Helpers", "notes": "Readers' notes"}


class Book:
    """The lessons in the order of _toc.yml, and where the course's files are."""

    def __init__(self, files: dict, source: Path):
        self.files, self.source, self.notebooks = files, source, {}
        order = re.findall(r"(?m)^[\s-]*(?:file|root):\s*([\w./-]+)", self.text("_toc.yml"))
        for name in order:
            if (path := f"{name}.ipynb") in files:
                self.notebooks[name] = nbformat.reads(self.text(path), as_version=4)
        self.lessons = [name for name in self.notebooks if name.startswith("chapters/")
                        and not name.endswith("-exercises")]

    def text(self, path: str) -> str:
        return self.files[path].decode("utf8") if path in self.files else ""

    def data(self, path: str):
        return yaml.safe_load(self.text(path)) or []

    def markdown(self, name: str) -> str:
        cells = self.notebooks[name].cells
        return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")

    def title(self, name: str) -> str:
        found = re.search(r"(?m)^# (.+)$", self.markdown(name))
        return found[1].strip() if found else name

    def minutes(self, name: str) -> int:
        return pages.minutes(self.notebooks[name])

    def needs(self, name: str) -> list:
        """The lessons that "Before you start" links to."""
        part = re.search(r"## Before you start\b(.*?)(?=\n## |\Z)", self.markdown(name), re.S)
        table = "\n".join(line for line in part[1].splitlines() if line.startswith("|")) if part else ""
        return [link for link in dict.fromkeys(f"chapters/{target}" for target in
                                               re.findall(r"\]\(([\w-]+)\.ipynb", table)) if link in self.notebooks]

    def question(self, name: str) -> str:
        found = re.search(rf"\({name}\.ipynb\)\s*\|([^|\n]*)\|", self.text("index.md"))
        return found[1].strip() if found else ""


def linked(book: Book, name: str, up: str = "../") -> str:
    return f"[{book.title(name)}]({up}{name}.ipynb)"


def cells(rows: list) -> str:
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


# --- the index, and paths


def widened(book: Book, text: str) -> str:
    """The table of lessons with two more columns: what comes before, and minutes."""

    def row(match):
        name = match["name"]
        if name not in book.notebooks:
            return match[0]
        before = ", ".join(linked(book, need, "") for need in book.needs(name)) or "nothing"
        return f"{match[0]} {before} | {book.minutes(name)} |"

    text = text.replace("| lesson | the question |\n|---|---|",
                        "| lesson | the question | read before | minutes |\n|---|---|---|---|")
    return re.sub(r"(?m)^\| \[[^\]]+\]\((?P<name>chapters/[\w-]+)\.ipynb\) \|[^|\n]*\|$", row, text)


def path(book: Book, *names: str) -> str:
    """A table of these lessons in this order, with what they take in all."""
    rows, total = [("", "lesson", "its question", "minutes")], 0
    for i, name in enumerate((f"chapters/{name}" for name in names), 1):
        if name not in book.notebooks:
            raise ValueError(f"guide/paths.md names {name}, which is not in _toc.yml")
        total += book.minutes(name)
        rows.append((i, linked(book, name), book.question(name), book.minutes(name)))
    hours = f"{total // 60} h {total % 60} min" if total >= 60 else f"{total} minutes"
    return f"{cells(rows)}\n\nIn all: {hours}.\n"


def out_of_order(book: Book, names: list) -> list:
    """Lessons of a path that come before one that they need, where the path has it."""
    names = [f"chapters/{name}" for name in names]
    return [(name, need) for i, name in enumerate(names) for need in book.needs(name) if need in names[i + 1:]]


# --- glossary


def slug(term: str) -> str:
    return "term-" + re.sub(r"[^a-z0-9]+", "-", term.lower()).strip("-")


def glossary(book: Book) -> str:
    parts = []
    for entry in sorted(book.data("guide/glossary.yml"), key=lambda entry: entry["term"].lower()):
        see = f" → {lesson(book, entry['see'])}" if "see" in entry else ""
        parts.append(f"({slug(entry['term'])})=\n**{entry['term']}.** {entry['text'].strip()}{see}")
    return "\n\n".join(parts)


def lesson(book: Book, place: str) -> str:
    """A link to "compilers#four-answers-to-a-branch" that bears the words of the heading."""
    name, _, anchor = place.partition("#")
    if f"chapters/{name}" not in book.notebooks:
        raise ValueError(f"guide/: there is no lesson {name}")
    title, full = book.title(f"chapters/{name}"), f"chapters/{name}"
    if anchor:
        heads = re.findall(r"(?m)^##+ (.+)$", pages.hide_fences(book.markdown(full)))
        words = next((head for head in heads if anchor_of(head) == anchor), None)
        if words is None:
            raise ValueError(f"guide/: {name} has no heading #{anchor}")
        return f"[{title}: {words}](../{full}.ipynb#{anchor})"
    return f"[{title}](../{full}.ipynb)"


def anchor_of(heading: str) -> str:
    text = re.sub(r"[`*]|\$", "", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text))


# --- bibliography: what the lessons link to, with author, title and year from a data file


def sources(book: Book) -> dict:
    """{address: lessons that link to it}."""
    found = defaultdict(list)
    for name in book.lessons:
        for _, address in LINK.findall(book.markdown(name)):
            if name not in found[address]:
                found[address].append(name)
    return dict(found)


def bibliography(book: Book) -> str:
    found, parts = sources(book), []
    entries = book.data("guide/bibliography.yml")
    for entry in sorted(entries, key=lambda entry: (entry["authors"].lower(), entry["year"])):
        used = ", ".join(linked(book, name) for name in found.get(entry["url"], []))
        if not used:
            raise ValueError(f"guide/bibliography.yml: no lesson links to {entry['url']}")
        where = f" {entry['in']}." if "in" in entry else ""
        parts.append(f"- {entry['authors']}: [{entry['title']}]({entry['url']}).{where} {entry['year']}. ← {used}")
    rest = defaultdict(list)
    for address, names in found.items():
        if address not in {entry["url"] for entry in entries}:
            rest[re.match(r"https?://([^/]+)", address)[1]].append((address, names))
    rows = [("site", "pages that lessons link to", "lessons")]
    for site, links in sorted(rest.items()):
        names = dict.fromkeys(name for _, used in links for name in used)
        rows.append((site, " ".join(f"[{i}]({address})" for i, (address, _) in enumerate(links, 1)),
                     ", ".join(linked(book, name) for name in names)))
    return "\n".join(parts) + "\n\n## Documentation and source code\n\n" + cells(rows)


# --- the helper module


def api(book: Book) -> str:
    """Signature and docstring of all that the module exports, and the lessons that use it. Nothing is imported."""
    used = {name: used_by.names_in(book.source / f"{name}.ipynb") for name in book.lessons}
    parts, seen = [], set()
    for wing, face in (("", "d2l_helpers as d2l"), ("hardware/", "d2l_helpers.hardware"),
                       ("distributed/", "d2l_helpers.distributed")):
        parts.append(f"## `import {face}`" if not wing else f"## `from d2l_helpers import {wing[:-1]}`")
        folder = book.source / "d2l_helpers" / wing
        for file, name in sorted(used_by.exported(folder), key=lambda pair: pair[1].lower()):
            places = {f"{file}.py": None, **{path.name: None for path in sorted(folder.glob("*.py"))}}
            found = next(((path, at) for path in places if (at := definition(folder / path, name))), None)
            if name in seen or not found:
                continue
            seen.add(name)
            path, (signature, doc) = found
            by = [linked(book, lesson) for lesson in book.lessons if name in used[lesson]]
            lessons = "all lessons" if len(by) == len(book.lessons) else ", ".join(by) or "no lesson"
            parts.append(f"### `{name}`\n\n```python\n{signature}\n```\n\n```text\n{doc}\n```\n\n"
                         f"In `{wing}{path}`; used by {lessons}.")
    return "\n\n".join(parts)


def definition(file: Path, name: str):
    """(signature, docstring) of what a file defines under this name; a module as a whole; None for neither."""
    if not file.is_file():
        return None
    tree = ast.parse(file.read_text(encoding="utf8"))
    if file.stem == name and not any(getattr(node, "name", "") == name for node in tree.body):
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
        lines = [f"{name}.{node.name}({ast.unparse(node.args)})" for node in functions]
        return "\n".join(lines), ast.get_docstring(tree) or ""
    for node in tree.body:
        if getattr(node, "name", "") == name:
            doc = ast.get_docstring(node) or ""
            if isinstance(node, ast.ClassDef):
                start = next((item for item in node.body if getattr(item, "name", "") == "__init__"), None)
                fields = [ast.unparse(item) for item in node.body if isinstance(item, ast.AnnAssign)]
                args = [part for part in ast.unparse(start.args).split(", ")[1:]] if start else fields
                return f"class {name}({', '.join(args)})", doc
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            return f"{name}({ast.unparse(node.args)}){returns}", doc
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if any(getattr(part, "id", "") == name for target in targets for part in getattr(target, "elts", [target])):
            value = ast.unparse(node)
            return (value if len(value) < 300 else value[:300] + " …"), comment(file, node)
    return None


def comment(file: Path, node) -> str:
    """The comments before an assignment and behind it."""
    lines = file.read_text(encoding="utf8").splitlines()
    above, n = [], node.lineno - 2
    while n >= 0 and lines[n].startswith("#"):
        above.insert(0, lines[n].lstrip("# "))
        n -= 1
    return "\n".join(above + [lines[node.end_lineno - 1].partition("  # ")[2]]).strip()


# --- if you come from the book


def from_d2l(book: Book) -> str:
    parts = []
    for section in book.data("guide/from-d2l.yml"):
        link = f" ([the book's page]({section['url']}))" if "url" in section else ""
        main = f" Here: {', '.join(lesson(book, place) for place in section['here'])}." if section.get("here") else ""
        parts.append(f"## {section['title']}\n\n{section.get('text', '').strip()}{main}{link}".replace("\n\n ", "\n\n"))
        for kind in KINDS:
            rows = [("", "there", "here")]
            for number, what, *places in section.get(kind, []):
                places = [lesson(book, place) if re.fullmatch(r"[\w-]+(#\S+)?", place) else place for place in places]
                places += exercise_pages(book, section["title"].split()[0], number) if kind == "exercise" else []
                rows.append((number, what, "; ".join(places)))
            if len(rows) > 1:
                parts.append(f"**{KINDS[kind]}**\n\n{cells(rows)}")
    return "\n\n".join(parts)


def exercise_pages(book: Book, section: str, number) -> list:
    """Links to the exercises of this course that say that they are this one of the book's."""
    said = re.compile(rf"\(\*Dive into Deep Learning\*,\s+{re.escape(section)},\s+exercises?\s+[\d, and]*\b{number}\b")
    found = []
    for name in book.notebooks:
        for cell in book.notebooks[name].cells if name.endswith("-exercises") else []:
            head = re.match(r"## (.+)", cell.source)
            if head and cell.cell_type == "markdown" and said.search(cell.source):
                found.append(f"[{head[1].strip()}](../{name}.ipynb#{anchor_of(head[1])})")
    return found


# --- status


def status(book: Book) -> str:
    """A line for each notebook: when, where, how quiet, with which versions, and how it did on other machines."""
    record = book.source / "records/machines.json"
    kept = json.loads(record.read_text(encoding="utf8")) if record.is_file() else {}
    tried, of = kept.get("pages", {}), kept.get("of", {})
    stamps = {name: book.notebooks[name].metadata.get("d2l", {}) for name in book.notebooks}
    timed = any("seconds" in stamp for stamp in stamps.values())
    heads = ["page", "executed", *(["took"] if timed else []), "machine", "quiet", "versions", "on other machines"]
    rows = []
    for name, stamp in stamps.items():
        machine, quiet, versions = (stamp.get(key, {}) for key in ("machine", "quiet", "versions"))
        where = [machine.get("cpu"), f"{machine['cores']} cores" if "cores" in machine else "",
                 f"{machine['memory GiB']:g} GiB" if "memory GiB" in machine else "", machine.get("gpu")]
        calm = [f"others used {quiet['others']:.1%}" if "others" in quiet else "",
                f"the host took {quiet['stolen']:.1%}" if "stolen" in quiet else "",
                f"{quiet['cores']:g} cores' worth" if "cores" in quiet else "",
                f"spread {quiet['spread']:.0%}" if "spread" in quiet else ""]
        made = [f"{key} {value}" for key, value in versions.items() if value]
        if not name.endswith("-mxnet"):
            made = [text for text in made if not text.startswith("mxnet")]
        code = pages.version(book.notebooks[name])
        others = [f"{MACHINES.get(key, key)}: {said.split(',')[0]}{' and one line' if ',' in said else ''}"
                  + (" (before its last change)" if of.get(Path(name).name, {}).get(key) != code else "")
                  for key, said in tried.get(Path(name).name, {}).items()]
        took = [f"{stamp['seconds']:.0f} s" if "seconds" in stamp else ""] if timed else []
        line = [stamp.get("date", "not executed"), *took, *(", ".join(filter(None, each)) for each in
                                                           (where, calm, made)), "; ".join(others) or "not tried"]
        link = f'<a class="reference internal" href="../{name}.html">{html.escape(book.title(name))}</a>'
        rows.append(f'<tr id="{Path(name).name}"><th scope="row">{link}</th>'
                    + "".join(f"<td>{html.escape(str(text))}</td>" for text in line) + "</tr>")
    head = "".join(f'<th scope="col">{text}</th>' for text in heads)
    return f'<table class="status"><thead><tr>{head}</tr></thead><tbody>\n' + "\n".join(rows) + "\n</tbody></table>"


# --- some values of the models that guide/explore.md lets one play with: what a reader without scripts sees


def queue(book: Book) -> str:
    """T of a queue: n tasks, t1 to ask, t2 to compute, t3 to hear; as in the lesson on asynchrony."""
    rows = [(n, t1, t2, t3, n * (t1 + t2 + t3), n * max(t1, t2) + min(t1, t2) + t3)
            for n, t1, t2, t3 in ((3, 2, 4, 1), (3, 4, 2, 1), (8, 2, 4, 1), (8, 2, 2, 0))]
    return cells([("n", "t₁", "t₂", "t₃", "a wait after each", "one wait"), *rows])


def overlaps(book: Book) -> str:
    from d2l_helpers import Overlap

    rows = []
    for first, second, both in ((10, 6, 12), (10, 6, 16), (10, 6, 10), (10, 6, 8)):
        ideal, serial = max(first, second), first + second
        found = Overlap(None, ideal, serial, both, ideal / both, 0, 0)
        rows.append((first, second, both, f"{ideal} to {serial}", f"{found.efficiency:.2f}", found.verdict))
    return cells([("first (ms)", "second (ms)", "together (ms)", "bounds", "efficiency", "verdict"), *rows])


def allreduce(book: Book) -> str:
    from d2l_helpers import in_words
    from d2l_helpers.distributed import costs

    rows = []
    for n, size, alpha, rate in ((8, 1e6, 1e-4, 2e7), (8, 1e3, 1e-4, 2e7), (1024, 1e8, 5e-6, 5e10)):
        ways = (costs.star, costs.tree, costs.ring)
        times = [way(n, size).seconds(alpha, rate) for way in ways]
        pieces = costs.best_pieces(n, size, alpha, rate)
        times.append(costs.double_tree(n, size, pieces).seconds(alpha, rate))
        rows.append((n, f"{size:g}", in_words(alpha), f"{rate:g}", *map(in_words, times)))
    return cells([("machines", "bytes", "α", "B (bytes/s)", "star", "tree", "ring", "double tree"), *rows])


def memory(book: Book) -> str:
    rows = []
    for billions, ranks in ((7, 1), (7, 8), (7, 64), (70, 64)):
        kept = [2 + 2 + 12, 2 + 2 + 12 / ranks, 2 + 14 / ranks, 16 / ranks]
        rows.append((f"{billions} billion", ranks, *(f"{each * billions:.4g} GB" for each in kept)))
    return cells([("parameters", "ranks", "DDP", "stage 1", "stage 2", "stage 3"), *rows])


MAKERS = {"path": path, "glossary": glossary, "bibliography": bibliography, "api": api, "from-d2l": from_d2l,
          "status": status, "queue": queue, "overlap": overlaps, "allreduce": allreduce, "memory": memory}


def written(files: dict, source: Path) -> dict:
    """The files with the marks of their pages replaced. ValueError, in clear words, for what does not fit."""
    marked = {name for name, content in files.items() if name.endswith(".md") and b"<!-- made: " in content}
    if not marked:
        return files
    book = Book(files, source)

    def put(match):
        if match[1] not in MAKERS:
            raise ValueError(f"<!-- made: {match[1]} -->: there are {', '.join(MAKERS)}")
        return MAKERS[match[1]](book, *match[2].split())

    new = {name: MARK.sub(put, book.text(name)) for name in marked - {"index.md"}}
    if "index.md" in marked:
        new["index.md"] = widened(book, book.text("index.md").replace("<!-- made: minutes -->\n", ""))
    return files | {name: text.encode("utf8") for name, text in new.items()}
