"""tools/website.py on small books: what it builds, how it says that something is wrong, and how it follows edits."""
import re
import signal
import subprocess
import sys

import pytest
import website
from built import ROOT
from conftest import build, page, write_book

GOAL = {"source": "d2l.goal('speed', 2, at_least=1)", "metadata": {"tags": ["goals", "hide-cell"]},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "goal met: speed: 2, wanted at least 1\n"}]}


@pytest.fixture
def book(tmp_path):
    """A book of two pages, not built, and a page that the contents do not name."""
    folder = write_book(tmp_path / "book", {
        "compilers": page("# Compilers\n\nText.", "A formula $a < b$. Then [more](compilers-mxnet.ipynb#more).", GOAL),
        "compilers-mxnet": page("# MXNet", "## More\n\nText."),
    })
    (folder / "chapters/left-lying-about.ipynb").write_text(page("# Not in the contents"))
    return folder


def test_it_follows_edits_and_the_open_page_loads_again(book, browser):
    command = [sys.executable, "-u", str(ROOT / "tools/website.py"), "serve", "--source", str(book), "--port", "8100"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as serving:

        def said(pattern):
            heard = ""
            for line in serving.stdout:
                heard += line
                if found := re.search(pattern, line):
                    return found
            pytest.fail(f"never heard {pattern!r}, but: {heard}")

        context = browser.new_context()
        try:
            tab = context.new_page()
            tab.goto(said(r"http://127.0.0.1:\d+/")[0])
            assert tab.inner_text("h1").startswith("Start")
            (book / "_toc.yml").write_text((book / "_toc.yml").read_text() + "[")  # an edit half done
            said("_toc.yml is not valid YAML")
            assert tab.request.get(tab.url).ok, "the last good site is gone"
            (book / "_toc.yml").write_text((book / "_toc.yml").read_text().rstrip("["))
            said("The site is built|Building|up to date")
            (book / "index.md").write_text("# Begin again\n\nSee the chapters.\n")
            tab.wait_for_selector("h1:has-text('Begin again')", timeout=120_000)
            serving.send_signal(signal.SIGINT)
            said("Stopped")
        finally:
            context.close()
            serving.kill()
    html = book / "_build/html"
    compilers = (html / "chapters/compilers.html").read_text()
    assert "<mo>&lt;</mo>" in compilers and "what the authors want of this page" in compilers
    assert not list(html.rglob("left-lying-about*"))
    again = build(book)
    assert "up to date" in again.stdout and again.returncode == 0


def test_mistakes_are_clear_lines(book):
    (book / "chapters/compilers.ipynb").write_text(page(
        "# T", "A formula:\n\n$$\\nosuch{x}$$", "A formula: $\\frac{1$", "A [broken](nowhere.ipynb) link."))
    (book / "index.md").write_text("# T\n\n![a picture](images/none.png)\n")
    result = build(book)
    assert result.returncode == 1 and "Traceback" not in result.stderr + result.stdout
    no_math = "this formula cannot be shown as MathML"
    for line in (
        f'chapters/compilers.ipynb, cell 2, line 3: {no_math} (Unknown LaTeX command "\\nosuch"): \\nosuch{{x}}',
        f"chapters/compilers.ipynb, cell 3, line 1: {no_math} (a {{ or }} is missing): \\frac{{1",
        "chapters/compilers.ipynb, cell 4, line 1: 'myst' cross",
        "index.md, line 3: image file not readable",
    ):
        assert line in result.stderr
    assert not (book / "_build/html/index.html").exists(), "half a site was left"


@pytest.mark.parametrize(
    "file, content, message",
    [
        ("chapters/compilers.ipynb", "{", "compilers.ipynb is not a notebook"),
        ("_toc.yml", "root: index\nchapters:\n  - file: none\n", "_toc.yml names none, but there is no"),
        ("_toc.yml", "format: [", "_toc.yml is not valid YAML"),
        ("_toc.yml", "", "_toc.yml is not valid YAML"),
        ("_config.yml", None, "_config.yml is missing from"),
    ],
)
def test_a_mistake_before_the_build_is_one_clear_line(book, file, content, message):
    (book / file).write_text(content) if content is not None else (book / file).unlink()
    with pytest.raises(website.Problem, match=re.escape(message)):
        website.gather(book)


def test_a_port_that_is_taken_gives_way_to_the_next(tmp_path):
    with website.server_for(tmp_path, 0) as first:
        with website.server_for(tmp_path, first.server_port, tries=20) as second:
            assert second.server_port > first.server_port
        with pytest.raises(website.Problem, match="No free port"):
            website.server_for(tmp_path, first.server_port)
