"""The rules for pages. Each is a function from a lesson to a list of complaints; an empty list is a pass.

`RULES` gives for each rule the command or the deed that mends it. To add a rule, write the function, name it
there, and add a notebook that breaks it to test_rules.py.
"""
import ast
import copy
import functools
import json
import re
import statistics
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import course_tables
import pages
import quiet as quietness
from pages import hide_fences, prose, words

LONGEST_CELL, MEDIAN_CELL = 25, 6  # lines
WORDS = (20, 90)                   # of prose for each code cell, on average
LONGEST_PAGE = 45                  # minutes, as computed
LARGEST_FILE = 1_500_000           # bytes
SHORTEST_ALT = 20                  # characters
FIRST = ["What you will be able to do", "Before you start"]
LAST = ["Summary", "Where next"]
TAGS = {"setup", "hide-cell", "hide-input", "hide-output", "nbval-ignore-output", "goals", "gpu"}
GOALS = {"goals", "hide-cell", "nbval-ignore-output"}
MXNET = "d2l.need_mxnet()\nfrom d2l_helpers.mxnet import mx, np, npx"


class Lesson:
    """One notebook, as its rules see it."""

    def __init__(self, path, root=pages.ROOT):
        self.path, self.root = Path(path), Path(root)
        self.text = self.path.read_text(encoding="utf-8")
        self.notebook = pages.read(self.path)
        self.cells = list(enumerate(self.notebook.cells, 1))
        self.code = [(n, c) for n, c in self.cells if c.cell_type == "code"]
        self.markdown = [(n, c) for n, c in self.cells if c.cell_type == "markdown"]

    def sections(self):
        """The level-2 headings with what stands under each: [(heading, [(number, cell type, text)])]."""
        found = [("", [])]
        for number, cell in self.cells:
            if cell.cell_type != "markdown":
                found[-1][1].append((number, cell.cell_type, cell.source))
                continue
            parts = re.split(r"(?m)^## +(.*?)\s*$", hide_fences(cell.source))
            for i, part in enumerate(parts):
                if i % 2:
                    found.append((part, []))
                elif part.strip():
                    found[-1][1].append((number, "markdown", part))
        return found


def tags(cell):
    return set(cell.metadata.get("tags", []))


def lines(cell):
    return [line for line in cell.source.split("\n") if line.strip()]


# --- shape

def skeleton(lesson):
    """Title and opening, what one will be able to do, prerequisites and minutes, setup, sections, summary, next."""
    wrong, sections = [], lesson.sections()
    opening = "".join(text for _, kind, text in sections[0][1] if kind == "markdown")
    titles = [n for n, cell in lesson.markdown for _ in re.findall(r"(?m)^# ", hide_fences(cell.source))]
    if titles != [1] or not re.match(r"# \S", opening):
        wrong.append("cell 1: must start with `# Title`, the only heading of level 1")
    if not words(re.sub(r"(?m)^#.*$", "", opening)):
        wrong.append("cell 1: a paragraph that opens the lesson is missing under the title")
    headings = [heading for heading, _ in sections[1:]]
    if headings[:2] != FIRST or headings[-2:] != LAST:
        wrong.append(f"headings of level 2 must start with {FIRST} and end with {LAST}; they are {headings}")
        return wrong
    if len(headings) < 5:
        wrong.append("there is no section between the start and the summary")
    body = {heading: "\n".join(text for _, kind, text in parts if kind == "markdown") for heading, parts in sections}
    if not re.search(r"(?m)^[-*] ", body[FIRST[0]]):
        wrong.append(f"`## {FIRST[0]}` must be a list")
    if not re.search(r"(?m)^\|.*\|", body[FIRST[1]]) or not re.search(r"\d+ minutes", body[FIRST[1]]):
        wrong.append(f"`## {FIRST[1]}` must hold a table with the prerequisites and the time as `N minutes`")
    if not re.search(r"\]\([^)]+\)", body[LAST[1]]):
        wrong.append(f"`## {LAST[1]}` must hold a link")
    code_before = [number for _, parts in sections[:3] for number, kind, _ in parts if kind == "code"]
    setup = [n for n, cell in lesson.code if pages.is_setup(cell)]
    if len(setup) != 1 or setup != code_before[:1]:
        wrong.append(f"the setup cell must be the first code cell and stand before the first section; it is {setup}, "
                     f"and before the first section stand the code cells {code_before}")
    return wrong


