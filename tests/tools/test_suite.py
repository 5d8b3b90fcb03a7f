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
