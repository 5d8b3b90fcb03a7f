"""The rules themselves: a good lesson passes them all, and each rule finds what breaks it."""
import nbformat
import notebooks
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
| none | 20 minutes |"""
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
        cell(notebooks.setup_cell(root), 1, tags=["hide-cell", "setup"]),
        new_markdown_cell(PROSE, id="prose"),
        cell("import numpy\nprint('exact')", 2, [stream("exact\n")]),
        new_markdown_cell("Now measure the same thing, and look at how far one result is from the next.", id="more"),
        cell("measure()", 3, [stream("g: 2.1× faster than f\n"), figure()], ["nbval-ignore-output"],
             alt="The time of f and g, as two bars side by side"),
        new_markdown_cell(END, id="end"),
    ]
    return notebooks.tidy(new_notebook(cells=cells))


def save(notebook, root, stamp=True):
    if stamp:
        notebook.metadata["d2l"] = nbformat.from_dict(notebooks.hashes(notebook, root))
    path = root / "chapters" / "good.ipynb"
    path.write_text(notebooks.canonical(notebook), encoding="utf-8")
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
        text(0, "## What you will be able to do", "## What you'll be able to do"), text(0, "20 minutes", "short"),
        text(0, "- Tell", "Tell"), text(6, "## Summary", "### Summary"), text(6, "(good.ipynb)", ""),
        text(2, "## A section", "### A section"), text(2, "## A section", "# A section"), retag(1, "hide-cell"),
        lambda notebook: notebook.cells.insert(2, notebook.cells.pop(1)) or notebook.cells.insert(
            5, notebook.cells.pop(2)),
    ],
    rules.setup: [text(1, "-q", "-v"), text(1, "example.org", "example.com"), retag(1, "setup")],
    rules.length: [assign(3, source="x = 1\n" * 31), lambda notebook: [
        notebook.cells[number].update(source="x = 1\n\n" * 7) for number in (3, 5)]],
    rules.prose_first: [
        text(2, PROSE, "## A section\n\n### And below"), text(2, PROSE, PROSE + " word" * 200),
        lambda notebook: notebook.cells.extend(cell("1", n) for n in range(10, 20))],
    rules.executed: [assign(3, execution_count=None), assign(3, execution_count=7), assign(1, execution_count=2)],
    rules.clean_outputs: [
        shows(stream("careful\n", "stderr")), shows(stream("m.py:1: UserWarning: careful\n")),
        shows(stream("/home/ann/course/x.py\n")), shows(stream("lib/python3.11/site-packages/torch\n")),
        shows(stream(f"{notebooks.ROOT}/chapters\n")), shows(stream("10%|█         |\r20%|██        |")),
        shows(new_output("error", ename="ValueError", evalue="no", traceback=[])),
        shows(new_output("display_data", {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}})),
        shows(new_output("execute_result", {"text/html": "<p>/tmp/ipykernel_7/1.py</p>"}, execution_count=2))],
    rules.ignore_output: [
        retag(3, "nbval-ignore-output"), retag(5, "nbval-ignore-output", "hide-cell"),
        lambda notebook: notebook.cells[5].update(outputs=[stream("12 steps\n")]),
        lambda notebook: notebook.cells[5].update(outputs=[])],
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
        shows(stream("a"), stream("b")),
        lambda notebook: notebook.cells[5].outputs[1].data.update({"image/png": "A" * 1_600_000})],
}


@pytest.mark.parametrize("rule, change", [(rule, change) for rule, changes in BROKEN.items() for change in changes],
                         ids=lambda value: value.__name__ if value in rules.RULES else "")
def test_each_rule_finds_what_breaks_it(rule, change, good, root):
    change(good)
    complaints = rule(save(good, root))
    assert complaints
    assert all(len(complaint) > 15 for complaint in complaints)


def test_a_drawing_is_put_into_the_text(good, root):
    good.cells[2].source += '\n\n<img data-drawing="one" alt="A picture of the number one" src="">'
    notebooks.write_drawings(good, root)
    assert 'src="data:image/svg+xml;base64,PHN2Zy8+"' in good.cells[2].source
    assert not rules.drawings(save(good, root))


def test_a_stale_lesson_is_found(good, root):
    save(good, root)
    text(3, "'exact'", "'exactly'")(good)
    assert rules.fresh(save(good, root, stamp=False)) == ["the outputs are stale: its code has changed"]


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
    assert set(rules.RULES) - set(BROKEN) == {rules.fresh}


def test_a_lesson_may_import_what_a_cell_of_it_wrote(good, root):
    good.cells[3].source = "import numpy, ranks"
    assert rules.imports(save(good, root))
    good.cells[5].source = "%%writefile ranks.py\nimport numpy"
    assert rules.imports(save(good, root)) == []
