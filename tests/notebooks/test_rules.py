"""The rules themselves: a good lesson passes them all, and each rule finds what breaks it."""
import nbformat
import pages
import pytest
import rules
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

START = """# Alpha

This paragraph opens the lesson and says in plain words what it is about.

## What you will be able to do

- Tell one thing from another, and say why the two of them are different.

## Before you start

| prerequisites | time |
|---|---|
| none | 1 minutes |"""
PROSE = """## A section

A guess comes before the number, so write yours down before you run the next cell, and compare them after it."""
END = """## Summary

One sentence holds the lesson together, and the reader takes it home.

## Where next

- [Alpha again](good.ipynb)"""


def cell(source, number, outputs=(), tags=(), alt=None):
    metadata = {"tags": list(tags)} if tags else {}
    if alt:
        metadata["mystnb"] = {"image": {"alt": alt}}
    return new_code_cell(source, id=f"code-{number}", execution_count=number, outputs=list(outputs), metadata=metadata)


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def figure():
    return new_output("display_data", {"image/png": "iVBORw0KGgo="})


@pytest.fixture
def root(tmp_path):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "d2l_helpers").mkdir()
    (tmp_path / "d2l_helpers" / "one.py").write_text("ONE = 1\n")
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "one.svg").write_text("<svg/>")
    (tmp_path / "_config.yml").write_text("repository:\n  url: https://example.org/me/course\n  branch: v1\n")
    (tmp_path / "requirements.txt").write_text("numpy==1.26.4  # arrays\n")
    return tmp_path


@pytest.fixture
def good(root):
    cells = [
        new_markdown_cell(START, id="start"),
        cell(pages.setup_cell(root), 1, tags=["hide-cell", "setup"]),
        new_markdown_cell(PROSE, id="prose"),
        cell("import numpy\nprint('exact')", 2, [stream("exact\n")]),
        new_markdown_cell("Now measure the same thing, and look at how far one result is from the next.", id="more"),
        cell("measure()", 3, [stream("g: 2.1× faster than f\n"), figure()], ["nbval-ignore-output"],
             alt="The time of f and g, as two bars side by side"),
        new_markdown_cell(END, id="end"),
        cell("d2l.goal('g', 2.1, at_least=2)", 4, [stream("goal met: g: 2.1, wanted at least 2\n")],
             ["goals", "hide-cell", "nbval-ignore-output"]),
    ]
    return pages.tidy(new_notebook(cells=cells))


QUIET = {"cores": 1.96, "spread": 0.01, "others": 0.004, "stolen": 0.0}


def save(notebook, root, stamp=QUIET):
    if stamp:
        notebook.metadata["d2l"] = nbformat.from_dict({**pages.made_from(notebook, root), "quiet": stamp})
    path = root / "chapters" / "good.ipynb"
    path.write_text(pages.canonical(notebook), encoding="utf-8")
    return rules.Lesson(path, root)


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_the_good_lesson_passes(rule, good, root):
    assert rule(save(good, root)) == []


def text(number, old, new):
    """A change of one cell's source."""
    def change(notebook):
        assert old in notebook.cells[number].source
        notebook.cells[number].source = notebook.cells[number].source.replace(old, new)
    return change


def prose(sentence):
    return text(4, "Now measure", sentence + "\n\nNow measure")


def assign(number, **values):
    def change(notebook):
        notebook.cells[number].update(nbformat.from_dict(values))
    return change


def retag(number, *tags):
    return lambda notebook: notebook.cells[number].metadata.update(tags=list(tags))


def shows(*outputs):
    return lambda notebook: notebook.cells[3].update(outputs=list(outputs))


