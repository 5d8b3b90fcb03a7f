"""The Colab edition: one file a page, and what counts as passing there."""
import json
import subprocess
import sys

import as_colab
import colab
import nbformat
import pages
import pytest
import run
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

KNOWN = {"measuring.ipynb": "Measuring", "ladder.ipynb": "The ladder"}


@pytest.fixture
def made(root):
    """made(*cells, name=…): the edition of a page with a set-up cell and these cells."""
    (root / "records" / "gpu-t4.json").write_text("{}")

    def edition(*cells, name="first", **stamp):
        setup = new_code_cell(pages.setup_cell(), metadata={"tags": ["setup", "hide-cell"]}, id="setup")
        page = new_notebook(cells=[new_markdown_cell("# A lesson", id="title"), setup, *cells])
        page.metadata["d2l"] = stamp
        return colab.edition(pages.tidy(page) if not stamp else page, name, KNOWN, root=root)

    return edition


def text(source):
    return new_markdown_cell(source, id="text")


def test_the_setup_cell_brings_the_helper_module_and_leaves_nothing_behind(made, root, tmp_path):
    (root / "d2l_helpers" / "__init__.py").write_text("")
    script = made(new_code_cell("1", id="c")).cells[1].source.replace("import d2l_helpers as d2l", "from d2l_helpers "
                                                                   "import one; d2l = None").split("import hashlib")[0]
    # A script that it starts finds the helper module too.
    script += "\nimport subprocess\nsubprocess.run([sys.executable, '-c', 'import d2l_helpers.one as o; print(o.ONE)'])"
    script += "\nprint(one.ONE, one.__file__.startswith(PLACE.name), PLACE.name)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == ""
    other, one, inside, place = done.stdout.split()
    assert (other, one, inside) == ("1", "1", "True")
    assert not (tmp_path / place).exists()


def test_what_rides_in_it_is_the_same_wherever_it_is_made(root):
    first = colab.packed.__wrapped__((), root)
    for path in (root / "d2l_helpers").glob("*.py"):
        path.touch()
    assert colab.packed.__wrapped__((), root) == first
    (root / "d2l_helpers" / "one.py").write_text("ONE = 2\n")
    assert colab.packed.__wrapped__((), root) != first


@pytest.mark.parametrize("code, records", [
    ("d2l.recorded('cluster', 'a', f)", ("cluster",)), ("1", ()), ("hardware.gpu_measured(1)", ("gpu-t4",))])
def test_only_the_records_that_a_page_may_show_ride_along(made, root, code, records):
    (root / "records" / "gpu-t4.json").write_text("{}")
    assert colab.records_of(code, root) == records


@pytest.mark.parametrize("before, after", [
    ("See [Measuring](measuring.ipynb).", "See *Measuring*."),
    ("See [the rungs](ladder.ipynb#rungs).", "See *the rungs* (the page *The ladder*)."),
    ("A [fact](https://example.org/a.ipynb).", "A [fact](https://example.org/a.ipynb)."),
    ("::: {note} Mind\nThe step.\n:::", "> **Mind**\n> The step.")])
def test_text_without_what_colab_does_not_know(made, before, after):
    assert made(text(before)).cells[2].source == after


def test_links_lead_to_the_site_once_it_has_an_address():
    assert colab.linked("[x](ladder.ipynb#a)", KNOWN, "https://e.org") == "[x](https://e.org/chapters/ladder.html#a)"