def setup(lesson):
    """The same setup cell in every lesson, with the address of _config.yml, folded on the site."""
    wrong = []
    for n, cell in filter(lambda numbered: pages.is_setup(numbered[1]), lesson.code):
        if cell.source != pages.setup_cell(lesson.root):
            wrong.append(f"cell {n}: the setup cell differs from the one that _config.yml gives")
        if tags(cell) != {"setup", "hide-cell"}:
            wrong.append(f"cell {n}: the setup cell's tags must be setup and hide-cell")
    return wrong


def length(lesson):
    """Short cells: the median and the longest."""
    counts = [(len(lines(cell)), n) for n, cell in lesson.code if not pages.is_setup(cell)]
    wrong = [f"cell {n}: {count} lines, more than {LONGEST_CELL}" for count, n in counts if count > LONGEST_CELL]
    median = statistics.median(count for count, _ in counts) if counts else 0
    if median > MEDIAN_CELL:
        wrong.append(f"the median code cell has {median:g} lines, more than {MEDIAN_CELL}; "
                     f"the longest are cells {[n for _, n in sorted(counts, reverse=True)[:5]]}")
    return wrong


def minutes(lesson):
    """The time stated is the one computed, and short enough for one sitting."""
    computed = pages.minutes(lesson.notebook)
    claims = [int(found[2]) for _, cell in lesson.markdown for found in pages.CLAIM.finditer(cell.source)]
    wrong = [] if claims == [computed] else [f"the table says {claims} minutes, computed are {computed}"]
    if computed > LONGEST_PAGE and not pages.is_exercises(lesson.notebook):
        wrong.append(f"{computed} minutes, more than {LONGEST_PAGE}; make it two pages, or cut")
    return wrong


def prose_first(lesson):
    """Prose before code in every section, and about as much of it in all lessons."""
    wrong = []
    for heading, parts in lesson.sections()[3:]:
        kinds = [kind for _, kind, text in parts if kind == "code" or words(re.sub(r"(?m)^#.*$", "", text))]
        if kinds[:1] != ["markdown"]:
            wrong.append(f"section `{heading}`: needs prose before its first code cell")
    code = [n for n, cell in lesson.code if not pages.is_setup(cell)]
    average = sum(words(cell.source) for _, cell in lesson.markdown) / max(1, len(code))
    if code and not WORDS[0] <= average <= WORDS[1]:
        wrong.append(f"{average:.0f} words of prose for each code cell; wanted are {WORDS[0]} to {WORDS[1]}")
    return wrong


# --- what was executed

def executed(lesson):
    """Every code cell executed, from top to bottom in one go."""
    return [f"cell {n}: execution count {cell.execution_count}, expected {place}"
            for place, (n, cell) in enumerate(lesson.code, 1) if cell.execution_count != place]


def fresh(lesson):
    """Outputs made from this code with this helper module."""
    reason = pages.stale(lesson.notebook, lesson.root)
    return [f"the outputs are stale: {reason}"] if reason else []


def quiet(lesson):
    """Outputs made on a quiet machine; the stamp holds the figures."""
    problem = quietness.verdict(lesson.notebook.metadata.get("d2l", {}).get("quiet", {}))
    return [f"the record is of no quiet machine: {problem}"] if problem else []


def clean_outputs(lesson):
    """No error, warning, path of a machine, progress bar or widget in what a reader sees."""
    return pages.output_problems(lesson.notebook)


# What the tag may hide from comparison: a number with a unit or with a decimal point, a number that the output itself
# calls measured, a verdict of the helpers, or the line in which a cell says what this machine lacks.
MEASURED = re.compile(
    r"\d\s*(×|x\b|%|[mµμun]?s\b|sec|minutes?\b|[KMGT]?i?B\b|[KMGT]?B/s|[KMGT]?FLOP|[GM]Hz|cores?\b|page faults\b)"
    r"|\d\.\d|\bmeasured -?\d"
    r"|\b(faster|slower) than\b|\bno detectable difference\b|\bgoal (met|NOT met|undecided)\b|\bcannot tell\b"
    r"|\b(no [\w +]+|NOT measured|left out) here\b|^left out:", re.M)


