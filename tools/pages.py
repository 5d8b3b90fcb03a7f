"""The pages with code: which there are, setup cell and drawings, tidy form, stamp, and what must not stand in them.

Nothing here executes a page (run.py does) and nothing prints.
"""
import base64
import dataclasses
import hashlib
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path

import nbformat
import yaml

ROOT = Path(__file__).resolve().parent.parent

SETUP = '''\
# The course's helper module. Where it is missing (on Colab), it is installed; nothing else changes.
import importlib, importlib.util, subprocess, sys

if importlib.util.find_spec("d2l_helpers") is None:
    source = "git+{url}@{branch}"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-input", source]
    if subprocess.run(pip, capture_output=True).returncode != 0:
        sys.exit(f"d2l_helpers could not be installed from {{source}}: is the network up and the address right?")
    importlib.invalidate_caches()
import d2l_helpers as d2l'''


# --- which pages

def listed(root=ROOT):
    """Paths of the pages in the order of _toc.yml, then any other."""
    found = sorted((root / "chapters").glob("*.ipynb"))
    toc = (root / "_toc.yml").read_text(encoding="utf-8") if (root / "_toc.yml").exists() else ""
    order = re.findall(r"(?m)^[\s-]*file:\s*([\w./-]+)", toc)  # the order of the lines is that of the pages
    place = {name: i for i, name in enumerate(order)}
    return sorted(found, key=lambda path: (place.get(f"chapters/{path.stem}", len(place)), path.name))


def chosen(names=(), root=ROOT):
    """The listed pages of these names (a path or a bare name); all where none is given. ValueError for another."""
    wanted = {Path(name).stem for name in names}
    if unknown := sorted(wanted - {path.stem for path in listed(root)}):
        raise ValueError(f"there is no notebook chapters/{unknown[0]}.ipynb")
    return [path for path in listed(root) if not wanted or path.stem in wanted]


