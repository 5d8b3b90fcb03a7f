"""`make bench`: goals are collected and shown, whatever their verdict."""
import json
import re

import bench
import bench_compare
import bench_grade
import pytest

LINE = {"name": "best path", "value": 4.0, "low": 3.9, "high": 4.1, "at_least": 6.0, "at_most": None,
        "verdict": "NOT met"}


@pytest.mark.slow
def test_a_missed_goal_is_shown_and_a_failing_page_is_an_error(write, root, calm, capsys, monkeypatch):
    write("first", f"import os\nopen(os.environ['D2L_GOALS'], 'a').write({json.dumps(LINE)!r} + '\\n')")
    monkeypatch.setattr(bench_compare, "main", lambda trials, repeats: {"false alarms": 0})
    monkeypatch.setattr(bench_grade, "impossible", lambda: None)
    monkeypatch.setattr(bench_grade, "main", lambda count: {"ratio": 1.2})
    assert bench.main() == 0
    said = capsys.readouterr().out
    assert re.search(r"best path +4 +3.9 to 4.1 +≥ 6 +NOT met", said) and "1 of 1 goals NOT met" in said
    record = json.loads((root / "_build" / "bench.json").read_text())
    assert record["goals"] == [{"page": "first", **LINE}] and record["compare"] == {"false alarms": 0}
    assert record["grade"] == {"ratio": 1.2}
    assert {"machine", "versions", "date", "quiet", "commit"} <= set(record) and record["could_not_run"] == {}
    write("second", "1 / 0")
    assert bench.main() == 1
    record = json.loads((root / "_build" / "bench.json").read_text())
    assert list(record["could_not_run"]) == ["second"] and record["goals"] == [{"page": "first", **LINE}]


def test_compares_own_goals_are_collected():
    import d2l_helpers

    goals = []
    bench.collected(lambda: d2l_helpers.goal("g", 3, at_least=2), goals, "compare")
    assert goals[0]["verdict"] == "met" and goals[0]["page"] == "compare" and "≥ 2" in bench.goal_table(goals)
