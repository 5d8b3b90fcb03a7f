"""predict: stated before, judged by the interval after, in words, as a table and as a plot."""

import math

import pytest

import d2l_helpers as d2l


def check(values, measured, unit="s", because="", **options):
    return d2l.predict(values, unit, verbose=False, **options).check(measured, because=because, verbose=False)


def test_it_is_stated_with_its_tolerance_before_it_is_measured(capsys):
    guess = d2l.predict({"ring": 0.251, "star": 1.0}, "s", within=0.1)
    assert capsys.readouterr().out == "predicted: ring 251 ms; star 1 s (right if within 10 %)\n"
    guess.check({"ring": (0.262, 0.258, 0.266), "star": 1.35})
    assert capsys.readouterr().out.splitlines() == [
        "ring: predicted 251 ms, measured 262 ms (258 to 266): within 10 %",
        "star: predicted 1 s, measured 1.35 s: missed, 35 % above: unexplained",
    ]


def test_each_curve_is_stated_on_a_line_of_its_own():
    guess = d2l.predict({"ring": {2: 1.0, 4: 2.0}, "star": {2: 1.0}}, "s", over="machines", within=0.2, verbose=False)
    assert repr(guess).splitlines() == [
        "predicted (right if within 20 %)", "ring: 2 machines 1 s; 4 machines 2 s", "star: 2 machines 1 s",
    ]  # fmt: skip


@pytest.mark.parametrize("over, words", [
    ("machines", "1 machine"), ("tasks between waits", "1 task between waits"), ("ms messages", "1 ms message"),
    ("", "1"), ("rows", "1 row")])  # fmt: skip
def test_one_of_many_is_singular(over, words):
    assert check({1: 1.0, 2: 1.0}, {1: 1.0}, over=over).rows[0].name == words


@pytest.mark.parametrize(
    "measured, holds",
    [(1.0, True), (1.1, True), (1.11, False), (0.89, False), ((1.05, 1.0, 1.09), True), ((1.05, 1.0, 1.2), None),
     ((1.3, 1.2, 1.4), False), ((1.0, 0.5, 1.5), None), ((1.0, -math.inf, math.inf), None)],
)  # fmt: skip
def test_the_interval_decides(measured, holds):
    result = check(1.0, measured, within=0.1 + 1e-12)
    assert result.rows[0].holds is holds and result.all_within is (holds is True)


@pytest.mark.parametrize(
    "low, high, words", [(0.258, 0.266, "258 to 266"), (0.0003, 0.9, "300 µs to 900 ms"), (0.2, 1.5, "200 ms to 1.5 s")]
)
def test_an_interval_has_units_where_it_needs_them(low, high, words):
    assert f"measured 262 ms ({words})" in repr(check(0.251, (0.262, low, high)))


@pytest.mark.parametrize(
    "bound, measured, verdict",
    [("at least", 5.0, "holds, 5× the bound"), ("at least", 0.95, "holds, 5 % below"), ("at most", 1.0, "holds"),
     ("at least", 0.5, "BROKEN, 50 % below: unexplained"),
     ("at most", 0.2, "holds, 80 % below"), ("at most", 1.5, "BROKEN, 50 % above: unexplained")],
)  # fmt: skip
def test_a_bound_may_be_exceeded_on_one_side(bound, measured, verdict):
    result = check(1.0, measured, bound=bound, within=0.1)
    assert result.rows[0].verdict == verdict and f"predicted {bound} 1 s" in repr(result)


def test_a_tested_cause_stands_in_place_of_unexplained():
    result = check({"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 5.0}, because={"a": "a cold cache, see above"})
    assert result["a"].verdict == "missed, 100 % above: a cold cache, see above"
    assert result["b"].verdict == "missed, 5× the prediction: unexplained"


def test_a_curve_and_several_of_them():
    assert list(check({1: 1.0}, {1: 1.0}, over="machines").errors) == ["1 machine"]
    result = check({2: 1.0, 4: 2.0, 8: 3.0}, {2: 1.0, 8: 4.0}, over="machines")
    assert result.errors == {"2 machines": 0, "8 machines": pytest.approx(1 / 3)}
    assert result[8].measured == 4.0
    assert result.worst == pytest.approx(1 / 3) and result.mean_error == pytest.approx(1 / 6)
    measured = {"ring": {2: 1.0, 4: 2.0}, "star": {2: 3.0}}
    two = check({"ring": {2: 1.0, 4: 2.0}, "star": {2: 1.0}}, measured, over="machines")
    assert list(two.errors) == ["ring, 2 machines", "ring, 4 machines", "star, 2 machines"]


def test_it_takes_what_compare_returns():
    rows = d2l.compare({"a": lambda: sum(range(400)), "b": lambda: sum(range(200))}, verbose=False, budget=0.1)
    ratio, time = check({"b": 2.0}, rows, "×"), check({"b": rows["b"].median}, rows)
    assert ratio["b"].measured == rows["b"].ratio and ratio["b"].low == rows["b"].low
    assert time["b"].measured == rows["b"].median


def test_the_table_leaves_out_intervals_that_are_not_there():
    assert list(check({"a": 1.0}, {"a": 1.02}).table()) == ["predicted", "measured", "error", "verdict"]
    table = check({"a": 1.0}, {"a": (1.02, 1.0, 1.05)}).table()
    assert table.loc["a", "low"] == "1 s" and table.loc["a", "error"] == "+2%"


def test_the_plot_has_a_line_of_predictions_and_points_of_measurements():
    result = check({"ring": {2: 1.0, 4: 2.0}, "star": {2: 1.0, 4: 3.0}}, {"ring": {2: 1.1}, "star": {2: 3.0, 4: 3.0}})
    axes = result.plot(log="x").axes[0]
    lines = [line for line in axes.get_lines() if line.get_linestyle() == "-" and len(line.get_xdata())]
    assert [list(line.get_ydata()) for line in lines] == [[1.0, 2.0], [1.0, 3.0]]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["ring", "star"] and "points: measured" in axes.get_title(loc="left")
    assert axes.get_xscale() == "log"
    names = check({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}).plot().axes[0]
    assert [text.get_text() for text in names.get_xticklabels()] == ["a", "b"]


@pytest.mark.parametrize(
    "values, options, words",
    [
        (0.0, {}, "other than 0"), (math.nan, {}, "finite"), ({}, {}, "nothing is predicted"),
        (1.0, {"bound": "about"}, "at least"), (1.0, {"within": -0.1}, "a share such as 0.1"),
    ],
)  # fmt: skip
def test_a_bad_prediction_gets_one_clear_line(values, options, words):
    with pytest.raises(ValueError, match=words):
        d2l.predict(values, "s", verbose=False, **options)


def test_a_measurement_of_something_else_is_refused():
    with pytest.raises(ValueError, match=r"predicted \(ring\) was measured \(star\)"):
        check({"ring": 1.0}, {"star": 1.0})