def ignore_output(lesson):
    """nbval compares every output but the measured ones: the tag stands only where a measurement is printed."""
    wrong = []
    for n, cell in lesson.code:
        if "nbval-ignore-output" not in tags(cell) or cell.execution_count is None:
            continue
        shown = [text for _, text in pages.output_texts(cell)]
        figure = any(kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {}))
        frame = any(re.search(r"<td[^>]*>\s*-?\d+\.\d", text) for text in shown)
        if not (figure or frame or any(MEASURED.search(text) for text in shown)):
            wrong.append(f"cell {n}: nbval-ignore-output, but its output holds no measurement; remove the tag")
        if tags(cell) & {"hide-cell", "hide-output"} and "goals" not in tags(cell):
            wrong.append(f"cell {n}: a measurement is never hidden; remove the tag hide-cell or hide-output")
    return wrong


def semicolon(lesson):
    """nbval executes without a history, and so IPython does not see the semicolon that would hide a value."""
    return [f"cell {n}: it ends in a semicolon, which hides nothing under nbval; give the value a name"
            for n, cell in lesson.code
            if cell.source.rstrip().endswith(";") and "nbval-ignore-output" not in tags(cell)]


def known_tags(lesson):
    """Only these tags; none that skips a cell, expects an error, or hides a cell that its download still shows."""
    wrong = [f"cell {n}: the tag {tag} is not among {sorted(TAGS)}"
             for n, cell in lesson.cells for tag in sorted(tags(cell) - TAGS)]
    wrong += [f"cell {n}: use the tag nbval-ignore-output rather than a comment for nbval"
              for n, cell in lesson.code if re.search(r"(?m)^\s*#\s*(NBVAL|PYTEST)_", cell.source)]
    return wrong


# --- what is written

UNIT = (r"×|x(?!\w)|[mµμun]?s(?![\w’'])|(?:milli|micro|nano)?sec(?:ond)?s?(?!\w)"
        r"|[KMGT]i?B/s|[KMGTP]?FLOPS?(?:/s)?(?!\w)|%")
TYPED = re.compile(rf"(?<![\w.,])\d[\d.,]*(?:\s*(?:to|-|–)\s*\d[\d.,]*)?[ \u00a0\u202f]?(?:{UNIT})")
NO_MEASUREMENT = re.compile(
    r"\d[\d.,]*\s*[×x]\s*\d[\d.,]*"                                      # a product, 512 × 256
    r"|\b(?:19|20)\d0s\b"                                                # a decade
    r"|\d+ ?[%](?= (?:confidence|interval|quantile|percentile))|100 ?%")  # the name of an interval; all
SOURCE = re.compile(r"\]\([^)]+\)|\[\^[^\]]+\]|<https?:")


def paragraphs(text):
    """Blocks between blank lines; the items of a list are blocks of their own, a table is one."""
    return re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)", text)


def typed_numbers(lesson):
    """No measurement typed by hand: a cell prints it, or its paragraph names the source with a link or footnote."""
    wrong = []
    for n, cell in lesson.markdown:
        for block in paragraphs(hide_fences(cell.source)):
            if SOURCE.search(block):
                continue
            found = TYPED.search(NO_MEASUREMENT.sub(" ", prose(block)))
            if found:
                wrong.append(f"cell {n}: `{found.group()}` is typed by hand, without a source")
    return wrong


def alt_text(lesson):
    """Every figure says in words what it shows, and none comes from a second file."""
    wrong = []
    for n, cell in lesson.code:
        figure = any(kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {}))
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if figure and len(alt) < SHORTEST_ALT:
            wrong.append(f"cell {n}: metadata mystnb.image.alt has {len(alt)} characters, wanted {SHORTEST_ALT}")
    for n, cell in lesson.markdown:
        for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)", hide_fences(cell.source)):
            if len(alt) < SHORTEST_ALT:
                wrong.append(f"cell {n}: the picture {target[:40]} needs {SHORTEST_ALT} characters of alt text")
            if not target.startswith(("data:", "attachment:")):
                wrong.append(f"cell {n}: the picture {target} is missing on Colab; embed it or draw it in a cell")
    return wrong