def read(path):
    """A notebook. Missing or double cell ids are mended as nbformat does it; the rule of the tests names them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nbformat.reads(Path(path).read_text(encoding="utf-8"), as_version=4)


def canonical(notebook):
    """The one text of a notebook: sorted keys, indent 1, Unicode as it is, a newline at the end."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def replace(path, text):
    """Write a file in one step, and only if its text changes."""
    if path.read_text(encoding="utf-8") != text:
        new = path.with_suffix(".new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


# --- what a tool writes into a page: the setup cell, and the drawings (Colab has no second file)

DRAWING = re.compile(r'<img data-drawing="([\w-]+)" alt="([^"]*)" src="([^"]*)">')


# In the table under "Before you start": what it takes is computed, not claimed.
CLAIM = re.compile(r"(## Before you start\b(?:(?!\n#).)*?\b)(\d+) minutes", re.S)


def setup_cell(root=ROOT):
    """The text of every page's setup cell, with the repository's address from `_config.yml`."""
    repository = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["repository"]
    return SETUP.format(url=repository["url"].rstrip("/"), branch=repository.get("branch", "main"))


def is_setup(cell):
    return cell.cell_type == "code" and "setup" in cell.metadata.get("tags", [])


def drawn(name, root=ROOT):
    """The address that holds the whole of images/NAME.svg."""
    return "data:image/svg+xml;base64," + base64.b64encode((root / "images" / f"{name}.svg").read_bytes()).decode()


def hide_fences(text):
    """The text without its fenced code: what is in there is neither heading nor prose."""
    return re.sub(r"(?ms)^(```+|~~~+).*?^\1\s*?$", "", text)


def prose(text):
    """The text without code, formulas and the targets of links."""
    text = re.sub(r"`[^`]*`", " ` ", hide_fences(text))
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$\n]+\$", " ` ", text)
    text = re.sub(r"<img [^>]*>", " ", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def words(text):
    return len(re.findall(r"\w[\w'’-]*", prose(text)))


def minutes(notebook):
    """How long a page takes: 130 words of prose or 13 lines of code a minute; of exercises, what their tables say."""
    if is_exercises(notebook):
        return sum(exercise.minutes for exercise in exercises(notebook))
    prose_words = sum(words(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")
    code_lines = sum(bool(line.strip()) for cell in code_cells(notebook) if not is_setup(cell)
                     for line in cell.source.splitlines())
    return max(1, round(prose_words / 130 + code_lines / 13))


# --- pages of exercises

EXERCISE = re.compile(r"## Exercise (\d+): *(\S.*)")
COLUMNS = ["points", "minutes", "difficulty", "hardware", "serves"]
# A row `| points | 7 |`, or a column behind that of the minutes.
POINTS = re.compile(r"(## Before you start\b(?:(?!\n#).)*?(?:\| *points *\| *|minutes *\| *))(\d+)(?= *\|)", re.S)


@dataclasses.dataclass
class Exercise:
    """One exercise of a page: what its table says, and its cells. Where the table is unreadable, `row` is empty."""

    number: int
    title: str
    cells: list
    row: dict

    @property
    def points(self):
        return whole(self.row.get("points"))

    @property
    def minutes(self):
        return whole(self.row.get("minutes"))

    @property
    def lesson(self):
        """(name of the lesson, its title on the link, the objective that the exercise serves)"""
        found = re.match(r"\[([^\]]+)\]\(([\w-]+)\.ipynb[^)]*\)\s*:?\s*(.*)", self.row.get("serves", ""))
        return (found[2], found[1], found[3].strip()) if found else ("", "", "")

    @property
    def graded(self):
        return [cell for cell in self.cells if cell.metadata.get("nbgrader", {}).get("grade")]


def whole(text):
    return int(text) if re.fullmatch(r"\d+", text or "") else 0


def is_exercises(notebook):
    return bool(notebook.cells) and notebook.cells[0].source.startswith("# Exercises:")


def exercises(notebook):
    """The exercises of a page, in their order."""
    found = []
    for cell in notebook.cells:
        heading = EXERCISE.match(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            table = [line.strip() for line in cell.source.split("\n")[1:] if line.strip()][:3]
            rows = [[text.strip() for text in line.strip("|").split("|")] for line in table if line.startswith("|")]
            right = len(rows) == 3 and rows[0] == COLUMNS and len(rows[2]) == len(COLUMNS)
            row = dict(zip(COLUMNS, rows[2], strict=True)) if right else {}
            found.append(Exercise(int(heading[1]), heading[2].strip(), [cell], row))
        elif cell.cell_type == "markdown" and re.match(r"## ", cell.source):
            if found and cell.source.startswith("## Where next"):
                break
        elif found:
            found[-1].cells.append(cell)
    return found


def write_parts(notebook, root=ROOT):
    """Put in the setup cell's text, the drawings and the minutes. A fresh stamp stays fresh: its output is none."""
    fresh, time = not stale(notebook, root), f"{minutes(notebook)} minutes"
    points = str(sum(exercise.points for exercise in exercises(notebook)))
    for cell in notebook.cells:
        if is_setup(cell):
            cell.source = setup_cell(root)
        elif cell.cell_type == "markdown":
            cell.source = DRAWING.sub(
                lambda m: f'<img data-drawing="{m[1]}" alt="{m[2]}" src="{drawn(m[1], root)}">', cell.source)
            cell.source = CLAIM.sub(lambda m: m[1] + time, cell.source)
            if is_exercises(notebook):
                cell.source = POINTS.sub(lambda m: m[1] + points, cell.source)
    if fresh:
        notebook.metadata.d2l.update(made_from(notebook, root))


# --- the stamp: what the outputs were made from

WINGS = {"hardware": "hardware", "distributed": "distributed", "mxnet": "mxnet.py"}  # all else is the core
WORDS = {"source": "its code has changed", "core": "the core of d2l_helpers has changed",
         "records": "a record that it shows has changed"}


def wings(code):
    """The wings that this code imports, also in a script that it writes."""
    named = " ".join(a or b for a, b in re.findall(r"from\s+d2l_helpers\s+import\s+(?:\(([^)]*)\)|([^\n]*))", code))
    return [wing for wing in WINGS if re.search(rf"\bd2l_helpers\.{wing}\b", code) or re.search(rf"\b{wing}\b", named)]


def records(code):
    """The names of the records that this code may show."""
    return sorted(set(re.findall(r"\brecorded\(\s*[\"']([\w-]+)[\"']", code)))


KINDS = {".py", ".c", ".csv", ".json", ".mplstyle", ".cfg", ".css", ".html", ".js", ".svg", ".toml", ".yml", ""}


def digest(paths, root):
    """One hash of files, names and contents; line endings and what an interpreter or an editor leaves do not count."""
    total = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file() and path.suffix in KINDS:
            total.update(path.relative_to(root).as_posix().encode() + b"\0")
            total.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return total.hexdigest()


def made_from(notebook, root=ROOT):
    """Digests of what an output depends on: the code, the core, each imported wing, the records. Prose is not in it."""
    code = "\0".join(cell.source for cell in code_cells(notebook))
    helpers = root / "d2l_helpers"
    found = {"source": hashlib.sha256(code.encode()).hexdigest(),
             "core": digest((path for path in helpers.iterdir() if path.name not in WINGS.values()), root)}
    for wing in wings(code):
        place = helpers / WINGS[wing]
        found[wing] = digest(place.rglob("*") if place.is_dir() else [place], root)
    names = records(code)
    if re.search(r"\bgpu_measured\b", code):  # which shows the records of all GPUs
        names += sorted(path.stem for path in (root / "records").glob("gpu-*.json"))
    if names:
        found["records"] = digest([root / "records" / f"{name}.json" for name in names], root)
    return found


def version(notebook):
    """A short name for the code of a page: another code, another name."""
    return hashlib.sha256("\0".join(cell.source for cell in code_cells(notebook)).encode()).hexdigest()[:12]


def stale(notebook, root=ROOT):
    """Why the stored outputs are not those of the code, in words; an empty text if they are."""
    stamp = notebook.metadata.get("d2l", {})
    if not stamp:
        return "no stamp"
    if any(cell.execution_count is None for cell in code_cells(notebook)):
        return "a cell without outputs"
    changed = [key for key, now in made_from(notebook, root).items() if stamp.get(key) != now]
    return ", ".join(WORDS.get(key, f"d2l_helpers.{key} has changed") for key in changed)


def fingerprint(notebook, root=ROOT):
    """A digest of all that a test of this page depends on. While it is the same, what passed passes again."""
    cells = [(cell.source, cell.metadata.get("tags", []), cell.outputs) for cell in code_cells(notebook)]
    around = [(root / name).read_text("utf-8") for name in ("requirements.txt", "tests/notebooks/sanitize.cfg")]
    everything = [cells, made_from(notebook, root), around, sys.version]
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


# --- the tidy form

def tidy(notebook):
    """Take out of a notebook what editors and kernels leave in it, in place."""
    meta = notebook.metadata
    kept = {key: meta[key] for key in ("accelerator", "colab", "d2l") if key in meta}
    kept["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    kept["language_info"] = {"name": "python"}
    notebook.metadata = nbformat.from_dict(kept)
    notebook.nbformat_minor = 5
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in ("mystnb", "nbgrader", "tags") if cell.metadata.get(key)})
    return notebook


# --- what must not stand in committed outputs

def output_texts(cell):
    """(what, text) for every readable piece of a code cell's outputs."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield output.name, output.text
        elif output.output_type == "error":
            yield "error", f"{output.ename}: {output.evalue}"
        else:
            for kind, data in output.data.items():
                if kind.startswith("text/") or kind.endswith(("json", "xml")):
                    yield kind, data if isinstance(data, str) else str(data)


def machine_path():
    """A pattern for paths that belong to one machine: this one's, and the usual places of others."""
    own = {str(ROOT), str(Path.home()), tempfile.gettempdir(), sys.prefix} - {"/", "/usr", "/usr/local"}
    usual = [r"/home/\w+", r"/Users/\w+", r"/root", r"/tmp", r"/var/folders"]
    return re.compile(r"(?<![\w.~-])(?:" + "|".join([*map(re.escape, own), *usual]) + r")(?![\w-])"
                      r"|site-packages|dist-packages|[A-Z]:\\Users")


def output_problems(notebook):
    """One line for each, naming the cell."""
    problems, path = [], machine_path()
    for number, cell in enumerate(notebook.cells, 1):
        for kind, text in output_texts(cell):
            first = text.strip().split("\n")[0][:100]
            if kind == "error":
                problems.append(f"cell {number}: a stored error: {first}")
            elif kind == "stderr":
                problems.append(f"cell {number}: output on stderr: {first}")
            elif re.search(r"\b\w*Warning: ", text):
                problems.append(f"cell {number}: a warning: {first}")
            if found := path.search(text):
                problems.append(f"cell {number}: a path of one machine: {found.group()}")
            if re.search(r"\r(?!\n)|[█▏▎▍▌▋▊▉]", text):
                problems.append(f"cell {number}: a progress bar: {first}")
            if "jupyter.widget" in kind:
                problems.append(f"cell {number}: a widget (use tqdm.std rather than tqdm.auto)")
    return problems
