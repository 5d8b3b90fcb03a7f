"""tools/site.py on a small book of its own: what it stages, and how it says that something is wrong."""
import json
import shutil
import subprocess
import sys

import pytest
from built import ROOT, site_tool

TOC = """
format: jb-book
root: index
parts:
  - caption: One machine
    chapters:
      - file: chapters/compilers
        sections:
          - file: chapters/compilers-mxnet
"""


def notebook(*cells) -> str:
    made = [{"cell_type": "markdown", "id": f"c{i}", "metadata": {}, "source": cell} for i, cell in enumerate(cells)]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def book(tmp_path):
    """A book of three pages, with the course's own settings and theme."""
    shutil.copytree(ROOT / "theme", tmp_path / "theme")
    shutil.copy(ROOT / "_config.yml", tmp_path)
    (tmp_path / "_toc.yml").write_text(TOC)
    links = "[compilers](chapters/compilers.ipynb), [MXNet](chapters/compilers-mxnet.ipynb)"
    (tmp_path / "index.md").write_text(f"# Start\n\nSee {links}.\n")
    (tmp_path / "chapters").mkdir()
    lesson = notebook("# Compilers", "A formula $a < b$. Then [MXNet](compilers-mxnet.ipynb#more).")
    (tmp_path / "chapters/compilers.ipynb").write_text(lesson)
    (tmp_path / "chapters/compilers-mxnet.ipynb").write_text(notebook("# MXNet", "## More\n\nText."))
    (tmp_path / "chapters/left-lying-about.ipynb").write_text(notebook("# Not in the contents"))
    return tmp_path


def build(book, *options):
    command = [sys.executable, str(ROOT / "tools/site.py"), "build", "--source", str(book), *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_builds_what_the_contents_name_and_then_has_nothing_to_do(book):
    # Without MXNet on this machine the page would be left out; the other test is about that.
    (book / "_toc.yml").write_text(TOC.replace("compilers-mxnet", "compilers-more"))
    (book / "chapters/compilers-mxnet.ipynb").rename(book / "chapters/compilers-more.ipynb")
    for page in ("index.md", "chapters/compilers.ipynb"):
        (book / page).write_text((book / page).read_text().replace("compilers-mxnet", "compilers-more"))
    first = build(book)
    assert first.returncode == 0, first.stderr
    html = book / "_build/html"
    assert "<mo>&lt;</mo>" in (html / "chapters/compilers.html").read_text()
    assert not list(html.rglob("left-lying-about*"))
    second = build(book)
    assert "up to date" in second.stdout and second.returncode == 0
    (book / "index.md").write_text("# Start again\n")
    assert "is built" in build(book).stdout
    assert "Start again" in (html / "index.html").read_text()


def test_without_mxnet_its_pages_are_left_out_and_links_become_words(book):
    result = build(book, "--without-mxnet")
    assert result.returncode == 0, result.stderr
    assert "leaves out compilers-mxnet" in result.stdout
    html = book / "_build/html"
    assert not list(html.rglob("*mxnet*"))
    assert "Then MXNet." in (html / "chapters/compilers.html").read_text()


LESSON = "chapters/compilers.ipynb"


@pytest.mark.parametrize(
    "file, content, message",
    [
        (LESSON, notebook("# T", "A formula:\n\n$$\\nosuch{x}$$"), f"{LESSON}, cell 2, line 3: this formula"),
        (LESSON, notebook("# T", "A formula: $\\nosuch{x}$"), "(it does not know \\nosuch here): \\nosuch{x}"),
        (LESSON, notebook("# T", "$\\frac{1$"), "(a brace is missing)"),
        (LESSON, notebook("# T", "A [broken](nowhere.ipynb) link."), f"{LESSON}, cell 2, line 1: 'myst' cross"),
        (LESSON, "{", "compilers.ipynb is not a notebook"),
        ("index.md", "# T\n\n![a picture](images/none.png)\n", "index.md, line 3: image file not readable"),
        ("_toc.yml", TOC + "      - file: chapters/none\n", "_toc.yml names chapters/none, but there is no"),
        ("_toc.yml", "format: [", "_toc.yml is not valid YAML"),
    ],
)
def test_a_mistake_is_one_clear_line(book, file, content, message):
    (book / file).write_text(content)
    result = build(book)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    assert not (book / "_build/html/index.html").exists(), "half a site was left"


def test_serving_needs_a_site(book):
    command = [sys.executable, str(ROOT / "tools/site.py"), "serve", "--source", str(book)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr.strip()) == (1, "There is no site yet. Build it first: make site")


def test_a_port_that_is_taken_gives_way_to_the_next(tmp_path):
    with site_tool.server_for(tmp_path, 0) as first:
        with site_tool.server_for(tmp_path, first.server_port, tries=20) as second:
            assert second.server_port > first.server_port
        with pytest.raises(site_tool.Problem, match="No free port"):
            site_tool.server_for(tmp_path, first.server_port)