def drawings(lesson):
    """A drawing in the text is one of images/, as it is now, with words for those who do not see it."""
    wrong = []
    for n, cell in lesson.markdown:
        found = pages.DRAWING.findall(cell.source)
        if len(found) < cell.source.count("<img"):
            wrong.append(f'cell {n}: write a drawing as <img data-drawing="NAME" alt="…" src="">')
        for name, alt, source in found:
            if len(alt) < SHORTEST_ALT:
                wrong.append(f"cell {n}: the drawing {name} needs {SHORTEST_ALT} characters of alt text")
            if not (lesson.root / "images" / f"{name}.svg").exists():
                wrong.append(f"cell {n}: images/{name}.svg does not exist")
            elif source != pages.drawn(name, lesson.root):
                wrong.append(f"cell {n}: the drawing differs from images/{name}.svg")
    return wrong


def readable_anywhere(lesson):
    """What Colab and the repository's page cannot read: MyST's backtick fences and roles. ::: fences are fine."""
    wrong = []
    for n, cell in lesson.markdown:
        if re.search(r"(?m)^\s*(```+|~~~+)\s*\{", cell.source):
            wrong.append(f"cell {n}: write a MyST directive as a ::: fence")
        if re.search(r"\{[a-z][\w:-]*\}`", hide_fences(cell.source)):
            wrong.append(f"cell {n}: write a plain link rather than a MyST role")
    return wrong


def links(lesson):
    """Relative links lead to files that are there."""
    wrong = []
    for n, cell in lesson.markdown:
        text = re.sub(r"`[^`]*`", "", hide_fences(cell.source))
        for target in re.findall(r"\]\(<?([^)\s>]+)", text):
            place = target.split("#")[0]
            if place and not re.match(r"[a-z]+:", target) and not (lesson.path.parent / place).exists():
                wrong.append(f"cell {n}: {target} does not exist")
    return wrong


# --- what is imported and read

def trees(lesson, scripts=True):
    """(number, syntax tree) of each code cell, with or without those that write a script."""
    for n, cell in lesson.code:
        if scripts or not cell.source.startswith("%%"):
            plain = "\n".join("pass" if re.match(r"[%!]", line) else line for line in cell.source.split("\n"))
            yield n, ast.parse(plain)


def imported(tree):
    """(module, names) for each absolute import: names is None for `import module`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module, [alias.name for alias in node.names]


def on_top(tree):
    """The imports that are made when the cell is run, not those within a function."""
    return [found for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for found in imported(node)]


installed = functools.cache(packages_distributions)  # {module: packages}; it takes a moment


def unlisted(names, root):
    """Those of the top-level modules that are neither Python's own nor brought by a line of requirements.txt."""
    text = (root / "requirements.txt").read_text(encoding="utf-8")
    required = {re.sub(r"[-_.]+", "-", name).lower() for name in re.findall(r"(?m)^([A-Za-z][\w.-]*)", text)}
    homes = installed()
    packages = {name: {re.sub(r"[-_.]+", "-", p).lower() for p in [name, *homes.get(name, [])]} for name in names}
    return sorted(name for name in packages if name not in sys.stdlib_module_names and not packages[name] & required)


def imports(lesson):
    """Every import is Python's own, is in requirements.txt, or was written by a cell (%%writefile)."""
    written = {name for _, cell in lesson.code for name in re.findall(r"^%%writefile (?:-a )?(\w+)\.py\n", cell.source)}
    known = {"d2l_helpers", "IPython", *written}  # the kernel brings IPython
    return [f"cell {n}: imports {name}, which is not in requirements.txt" for n, tree in trees(lesson)
            for name in unlisted({module.split(".")[0] for module, _ in imported(tree)} - known, lesson.root)]


