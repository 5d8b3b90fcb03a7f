"""Goals are judged by the interval, printed and collected."""

import json
import sys

import numpy as np
import pytest

import d2l_helpers as d2l


@pytest.mark.parametrize(
    "value, side, verdict",
    [
        ((7.0, 6.5, 7.5), {"at_least": 6}, "met"),
        ((6.5, 5.9, 7.1), {"at_least": 6}, "undecided"),
        ((5.5, 5.1, 5.9), {"at_least": 6}, "NOT met"),
        ((1.2, 1.1, 1.29), {"at_most": 1.3}, "met"),
        ((1.2, 1.1, 1.31), {"at_most": 1.3}, "undecided"),
        ((1.4, 1.35, 1.5), {"at_most": 1.3}, "NOT met"),
        (1.4, {"at_most": 1.3}, "NOT met"),
        (np.float64(1.2), {"at_most": 1.3}, "met"),
    ],
)
def test_the_whole_interval_must_reach_it(value, side, verdict, tmp_path, monkeypatch):
    file = tmp_path / "goals.jsonl"
    monkeypatch.setenv("D2L_GOALS", str(file))
    assert d2l.goal("speed", value, **side) == verdict
    assert json.loads(file.read_text())["verdict"] == verdict


def test_what_compare_returns_brings_its_interval(capsys):
    row = d2l.Measurement("a", 1, [1e-3] * 9, "b", ratio=6.5, low=5.9, high=7.1)
    assert d2l.goal("speed", row, at_least=6) == "undecided"
    assert capsys.readouterr().out == "goal undecided: speed: 6.5 (95 % interval 5.9 to 7.1), wanted at least 6\n"


@pytest.mark.parametrize("options", [{}, {"at_least": 1, "at_most": 2}])
def test_a_goal_needs_one_side(options):
    with pytest.raises(ValueError, match="either"):
        d2l.goal("x", 1, **options)


def test_what_a_page_explained_counts_holds_tested_causes_and_second_models(capsys, monkeypatch):
    monkeypatch.setattr(sys.modules["d2l_helpers.predict"], "CHECKED", [])
    quick = {"within": 0.1, "verbose": False}
    first = d2l.predict({"a": 1.0, "b": 1.0, "c": 1.0}, "s", **quick).check({"a": 1.0, "b": 2.0, "c": 3.0})
    d2l.predict({"b": 2.0}, "s", after=first, **quick).check({"b": 2.0})  # the second model of b
    d2l.predict({"c": 2.0}, "s", after=first, **quick).check({"c": 3.0})  # no model of c holds
    d2l.predict({"d": 1.0}, "s", **quick).check({"d": 3.0}, because="a cold cache")
    d2l.predict({"e": 1.0}, "s", **quick).check({"e": (1.0, 0.5, 1.5)})  # cannot tell
    capsys.readouterr()
    d2l.goal_explained(at_least=0.5)  # a, b twice, d; not c twice, not e
    assert capsys.readouterr().out.splitlines() == [
        "4 of 7 predictions hold or are explained",
        "goal met: predictions that hold or are explained: 0.571, wanted at least 0.5",
    ]