BROKEN = {
    rules.skeleton: [
        text(0, "# Alpha\n", "Alpha\n"), text(0, "This paragraph opens the lesson and says in plain words what it is "
                                                 "about.", ""),
        text(0, "## What you will be able to do", "## What you'll be able to do"), text(0, "1 minutes", "short"),
        text(0, "- Tell", "Tell"), text(6, "## Summary", "### Summary"), text(6, "(good.ipynb)", ""),
        text(2, "## A section", "### A section"), text(2, "## A section", "# A section"), retag(1, "hide-cell"),
        lambda notebook: notebook.cells.insert(2, notebook.cells.pop(1)) or notebook.cells.insert(
            5, notebook.cells.pop(2)),
    ],
    rules.setup: [text(1, "-q", "-v"), text(1, "example.org", "example.com"), retag(1, "setup")],
    rules.length: [assign(3, source="x = 1\n" * 26), lambda notebook: [
        notebook.cells[number].update(source="x = 1\n\n" * 7) for number in (3, 5)]],
    rules.minutes: [text(0, "1 minutes", "20 minutes"), text(4, "Now measure", "word " * 5900)],
    rules.prose_first: [
        text(2, PROSE, "## A section\n\n### And below"), text(2, PROSE, PROSE + " word" * 200),
        lambda notebook: notebook.cells.extend(cell("1", n) for n in range(10, 20))],
    rules.faces: [text(3, "import numpy", line) for line in (
        "from d2l_helpers import plots", "from d2l_helpers import compare", "import d2l_helpers.hardware.probes",
        "from d2l_helpers.distributed.ranks import run_ranks", "d2l.one.ONE", "d2l._secret", "hardware._probe()")],
    rules.mxnet: [text(3, "import numpy", line) for line in (
        "d2l.need_mxnet()", "from d2l_helpers.mxnet import mx", "from d2l_helpers.mxnet import mx, np, npx",
        "d2l.need_mxnet()\nfrom d2l_helpers.mxnet import mx, np")] + [
        lambda notebook: notebook.cells[3].update(source=rules.MXNET)],  # a page without -mxnet in its name
    rules.goals: [text(3, "import numpy", "d2l.goal('g', 1)"), retag(7, "hide-cell", "nbval-ignore-output"),
                  retag(7, "goals", "nbval-ignore-output"), retag(3, "goals", "hide-cell", "nbval-ignore-output"),
                  text(3, "import numpy", "d2l.predict(2.1, '×')"), text(3, "import numpy", "d2l.goal_explained()"),
                  lambda notebook: notebook.cells.append(cell("1", 5))],
    rules.executed: [assign(3, execution_count=None), assign(3, execution_count=7), assign(1, execution_count=2)],
    rules.clean_outputs: [
        shows(stream("careful\n", "stderr")), shows(stream("m.py:1: UserWarning: careful\n")),
        shows(stream("/home/ann/course/x.py\n")), shows(stream("lib/python3.11/site-packages/torch\n")),
        shows(stream(f"{pages.ROOT}/chapters\n")), shows(stream("10%|█         |\r20%|██        |")),
        shows(new_output("error", ename="ValueError", evalue="no", traceback=[])),
        shows(new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}})),
        shows(new_output("execute_result", {"text/html": "<p>/tmp/ipykernel_7/1.py</p>"}, execution_count=2))],
    rules.ignore_output: [
        retag(3, "nbval-ignore-output"), retag(5, "nbval-ignore-output", "hide-cell"),
        lambda notebook: notebook.cells[5].update(outputs=[stream("12 steps\n")]),
        lambda notebook: notebook.cells[5].update(outputs=[stream("there is no doubt about it\n")]),
        lambda notebook: notebook.cells[5].update(outputs=[])],
    rules.semicolon: [lambda notebook: notebook.cells[3].update(source=notebook.cells[3].source + ";")],
    rules.known_tags: [retag(3, "raises-exception"), retag(3, "remove-cell"), retag(3, "nbval-skip"),
                       text(3, "import", "# NBVAL_IGNORE_OUTPUT\nimport")],
    rules.typed_numbers: [prose(sentence) for sentence in (
        "It is 7.5× faster.", "It takes 40 µs.", "It takes 0.2 to 0.3 ms.", "It takes 12 s.", "It took 3 sec.",
        "It reads 31 GB/s.", "It does 271 TFLOP/s.", "It does 20 GFLOPS.", "It is 20 % slower.", "It is 2x faster.",
        "It takes 5\u00a0ns.", "- [a link](good.ipynb)\n- and 3 ms in the next item",
        "[a link](good.ipynb)\n\nand 3 ms in the next paragraph", "**12 ms** is bold.", "(about 30us)")],
    rules.alt_text: [assign(5, metadata={"tags": ["nbval-ignore-output"]}),
                     assign(5, metadata={"mystnb": {"image": {"alt": "Two bars"}}}),
                     prose("![A picture of two bars side by side](bars.svg)"),
                     prose("![bars](data:image/png;base64,x)")],
    rules.drawings: [prose(line) for line in (
        '<img data-drawing="none" alt="A picture of nothing at all" src="">',
        '<img data-drawing="one" alt="A picture of the number one" src="">',
        '<img data-drawing="one" alt="one" src="data:image/svg+xml;base64,PHN2Zy8+">',
        '<img alt="A picture of the number one" src="data:image/svg+xml;base64,PHN2Zy8+">')],
    rules.readable_anywhere: [prose("```{note}\nA note.\n```"), prose("See {doc}`alpha`.")],
    rules.links: [text(6, "good.ipynb", "bad.ipynb"), text(6, "good.ipynb", "bad.ipynb#part")],
    rules.imports: [text(3, "import numpy", "import scipy"), text(3, "import numpy", "from yaml.x import y")],
    rules.spares_devices: [text(3, "'exact'", "f(filename=os.devnull)"), text(3, "'exact'", "f(name='/dev/null')")],
    rules.one_file: [text(3, "'exact'", "open('../README.md')"), text(3, "'exact'", "load('images/a.png')")],
    rules.tidy_file: [
        lambda notebook: notebook.metadata.update(widgets={"state": {}}),
        lambda notebook: notebook.cells[3].metadata.update(execution={"iopub.execute_input": "2026"}),
        lambda notebook: notebook.metadata["language_info"].update(version="3.11.7"),
        lambda notebook: notebook.cells[5].outputs[1].data.update({"image/png": "A" * 1_600_000})],
}