def faces(lesson):
    """Of the helper module, only its four faces: d2l_helpers as d2l, .hardware, .distributed, .mxnet."""
    wrong, inner = [], {path.stem for path in (lesson.root / "d2l_helpers").glob("*.py")}
    for n, tree in trees(lesson):
        for module, names in imported(tree):
            allowed = {"d2l_helpers": {None, "hardware", "distributed"}}.get(module)
            if allowed and not set(names or [None]) <= allowed:
                wrong.append(f"cell {n}: from d2l_helpers import {', '.join(names)}; write d2l.{names[0]}")
            elif module.startswith("d2l_helpers.") and module.split(".", 1)[1] not in pages.WINGS:
                wrong.append(f"cell {n}: {module} is behind the faces")
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (
                    node.attr.startswith("_") and node.value.id in {"d2l", *pages.WINGS}):
                wrong.append(f"cell {n}: {node.value.id}.{node.attr} is private")
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and (
                    isinstance(node.value.value, ast.Name) and node.value.value.id == "d2l"
                    and node.value.attr in inner):
                wrong.append(f"cell {n}: d2l.{node.value.attr}.{node.attr} is behind the faces")
    return wrong


def mxnet(lesson):
    """MXNet is set up by the same two lines on each of its pages. A script or a function may import it besides."""
    wrong = [f"cell {n}: set MXNet up with exactly these two lines in a cell of their own: {MXNET!r}"
             for n, tree in trees(lesson, scripts=False) if lesson.notebook.cells[n - 1].source != MXNET
             and (calls(tree, "need_mxnet") or any(module == "d2l_helpers.mxnet" for module, _ in on_top(tree)))]
    count = sum(cell.source == MXNET for _, cell in lesson.code)
    if count != lesson.path.stem.endswith("-mxnet"):
        wrong.append(f"{count} cells set MXNet up; an MXNet page has one, another page none")
    return wrong


def calls(tree, name):
    """Whether the code calls a function of this name, bare or of a module."""
    return any(isinstance(node, ast.Call) and name in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
               for node in ast.walk(tree))


def goals(lesson):
    """What the makers want of a page stands in its last cell, folded."""
    wrong, last = [], lesson.cells[-1][0]
    for n, tree in trees(lesson):
        cell, goal = lesson.notebook.cells[n - 1], calls(tree, "goal") or calls(tree, "goal_explained")
        if goal != ("goals" in tags(cell)) or goal and (n != last or tags(cell) != GOALS):
            wrong.append(f"cell {n}: goals stand in the last cell, with the tags {sorted(GOALS)}, and only there")
    made = [n for n, tree in trees(lesson) if calls(tree, "predict")]
    if made and not any(calls(tree, "goal_explained") for _, tree in trees(lesson)):
        wrong.append(f"cells {made} predict, and no goal says how many of the predictions hold: d2l.goal_explained()")
    return wrong


def one_file(lesson):
    """A lesson needs no second file: on Colab it stands alone."""
    return [f"cell {n}: `{node.value}` is a file beside the notebook, which Colab does not have"
            for n, tree in trees(lesson) for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            and re.match(r"(\.\./|(images|records|tests|tools|chapters)/)", node.value)]


def spares_devices(lesson):
    """No library gets /dev/null as the file to write: MXNet's profiler, run by root, replaces it with a plain file."""
    return [f"cell {n}: write to a file in a temporary folder rather than to the null device"
            for n, cell in lesson.code if re.search(r"=\s*(os\.devnull|[\"']/dev/null)", cell.source)]


# --- pages of exercises: their skeleton, tables and nbgrader's metadata

TOPICS = {"measuring", "compilers", "asynchrony", "parallelism", "hardware", "multi-gpu", "collectives",
          "parameter-servers"}
DIFFICULTY = {"easy", "medium", "hard"}
GIVEN, SOLUTION, TESTS, THOUGHT = (  # (grade, solution, locked) of the four kinds of cell
    (False, False, True), (False, True, False), (True, False, True), (True, True, False))


def topic(lesson):
    return lesson.path.stem.removesuffix("-exercises")


