"""A small course in a temporary folder, in place of the real one, and a machine that counts as quiet."""
import inspect

import nbformat
import pages
import pytest
import quiet
import run
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

FILES = {
    "d2l_helpers/one.py": "ONE = 1\n", "d2l_helpers/mxnet.py": "", "d2l_helpers/course.mplstyle": "",
    "d2l_helpers/hardware/probes.py": "", "d2l_helpers/distributed/ranks.py": "", "records/cluster.json": "{}",
    "requirements.txt": "", "tests/notebooks/sanitize.cfg": "", "_build/log": "", "chapters/pid": "",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--nbval-current-env'\n",
    "_config.yml": "repository:\n  url: https://example.org/me/course/\n  branch: v1\n",
    "_toc.yml": "root: index\nchapters:\n  - file: chapters/second\n    sections:\n"
                "      - file: chapters/first   # a remark\n",
}
QUIET = {"cores": 1.96, "spread": 0.01, "others": 0.004, "stolen": 0.0}


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for function in (value for value in vars(pages).values() if inspect.isfunction(value)):
        defaults = [tmp_path if value is pages.ROOT else value for value in function.__defaults__ or ()]
        monkeypatch.setattr(function, "__defaults__", tuple(defaults) or None)
    for module, names in {pages: {"ROOT": ""}, run: {"ROOT": "", "BUILD": "_build", "MARKS": "_build/tested"}}.items():
        for name, folder in names.items():
            monkeypatch.setattr(module, name, tmp_path / folder)
    monkeypatch.setattr(quiet, "LOCK", tmp_path / "lock")
    return tmp_path


@pytest.fixture
def write(root):
    """write(name, source, …): a page with these code cells, stamped as fresh and quiet where `stamp` says so."""

    def page(name, *sources, stamp=False):
        cells = [new_markdown_cell("# A lesson", id="title")]
        cells += [new_code_cell(source, id=f"c{n}", execution_count=n) for n, source in enumerate(sources, 1)]
        notebook = pages.tidy(new_notebook(cells=cells))
        if stamp:
            notebook.metadata["d2l"] = nbformat.from_dict({**pages.made_from(notebook, root), "quiet": QUIET})
        path = root / "chapters" / f"{name}.ipynb"
        path.write_text(pages.canonical(notebook))
        return path

    return page


@pytest.fixture
def calm(monkeypatch):
    """A machine whose looks are the given figures in turn, and quiet ones after them."""
    coming = []
    monkeypatch.setattr(quiet, "look", lambda: coming.pop(0) if coming else QUIET)
    monkeypatch.setattr(quiet.Watch, "figures", lambda self: {})
    monkeypatch.setattr(quiet, "adopt_orphans", lambda: None)
    return coming
