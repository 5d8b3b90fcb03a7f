"""The order, setup cell, stamp and tidy form of notebooks, and their execution."""
import io
import json
import re
import sys
import time

import execute
import nbformat
import notebooks
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A course in a temporary folder, in place of the real one."""
    for folder in ("chapters", "d2l_helpers", "_build"):
        (tmp_path / folder).mkdir()
    (tmp_path / "d2l_helpers" / "one.py").write_text("ONE = 1\n")
    (tmp_path / "_config.yml").write_text("repository:\n  url: https://example.org/me/course/\n  branch: v1\n")
    (tmp_path / "_toc.yml").write_text("root: index\nchapters:\n  - file: chapters/second\n    sections:\n"
                                       "      - file: chapters/first   # a remark\n")
    for module in (notebooks, execute):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(execute, "BUILD", tmp_path / "_build")
    for function in (notebooks.listed, notebooks.setup_cell, notebooks.write_setup, notebooks.hashes, notebooks.stale,
                     notebooks.stamp):
        monkeypatch.setattr(function, "__defaults__", (tmp_path, *function.__defaults__[1:]))
    return tmp_path


def write(root, name, *sources, stamp=False):
    cells = [new_markdown_cell("# A lesson", id="title")]
    cells += [new_code_cell(source, id=f"c{n}", execution_count=n) for n, source in enumerate(sources, 1)]
    notebook = notebooks.tidy(new_notebook(cells=cells))
    if stamp:
        notebook.metadata["d2l"] = nbformat.from_dict(notebooks.hashes(notebook))
    path = root / "chapters" / f"{name}.ipynb"
    path.write_text(notebooks.canonical(notebook))
    return path


def test_the_order_is_that_of_the_pages(root, capsys):
    for name in ("first", "second", "unlisted", "second-mxnet"):
        write(root, name, "1")
    assert [p.stem for p in notebooks.listed(note="")] == ["second", "first", "second-mxnet", "unlisted"]
    assert [p.stem for p in notebooks.listed(note="no MXNet here")] == ["second", "first", "unlisted"]
    assert capsys.readouterr().err == "note: no MXNet here\n"


def test_the_setup_cell_has_the_address(root):
    text = notebooks.setup_cell()
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
        exec(notebooks.setup_cell(), {})
    assert "--no-deps" in calls[0] and calls[0][:3] == [sys.executable, "-m", "pip"]


@pytest.mark.parametrize("edit, reason", [
    (lambda root, path: path.write_text(path.read_text().replace("x = 1", "x = 2")), "its code has changed"),
    (lambda root, path: (root / "d2l_helpers" / "one.py").write_text("ONE = 2\n"), "d2l_helpers has changed"),
    (lambda root, path: (root / "d2l_helpers" / "two.py").write_text(""), "d2l_helpers has changed"),
    (lambda root, path: (root / "d2l_helpers" / "facts.csv").write_text("a,1\n"), "d2l_helpers has changed"),
    (lambda root, path: (root / "d2l_helpers" / "probes.c").write_text("int a;\n"), "d2l_helpers has changed"),
    (lambda root, path: (root / "d2l_helpers" / "notes.txt").write_text("no part of it"), ""),
    (lambda root, path: path.write_text(path.read_text().replace('"execution_count": 1', '"execution_count": null')),
     "a cell without outputs"),
    (lambda root, path: path.write_text(path.read_text().replace("# A lesson", "# The lesson")), ""),
    (lambda root, path: (root / "d2l_helpers" / "one.py").write_bytes(b"ONE = 1\r\n"), "")])
def test_one_changed_character_makes_it_stale(root, edit, reason):
    path = write(root, "first", "x = 1", stamp=True)
    assert notebooks.stale(notebooks.read(path)) == ""
    edit(root, path)
    assert notebooks.stale(notebooks.read(path)) == reason


def test_a_new_setup_cell_leaves_a_fresh_stamp_fresh(root):
    path = write(root, "first", "old text", stamp=True)
    notebook = notebooks.read(path)
    notebook.cells[1].metadata["tags"] = ["setup", "hide-cell"]
    notebooks.write_setup(notebook)
    assert notebook.cells[1].source == notebooks.setup_cell() and notebooks.stale(notebook) == ""
    notebook.cells[1].source = "x"
    assert notebooks.stale(notebook)
    notebooks.write_setup(notebook)
    notebook.metadata.d2l["source"] = "0"
    notebooks.write_setup(notebook)
    assert notebooks.stale(notebook), "a stale stamp stays stale"


def test_tidy_takes_out_the_leavings():
    outputs = [new_output("stream", name="stdout", text="a"), new_output("stream", name="stdout", text="b\n"),
               new_output("stream", name="stderr", text="c")]
    notebook = new_notebook(
        cells=[new_code_cell("1", id="c", outputs=outputs, metadata={"execution": {"t": "1"}, "tags": ["setup"]})],
        metadata={"language_info": {"name": "python", "version": "3.11.7"}, "widgets": {"state": 1}, "d2l": {"a": "b"}})
    notebooks.tidy(notebook)
    assert [output.text for output in notebook.cells[0].outputs] == ["ab\n", "c"]
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
    problems = notebooks.output_problems(notebook)
    assert problems == [] if complaint is None else complaint in problems[0] and problems[0].startswith("cell 1: ")


def test_pictures_are_not_searched_for_paths():
    picture = new_output("display_data", {"image/png": "x /root/ /tmp/", "text/plain": "<Figure size 640x480>"})
    assert notebooks.output_problems(new_notebook(cells=[new_code_cell("1", outputs=[picture])])) == []


# --- execution, with real kernels on tiny notebooks

@pytest.fixture
def machine(monkeypatch):
    import d2l_helpers
    monkeypatch.setattr(d2l_helpers, "machine", lambda: {"cpu": "a core", "python": "3.11.0", "torch": "2"},
                        raising=False)


def test_outputs_runs_only_the_stale_ones(root, machine, capsys):
    good = write(root, "first", "print('hello')\nprint('again')")
    bad = write(root, "second", "x = 1", "1 / 0")
    old = bad.read_text()
    assert execute.outputs([], False) == 1
    said = capsys.readouterr().out
    assert "[1/2] second … FAILED" in said and "ZeroDivisionError" in said and "[2/2] first … ok" in said
    assert "1 of 2 failed: second" in said
    assert bad.read_text() == old, "a failing notebook stays as it was"
    notebook = notebooks.read(good)
    assert notebook.cells[1].outputs == [{"name": "stdout", "output_type": "stream", "text": "hello\nagain\n"}]
    assert notebook.metadata.d2l.machine == "a core" and notebook.metadata.d2l.packages == {"torch": "2"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", notebook.metadata.d2l.date)
    assert notebooks.stale(notebook) == "" and good.read_text() == notebooks.canonical(notebook)
    bad.unlink()
    assert execute.outputs([], False) == 0
    assert "are fresh" in capsys.readouterr().out


def test_outputs_refuses_a_path_of_this_machine(root, machine, capsys):
    path = write(root, "first", "import sys; print(sys.prefix)")
    assert execute.outputs(["first"], False) == 1
    assert "a path of one machine" in capsys.readouterr().out
    assert notebooks.read(path).cells[1].outputs == []


def test_bench_shows_a_missed_goal_and_goes_on(root, machine, capsys, monkeypatch):
    line = {"name": "best path", "value": 4.0, "low": 3.9, "high": 4.1, "at_least": 6.0, "at_most": None, "met": False}
    write(root, "first", f"import os\nopen(os.environ['D2L_GOALS'], 'a').write({json.dumps(line)!r} + '\\n')")
    (root / "tools").mkdir()
    (root / "tools" / "bench_compare.py").write_text(
        "import sys, json; json.dump({'false alarms': 0}, open(sys.argv[2], 'w'))")
    monkeypatch.setenv("D2L_GOALS", "")
    assert execute.bench() == 0
    said = capsys.readouterr().out
    assert re.search(r"best path +4 +3.9 to 4.1 +≥ 6 +NOT met", said) and "1 of 1 goals NOT met" in said
    record = json.loads((root / "_build" / "bench.json").read_text())
    assert record["goals"] == [{"notebook": "first", **line}] and record["compare"] == {"false alarms": 0}
    assert record["machine"]["cpu"] == "a core" and record["could_not_run"] == []
    write(root, "second", "1 / 0")
    assert execute.bench() == 1
    assert json.loads((root / "_build" / "bench.json").read_text())["could_not_run"][0]["name"] == "second"


def test_nbval_compares_to_the_letter(root, capfd):
    path = write(root, "first", "print('hello')")
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nbval-current-env'\n")
    assert execute.test(["first"], root / "marks") == 1
    said = capfd.readouterr().out
    assert "FAILED" in said and "print('hello')" in said and "make outputs NAMES=first" in said
    assert not (root / "marks" / "first.ok").exists()
    notebook = notebooks.read(path)
    notebook.cells[1].outputs = [new_output("stream", text="hello\n")]
    path.write_text(notebooks.canonical(notebook))
    assert execute.test(["chapters/first.ipynb"], root / "marks") == 0
    assert (root / "marks" / "first.ok").exists() and "[1/1] first … ok" in capfd.readouterr().out


def test_an_unknown_name_is_named(root):
    with pytest.raises(SystemExit, match="no notebook chapters/nothing.ipynb"):
        execute.chosen(["nothing"])


def test_the_program_explains_itself(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(SystemExit) as ended:
        notebooks.main(["--help"])
    assert ended.value.code == 0 and "outputs" in sys.stdout.getvalue()


def test_ctrl_c_ends_the_run_at_once_and_leaves_no_kernel(root, machine, capsys):
    """nbclient takes the signal for itself; it must not count as one failed notebook before the next."""
    import os
    import signal
    import threading
    path = write(root, "first", "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)")
    old, place = path.read_text(), root / "chapters" / "pid"

    def interrupt():
        for _ in range(600):
            if place.exists() and place.read_text():
                return os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        execute.outputs(["first"], False)
    assert path.read_text() == old
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)