def grading(cell):
    """nbgrader's metadata of a cell, and its kind; ({}, None) for a cell that nbgrader leaves alone."""
    found = cell.metadata.get("nbgrader", {})
    return found, tuple(bool(found.get(key)) for key in ("grade", "solution", "locked")) if found else None


def exercise_skeleton(lesson):
    """Title and opening, time and points, setup, the exercises from 1, where next; the name says the topic."""
    wrong, sections = [], lesson.sections()
    if lesson.path.stem != f"{topic(lesson)}-exercises" or topic(lesson) not in TOPICS | {"good"}:
        wrong.append(f"a page of exercises is called TOPIC-exercises.ipynb, TOPIC one of {sorted(TOPICS)}")
    opening = "".join(text for _, kind, text in sections[0][1] if kind == "markdown")
    titles = [n for n, cell in lesson.markdown for _ in re.findall(r"(?m)^# ", hide_fences(cell.source))]
    if titles != [1] or not opening.startswith("# Exercises: ") or not words(re.sub(r"(?m)^#.*$", "", opening)):
        wrong.append("cell 1: `# Exercises: Title`, the only heading of level 1, and a paragraph that opens the page")
    headings = [heading for heading, _ in sections[1:]]
    numbers = [heading.split(":")[0] for heading in headings[1:-1]]
    count = len(pages.exercises(lesson.notebook))
    if headings[:1] != [FIRST[1]] or headings[-1:] != [LAST[1]] or not count or (
            numbers != [f"Exercise {number}" for number in range(1, count + 1)]):
        wrong.append(f"headings of level 2 must be `{FIRST[1]}`, `Exercise 1: …` and on, each at the start of its "
                     f"cell, and `{LAST[1]}`; they are {headings}")
        return wrong
    before = "\n".join(text for _, kind, text in sections[1][1] if kind == "markdown")
    if not pages.CLAIM.search(f"## {FIRST[1]}\n{before}") or not pages.POINTS.search(f"## {FIRST[1]}\n{before}"):
        wrong.append(f"`## {FIRST[1]}` must hold a table with the rows `| time | N minutes |` and `| points | N |`")
    if not any(re.search(r"\]\([^)]+\)", text) for _, kind, text in sections[-1][1] if kind == "markdown"):
        wrong.append(f"`## {LAST[1]}` must hold a link")
    setup = [n for n, cell in lesson.code if pages.is_setup(cell)]
    if len(setup) != 1 or setup != [n for n, _ in lesson.code][:1]:
        wrong.append(f"the setup cell must be the first code cell; it is {setup}")
    return wrong


def exercise_table(lesson):
    """Under each heading its table: points, minutes, difficulty, hardware, and the objective of a lesson."""
    wrong = []
    for one in pages.exercises(lesson.notebook):
        where = f"exercise {one.number}"
        if not one.row:
            wrong.append(f"{where}: directly under the heading must stand a table of one row with the columns "
                         f"{pages.COLUMNS}")
            continue
        if not one.points or not one.minutes:
            wrong.append(f"{where}: points and minutes are whole numbers")
        if one.row["difficulty"] not in DIFFICULTY:
            wrong.append(f"{where}: the difficulty is one of {sorted(DIFFICULTY)}, not {one.row['difficulty']!r}")
        if not one.row["hardware"]:
            wrong.append(f"{where}: name the hardware, if only as `any computer`")
        name, said, objective = one.lesson
        served = lesson.path.with_name(f"{name}.ipynb")
        if not name or not objective:
            wrong.append(f"{where}: serves what? Write `[Title](lesson.ipynb): what it makes one able to do`")
        elif not served.exists():
            wrong.append(f"{where}: it serves {name}.ipynb, which does not exist")
        elif not course_tables.closest(objective, course_tables.objectives(pages.read(served))):
            wrong.append(f"{where}: {name}.ipynb has no objective like {objective!r} under `{FIRST[0]}`")
    return wrong