def test_a_drawing_becomes_a_png(root):
    (root / "images").mkdir()
    (root / "images" / "ring.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    drawing = f'<img data-drawing="ring" alt="A ring &amp; more" src="{pages.drawn("ring", root)}">'
    assert colab.readable(drawing, KNOWN, "", root).startswith("![A ring & more](data:image/png;base64,iVBOR")


def test_a_page_with_a_gpu_asks_for_one_and_another_does_not(made):
    assert made(new_code_cell("torch.cuda.device_count()", id="c")).metadata["accelerator"] == "GPU"
    plain = made(new_code_cell("1", id="c"))
    assert "accelerator" not in plain.metadata and "nvidia-smi" not in plain.cells[1].source


def test_long_cells_say_so_and_the_page_says_how_long_it_took(made, tmp_path):
    long = new_code_cell("slow()", id="long")
    page = made(long, new_code_cell("quick()", id="quick"), seconds=70, long={"long": 20})
    assert "takes about 70 s on two cores" in page.cells[0].source
    said = page.cells[1].source.split("import hashlib")[1].split('if "get_ipython"')[0]
    asked = "".join(f"\nclass Info: raw_cell = {text!r}\nsay_how_long(Info)\n" for text in ("quick()\n", "slow()\n"))
    command = [sys.executable, "-c", "import hashlib" + said + asked + page.cells[-1].source]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines == ["(this takes about 20 s on two cores)",
                     "The whole page took 0 s here; about 70 s on the two cores it was written on."]


def test_no_edition_names_an_address_that_does_not_exist():
    for name, page in colab.editions(["measuring", "compilers-mxnet"]):
        assert "OWNER/REPOSITORY" not in nbformat.writes(page), name
        nbformat.validate(page)


# --- running it

@pytest.fixture
def tried(root, write, monkeypatch):
    """Two pages, of which one fails while its text says so; the names of those that were run."""
    ran = []

    def attempt(name, notebook, python):
        ran.append(name)
        if "fails" in "".join(cell.source for cell in notebook.cells):
            raise run.Failed("cell 2: NameError: fails")

    monkeypatch.setattr(as_colab, "RECORD", root / "records" / "colab.json")
    monkeypatch.setattr(as_colab, "attempt", attempt)
    monkeypatch.setattr(as_colab, "environment", lambda: sys.executable)
    write("first", "1")
    write("second", "fails")
    return ran


def test_what_passed_is_not_run_again(tried, write, root, capsys):
    assert as_colab.try_all() == (1, 1, 0) and tried == ["second", "first"]
    assert "cell 2: NameError: fails" in capsys.readouterr().out
    assert list(json.loads(as_colab.RECORD.read_text())["pages"]) == ["first"]
    tried.clear()
    write("second", "2")
    assert as_colab.try_all() == (2, 0, 0) and tried == ["second"]
    tried.clear()
    assert as_colab.try_all() == (2, 0, 0) and tried == []
    (root / "d2l_helpers" / "one.py").write_text("ONE = 2\n")
    assert as_colab.try_all() == (2, 0, 0) and tried == ["second", "first"]


def test_what_there_is_no_time_for_is_named(tried, write, capsys):
    write("second", "2")
    assert as_colab.try_all(limit=-1) == (0, 0, 2) and tried == []
    assert "Not tried as on Colab, for want of time: second, first" in capsys.readouterr().out


def test_a_change_of_what_is_installed_is_seen(tmp_path, monkeypatch):
    class Done:
        stdout = str(tmp_path)

    monkeypatch.setattr(as_colab.subprocess, "run", lambda *_, **__: Done)
    (tmp_path / "one.py").write_text("1")
    before = as_colab.installed("python")
    (tmp_path / "one.pyc").write_text("compiled")
    assert as_colab.installed("python") == before
    (tmp_path / "two.py").write_text("2")
    assert as_colab.installed("python") != before


@pytest.mark.slow
def test_the_first_lesson_sets_itself_up_in_an_empty_folder_without_a_network(tmp_path):
    page = dict(colab.editions(["measuring"]))["measuring"]
    page.cells = page.cells[:6] + page.cells[-1:]
    with as_colab.colab_like(as_colab.Path(sys.executable)) as (base, offline, env):
        path = base / "content" / "measuring.ipynb"
        path.write_text(nbformat.writes(page))
        notebook, problem = as_colab.execute.executed(path, offline, env)
        assert as_colab.problems(notebook, problem) == []
        assert "The whole page took" in notebook.cells[-1].outputs[0].text
        assert [file.name for file in path.parent.iterdir()] == ["measuring.ipynb"]
