"""`make test` and `make check`: every part runs, and the last line counts."""
import os

import pytest
import run
import suite


@pytest.mark.parametrize("attributes, status, counts", [
    ('tests="9" failures="1" errors="1" skipped="2"', 1, (5, 2, 2)),
    ('tests="9" failures="0" errors="0" skipped="0"', 0, (9, 0, 0)),
    ('tests="0" failures="0" errors="0" skipped="0"', 5, (0, 0, 0)),
    ('tests="3" failures="0" errors="0" skipped="0"', 3, (3, 1, 0))])
def test_what_a_report_counts(attributes, status, counts, tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuites><testsuite {attributes}></testsuite></testsuites>")
    assert suite.counted(report, status) == counts


def test_a_run_without_a_report_failed(tmp_path):
    assert suite.counted(tmp_path / "none.xml", 4) == (0, 1, 0)


def test_only_tests_that_measure_nothing_share_the_machine(root, monkeypatch):
    asked = {}
    monkeypatch.setattr(suite, "WORKERS", 3)
    monkeypatch.setattr(suite.subprocess, "call", lambda command, cwd: asked.update({command[4]: command}) or 0)
    found = suite.parts("test", [], True)
    found["quick tests and rules"](), found["slow tests"]()
    quick, slow = (asked[f"--junitxml={run.BUILD / name}.xml"] for name in ("quick", "slow"))
    assert quick[-2:] == ["-n", "3"] and "-n" not in slow


@pytest.fixture
def parts(root, monkeypatch):
    made = {}
    monkeypatch.setattr(suite, "parts", lambda command, names, everything: made)
    return made


def test_all_parts_run_and_the_last_line_counts(parts, root, capsys):
    ran = []
    parts.update(one=lambda: ran.append(1) or (3, 1, 0), two=lambda: ran.append(2) or (4, 0, 2))
    assert suite.main(["test"]) == 1 and ran == [1, 2]
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "7 passed, 1 failed, 2 skipped" and any(line.split()[:5] == ["one", "0", "3", "1", "0"]
                                                                for line in lines)
    assert (root / "_build/summary").read_text() == lines[-1] + "\n"


def test_green_is_zero(parts, capsys):
    parts.update(one=lambda: (3, 0, 0))
    assert suite.main(["check"]) == 0 and capsys.readouterr().out.splitlines()[-1] == "3 passed, 0 failed"


def test_check_executes_no_page_and_builds_no_site():
    assert list(suite.parts("check", [], False)) == ["ruff", "quick tests and rules"]
    assert set(suite.parts("test", [], False)) > set(suite.parts("check", [], False))


def test_names_choose_the_pages_and_their_rules(write, monkeypatch):
    write("first", "1")
    monkeypatch.setenv("D2L_NAMES", "")
    called = []
    monkeypatch.setattr(run, "test", lambda names, everything: called.append((names, everything)) or (1, 0, 0))
    found = suite.parts("test", ["chapters/first.ipynb"], True)
    assert os.environ["D2L_NAMES"] == "first" and len(found) == 2
    assert found["these pages"]() == (1, 0, 0) and called == [(["chapters/first.ipynb"], True)]


@pytest.fixture
def ran(root, monkeypatch):
    """The runs of pytest that were asked for, each with the pages chosen for the browser; all pass."""
    calls = []
    (root / "_build/tested").mkdir(exist_ok=True)
    monkeypatch.setattr(suite, "SLOW", ("d2l_helpers", "records"))
    monkeypatch.setattr(suite, "SITE", ("_config.yml",))
    asked = lambda name, *_, **__: calls.append((name, os.environ.get("D2L_PAGES"))) or (5, 0, 0)  # noqa: E731
    monkeypatch.setattr(suite, "pytest", asked)
    monkeypatch.delenv("D2L_PAGES", raising=False)
    return calls


def test_slow_tests_run_again_when_a_file_changed_and_only_then(ran, root):
    assert suite.slow(False) == (5, 0, 0) and suite.slow(False) == (0, 0, 0) and len(ran) == 1
    (root / "d2l_helpers/hardware/probes.py").write_text("changed = True\n")
    assert suite.slow(False) == (5, 0, 0) and suite.slow(True) == (5, 0, 0) and len(ran) == 3


def test_a_part_that_failed_runs_again(ran, monkeypatch):
    monkeypatch.setattr(suite, "pytest", lambda *_: ran.append(1) or (4, 1, 0))
    assert suite.slow(False) == suite.slow(False) == (4, 1, 0) and len(ran) == 2


def test_the_browser_opens_the_pages_that_changed(ran, root):
    html = root / "_build/html/chapters"
    html.mkdir(parents=True)
    for name in "ab":
        (html / f"{name}.html").write_text(name)
    for change in (None, "a", None, "_config.yml"):
        if change == "a":
            (html / "a.html").write_text("another")
        elif change:
            (root / change).write_text("another")
        suite.site(False)
    assert ran == [("site", None), ("site", "chapters/a.html"), ("site", ""), ("site", None)]
    suite.site(True)
    assert ran[-1] == ("site", None)
