"""The order, setup cell, stamp, fingerprint and tidy form of pages."""
import sys

import pages
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output


def test_the_order_is_that_of_the_contents(root, write):
    for name in ("first", "second", "unlisted", "second-mxnet"):
        write(name, "1")
    assert [p.stem for p in pages.listed(root)] == ["second", "first", "second-mxnet", "unlisted"]
    assert [p.stem for p in pages.chosen(["chapters/first.ipynb", "second"], root)] == ["second", "first"]
    with pytest.raises(ValueError, match="no notebook chapters/nothing.ipynb"):
        pages.chosen(["nothing"], root)


def test_listing_changes_nothing(root, write):
    write("first", "1")
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    pages.listed(root)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_the_setup_cell_has_the_address(root):
    text = pages.setup_cell(root)
    assert '"git+https://example.org/me/course@v1"' in text
    compile(text, "setup", "exec")


def test_the_setup_cell_where_the_module_is_missing(root, monkeypatch):
    """A failing install ends in one line; a good one changes nothing but the module."""
    import importlib.util
    import subprocess
    calls = []

    def run(command, **options):
        calls.append(command)
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(SystemExit, match="could not be installed from git"):
        exec(pages.setup_cell(root), {})
    assert "--no-deps" in calls[0] and calls[0][:3] == [sys.executable, "-m", "pip"]


CODE = """from d2l_helpers import hardware
d2l.recorded("cluster", "ring", measure)"""
CORE, CHANGED = "the core of d2l_helpers has changed", "a record that it shows has changed"


@pytest.mark.parametrize("name, text, reason", [
    ("chapters/first.ipynb", lambda text: text.replace("ring", "star"), "its code has changed"),
    ("chapters/first.ipynb", lambda text: text.replace("# A lesson", "# The lesson"), ""),
    ("chapters/first.ipynb", lambda text: text.replace('"execution_count": 1', '"execution_count": null'),
     "a cell without outputs"),
    ("d2l_helpers/one.py", "ONE = 2\n", CORE), ("d2l_helpers/two.py", "", CORE),
    ("d2l_helpers/course.mplstyle", "a: 1", CORE), ("d2l_helpers/one.py", "ONE = 1\r\n", ""),
    ("d2l_helpers/notes.txt", "no part of it", ""), ("d2l_helpers/__pycache__/one.pyc", "a cache", ""),
    ("d2l_helpers/hardware/probes.py", "a = 1", "d2l_helpers.hardware has changed"),
    ("d2l_helpers/hardware/probes.c", "int a;", "d2l_helpers.hardware has changed"),
    ("d2l_helpers/distributed/ranks.py", "a = 1", ""), ("d2l_helpers/mxnet.py", "a = 1", ""),
    ("records/cluster.json", "{ }", CHANGED), ("records/compare.json", "{ }", "")])
def test_a_page_is_stale_by_what_it_can_see(name, text, reason, root, write):
    path = write("first", CODE, stamp=True)
    assert pages.stale(pages.read(path), root) == ""
    changed = text if isinstance(text, str) else text((root / name).read_text())
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_bytes(changed.encode())
    assert pages.stale(pages.read(path), root) == reason


def test_a_page_without_a_stamp_is_stale(root, write):
    assert pages.stale(pages.read(write("first", "1")), root) == "no stamp"


@pytest.mark.parametrize("code, wings", [
    ("import d2l_helpers as d2l", []), ("from d2l_helpers import hardware, distributed", ["hardware", "distributed"]),
    ("from d2l_helpers.mxnet import mx, np, npx", ["mxnet"]),
    ("from d2l_helpers import (\n    hardware,\n)", ["hardware"]),
    ("%%writefile ranks.py\nfrom d2l_helpers.distributed import report", ["distributed"]),
    ("import d2l_helpers.hardware as hw", ["hardware"]), ("hardware = 1", [])])
def test_the_wings_that_a_page_imports(code, wings):
    assert pages.wings(code) == wings


@pytest.mark.parametrize("change, same", [
    (lambda root, page: setattr(page.cells[0], "source", "# New prose"), True),
    (lambda root, page: (root / "d2l_helpers/mxnet.py").write_text("a = 1"), True),
    (lambda root, page: setattr(page.cells[1], "source", "2"), False),
    (lambda root, page: page.cells[1].outputs.append(new_output("stream", text="2")), False),
    (lambda root, page: page.cells[1].metadata.update(tags=["nbval-ignore-output"]), False),
    (lambda root, page: (root / "d2l_helpers/one.py").write_text("a = 1"), False),
    (lambda root, page: (root / "d2l_helpers/hardware/probes.py").write_text("a = 1"), False),
    (lambda root, page: (root / "records/cluster.json").write_text("{ }"), False),
    (lambda root, page: (root / "requirements.txt").write_text("numpy"), False),
    (lambda root, page: (root / "tests/notebooks/sanitize.cfg").write_text("[a]"), False)])
def test_a_fingerprint_holds_what_a_test_depends_on(change, same, root, write):
    page = pages.read(write("first", CODE, stamp=True))
    before = pages.fingerprint(page, root)
    change(root, page)
    assert (pages.fingerprint(page, root) == before) == same


def test_a_new_setup_cell_leaves_a_fresh_stamp_fresh(root, write):
    path = write("first", "old text", stamp=True)
    notebook = pages.read(path)
    notebook.cells[1].metadata["tags"] = ["setup", "hide-cell"]
    pages.write_parts(notebook, root)
    assert notebook.cells[1].source == pages.setup_cell(root) and pages.stale(notebook, root) == ""
    notebook.cells[1].source = "x"
    assert pages.stale(notebook, root)
    pages.write_parts(notebook, root)
    notebook.metadata.d2l["source"] = "0"
    pages.write_parts(notebook, root)
    assert pages.stale(notebook, root), "a stale stamp stays stale"


def test_tidy_takes_out_the_leavings():
    outputs = [new_output("stream", name="stdout", text="a")]
    notebook = new_notebook(
        cells=[new_code_cell("1", id="c", outputs=outputs, metadata={"execution": {"t": "1"}, "tags": ["setup"]})],
        metadata={"language_info": {"name": "python", "version": "3.11.7"}, "widgets": {"state": 1}, "d2l": {"a": "b"}})
    pages.tidy(notebook)
    assert notebook.cells[0].outputs == outputs
    assert notebook.cells[0].metadata == {"tags": ["setup"]}
    assert sorted(notebook.metadata) == ["d2l", "kernelspec", "language_info"]
    assert notebook.metadata.language_info == {"name": "python"}


@pytest.mark.parametrize("text, complaint", [
    ("a result in 12 ms\n", None), ("templates and homework at 3/4\n", None), ("/tmpl and /rooted\n", None),
    ("/root/course\n", "a path of one machine: /root"), ("'/tmp/x'\n", "/tmp"), ("/home/ann/x\n", "/home/ann"),
    ("in site-packages\n", "site-packages"), ("a.py:3: DeprecationWarning: old\n", "a warning"),
    ("10 %\r20 %", "a progress bar")])
def test_what_must_not_stand_in_outputs(text, complaint):
    notebook = new_notebook(cells=[new_code_cell("1", outputs=[new_output("stream", text=text)])])
    problems = pages.output_problems(notebook)
    assert problems == [] if complaint is None else complaint in problems[0] and problems[0].startswith("cell 1: ")


def test_pictures_are_not_searched_for_paths():
    picture = new_output("display_data", {"image/png": "x /root/ /tmp/", "text/plain": "<Figure size 640x480>"})
    assert pages.output_problems(new_notebook(cells=[new_code_cell("1", outputs=[picture])])) == []