@pytest.mark.parametrize("rule, change", [(rule, change) for rule, changes in BROKEN.items() for change in changes],
                         ids=lambda value: value.__name__ if value in rules.RULES else "")
def test_each_rule_finds_what_breaks_it(rule, change, good, root):
    change(good)
    complaints = rule(save(good, root))
    assert complaints
    assert all(len(complaint) > 15 for complaint in complaints)


def test_drawings_and_minutes_are_put_into_the_text(good, root):
    good.cells[2].source += '\n\n<img data-drawing="one" alt="A picture of the number one" src="">'
    good.cells[0].source = good.cells[0].source.replace("1 minutes", "20 minutes")
    pages.write_parts(good, root)
    assert "| none | 1 minutes |" in good.cells[0].source
    assert 'src="data:image/svg+xml;base64,PHN2Zy8+"' in good.cells[2].source
    assert not rules.drawings(save(good, root))


def test_a_stale_lesson_is_found(good, root):
    save(good, root)
    text(3, "'exact'", "'exactly'")(good)
    assert rules.fresh(save(good, root, stamp=None)) == ["the outputs are stale: its code has changed"]


@pytest.mark.parametrize("old, new, word", [
    ("\n ", "\n  ", "canonical"), ('"id": "code-2"', '"id": "code-1"', "ids"), ('   "id": "code-2",\n', "", "ids")])
def test_the_file_must_be_canonical(old, new, word, good, root):
    lesson = save(good, root)
    assert old in lesson.text
    lesson.path.write_text(lesson.text.replace(old, new), encoding="utf-8")
    assert word in rules.tidy_file(rules.Lesson(lesson.path, root))[0]


@pytest.mark.parametrize("sentence", [
    "The matrix is 512 × 256 and 2 x 3.", "Run it in `40 ms` of code.",
    "With $n = 3\\times$ it is so.", "In the 1990s.",
    "A 95 % interval and the 20 % quantile.", "It is 3 ms, says [the vendor](https://example.org).",
    "It is 3 ms.[^vendor]", "```text\n3 ms\n```", "It has 164,482 parameters and 2 cores.", "All 100 % of it.",
    "Use 32s4 or version 2.0.", "There are 3 steps and 4 sections."])
def test_ordinary_numbers_are_no_measurement(sentence, good, root):
    prose(sentence)(good)
    assert rules.typed_numbers(save(good, root)) == []


def test_every_rule_is_tried():
    assert set(rules.RULES) - set(BROKEN) == {rules.fresh, rules.quiet}


def test_a_lesson_may_import_what_a_cell_of_it_wrote(good, root):
    good.cells[3].source = "import numpy, ranks"
    assert rules.imports(save(good, root))
    good.cells[5].source = "%%writefile ranks.py\nimport numpy"
    assert rules.imports(save(good, root)) == []


def test_an_mxnet_page_sets_it_up_in_two_lines(good, root):
    good.cells[3].source = rules.MXNET
    good.cells[5].source = "from mxnet import gluon"  # works after it
    lesson = save(good, root)
    lesson.path = lesson.path.with_name("good-mxnet.ipynb")
    assert rules.mxnet(lesson) == []
    good.cells[5].source = "%%writefile ranks.py\nfrom d2l_helpers.mxnet import mx"  # a script is a process of its own
    lesson = rules.Lesson(save(good, root).path.rename(lesson.path), root)
    assert rules.mxnet(lesson) == []


def test_another_page_may_import_mxnet_in_a_function(good, root):
    good.cells[3].source = "def rung():\n    from d2l_helpers.mxnet import mx\n    return mx"
    assert rules.mxnet(save(good, root)) == []


@pytest.mark.parametrize("line", [
    "import d2l_helpers as d2l", "from d2l_helpers import hardware", "from d2l_helpers import distributed",
    "from d2l_helpers.hardware import tlb, flops", "from d2l_helpers.distributed import run_ranks, costs",
    "d2l.predict(1.0, 's')", "hardware.flops()"])
def test_the_four_faces_are_allowed(line, good, root):
    text(3, "import numpy", line)(good)
    assert rules.faces(save(good, root)) == []


@pytest.mark.parametrize("stamp, words", [
    ({}, "no figure"), ({**QUIET, "others": 0.5}, "others use"), ({**QUIET, "cores": 1.2}, "two processes get")])
def test_a_record_of_a_disturbed_machine_is_refused(stamp, words, good, root):
    assert words in rules.quiet(save(good, root, stamp))[0]


@pytest.mark.parametrize("line", [
    "no GPU here: this cell needs one", "left out: two cores are not enough", "goal undecided: g: 3",
    "NOT measured here (no compiler)", "of 12 products measured 2 at once", "3.25", "31 GB/s"])
def test_what_the_tag_may_hide(line, good, root):
    good.cells[5].outputs = [stream(line + "\n")]
    assert rules.ignore_output(save(good, root)) == []