def exercise_points(lesson):
    """The points of the tables are those that nbgrader counts, and the page says their sum."""
    wrong, found = [], pages.exercises(lesson.notebook)
    for one in found:
        counted = sum(cell.metadata.nbgrader.get("points", 0) for cell in one.graded)
        if counted != one.points:
            wrong.append(f"exercise {one.number}: the table says {one.points} points, nbgrader counts {counted:g}")
    claims = [int(claim[2]) for _, cell in lesson.markdown for claim in pages.POINTS.finditer(cell.source)]
    total = sum(one.points for one in found)
    if claims != [total]:
        wrong.append(f"the table says {claims} points, the exercises have {total}")
    return wrong


def exercise_cells(lesson):
    """What nbgrader and the judge read: ids, kinds of cells, regions, asserts that help, rubrics that add up."""
    wrong, seen = [], set()
    for n, cell in lesson.cells:
        found, kind = grading(cell)
        regions = re.findall(r"(?:BEGIN|END) (?:SOLUTION|HIDDEN TESTS)", cell.source)
        if kind is None:
            if regions:
                wrong.append(f"cell {n}: a region of a solution or of tests, and no metadata of nbgrader")
            continue
        name, schema = found.get("grade_id", ""), found.get("schema_version")
        if not re.fullmatch(rf"{re.escape(topic(lesson))}-[a-z0-9-]+", name) or name in seen:
            wrong.append(f"cell {n}: the grade_id {name!r} must be new, and start with {topic(lesson)}-")
        seen.add(name)
        if schema != 3 or kind not in (GIVEN, SOLUTION, TESTS, THOUGHT) or found.get("task"):
            wrong.append(f"cell {n}: schema_version must be 3, and the cell given, a solution, tests or a thought; "
                         f"it is {schema} and {kind}")
            continue
        if kind[0] != ("points" in found):
            wrong.append(f"cell {n}: points belong to tests and thoughts, and only to them")
        if (cell.cell_type == "markdown") != (kind == THOUGHT):
            wrong.append(f"cell {n}: a thought is a markdown cell, all else that nbgrader reads is code")
            continue
        wanted = {GIVEN: [], TESTS: ["BEGIN HIDDEN TESTS", "END HIDDEN TESTS"]}.get(
            kind, ["BEGIN SOLUTION", "END SOLUTION"])
        pairs = len(regions) // 2  # a solution may have several, and one of several tests cells none
        if regions != wanted * pairs or (pairs != 1 and kind == THOUGHT) or (not pairs and kind == SOLUTION):
            wrong.append(f"cell {n}: the regions must be {wanted}; they are {regions}")
        elif kind == TESTS:
            wrong += [f"cell {n}: {problem}" for problem in unhelpful(cell.source)]
        elif kind == THOUGHT:
            wrong += [f"cell {n}: {problem}" for problem in unfair(cell.source, found.get("points"))]
    for one in pages.exercises(lesson.notebook):
        kinds = [kind for kind in (grading(cell)[1] for cell in one.cells) if kind not in (None, GIVEN)]
        if kinds != [THOUGHT] and (kinds[:1] != [SOLUTION] or len(kinds) < 2 or set(kinds[1:]) != {TESTS}):
            wrong.append(f"exercise {one.number}: it needs one solution and then its tests, or one thought")
        elif kinds != [THOUGHT] and not any("BEGIN HIDDEN TESTS" in cell.source for cell in one.graded):
            wrong.append(f"exercise {one.number}: it has no hidden tests, so that a seed changes nothing")
    return wrong


def exercise_imports(lesson):
    """What tests import where students see it, a cell before imports too: graded, an answer runs without the tests."""
    wrong, there = [], set()
    for n, cell in lesson.code:
        shown = ast.parse(cell.source.partition("### BEGIN HIDDEN TESTS")[0])
        names = {alias.asname or alias.name for node in shown.body if isinstance(node, ast.Import | ast.ImportFrom)
                 for alias in node.names}
        if grading(cell)[1] == TESTS:
            wrong += [f"cell {n}: only the tests import `{name}`" for name in sorted(names - there)]
        else:
            there |= names
    return wrong


def unhelpful(source):
    """What is wrong with the visible part of a tests cell."""
    visible = source.split("### BEGIN HIDDEN TESTS")[0]
    try:
        asserts = [node for node in ast.walk(ast.parse(visible)) if isinstance(node, ast.Assert)]
    except SyntaxError:
        return ["the visible part is no Python by itself, and it is all that a student gets"]
    wrong = [] if asserts else ["it has no visible assert"]
    return wrong + [f"the visible assert in line {node.lineno} has no message" for node in asserts if not node.msg]


def unfair(source, points):
    """What is wrong with a model answer and its rubric."""
    parts = re.split(r"\*\*(Model answer|Rubric)\.?\*\*", source)
    if parts[1::2] != ["Model answer", "Rubric"]:
        return ["it needs `**Model answer.**` and then `**Rubric.**`"]
    given = [int(number) for number in re.findall(r"(?m)^- (\d+) points?:", parts[4])]
    return [] if sum(given) == points else [f"the rubric gives {sum(given)} points, nbgrader counts {points}"]


# --- the file itself

def tidy_file(lesson):
    """One way to write a notebook: no leavings of editors and kernels, so that a diff shows what was meant."""
    wrong = []
    ids = [cell.get("id") for cell in json.loads(lesson.text)["cells"]]
    if len(set(ids)) < len(ids) or None in ids:
        wrong.append("cell ids are missing or not unique")
    if "widgets" in lesson.notebook.metadata:
        wrong.append("the metadata holds the state of widgets")
    if lesson.text != pages.canonical(lesson.notebook):
        wrong.append("the JSON is not in the canonical form (sorted keys, indent 1, a newline at the end)")
    elif lesson.text != pages.canonical(pages.tidy(copy.deepcopy(lesson.notebook))):
        wrong.append("the metadata is not tidy")
    size = len(lesson.text.encode())
    if size > LARGEST_FILE:
        wrong.append(f"{size / 1e6:.1f} MB, more than {LARGEST_FILE / 1e6:.1f} MB; make the figures smaller")
    return wrong


RERUN = "make outputs"
EDIT = "edit the cell, then: make outputs"
RULES = {
    skeleton: "edit the headings; chapters/measuring.ipynb shows the skeleton",
    setup: RERUN,
    length: "split the cell, or move what is not the subject to d2l_helpers; then: make outputs",
    minutes: ".venv/bin/python tools/run.py tidy writes the time; a longer page becomes two",
    prose_first: "write or shorten the prose",
    executed: RERUN,
    fresh: RERUN,
    quiet: "make outputs, on a quiet machine",
    clean_outputs: EDIT,
    ignore_output: EDIT,
    semicolon: EDIT,
    known_tags: "edit the cell's tags",
    typed_numbers: "let a cell print it, or give its source in the same paragraph",
    alt_text: "edit the cell's metadata",
    drawings: ".venv/bin/python tools/run.py tidy",
    readable_anywhere: "edit the cell",
    links: "edit the link",
    faces: "import d2l_helpers as d2l, or from d2l_helpers.hardware, .distributed or .mxnet",
    mxnet: EDIT,
    goals: "move all goal(…) into one last cell",
    imports: "add it to requirements.txt, pinned and with its reason, or do without",
    spares_devices: EDIT,
    one_file: "embed what the lesson needs, or let a cell make it",
    tidy_file: RERUN,
}

# Of a page of exercises. Not here: median lines and prose for each cell, which are a lesson's rhythm; numbers that are
# typed, because an exercise gives some; goals.
OWN = {
    exercise_skeleton: "edit the headings; the rule's text says which",
    exercise_table: "edit the table under the heading of the exercise",
    exercise_points: ".venv/bin/python tools/run.py tidy writes the sum; the other points are in the cells' metadata",
    exercise_cells: "edit the cell, or its metadata (in Jupyter: nbgrader's Create Assignment)",
    exercise_imports: "import it in a given cell too",
}
SHARED = [setup, minutes, executed, fresh, quiet, clean_outputs, ignore_output, semicolon, known_tags, alt_text,
          drawings, readable_anywhere, links, faces, mxnet, imports, spares_devices, one_file, tidy_file]


def rules_for(path):
    """{rule: what mends it} for a page: a lesson, or exercises."""
    return OWN | {rule: RULES[rule] for rule in SHARED} if Path(path).stem.endswith("-exercises") else RULES
