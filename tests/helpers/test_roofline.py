"""The roofline model: its arithmetic, what it refuses, and its figure."""

import pytest

from d2l_helpers.hardware import Machine, Point, plot_roofline

BOX = Machine("box", 100.0, {"near": 50.0, "far": 10.0})


def test_the_slowest_memory_counts_unless_one_is_named():
    assert BOX.bandwidth() == 10 and BOX.bandwidth("near") == 50
    assert BOX.ridge() == 10 and BOX.ridge("near") == 2


@pytest.mark.parametrize("intensity, most", [(0, 0), (1, 10), (10, 100), (1000, 100)])
def test_attainable_rises_to_the_ridge_and_no_further(intensity, most):
    assert BOX.attainable(intensity) == most


def test_predict_is_the_longer_of_the_two_and_agrees_with_attainable():
    assert BOX.predict(200, 1) == 2  # arithmetic
    assert BOX.predict(1, 200) == 20  # bytes
    assert BOX.predict(1, 200, "near") == 4
    assert BOX.predict(0, 0) == 0
    for flops, nbytes in [(1, 100), (50, 5), (1e6, 10)]:
        assert flops / BOX.predict(flops, nbytes) == pytest.approx(BOX.attainable(flops / nbytes))


@pytest.mark.parametrize("peak, bandwidths", [(0, {"m": 1}), (1, {}), (1, {"m": 0}), (float("nan"), {"m": 1})])
def test_a_machine_without_ceilings_is_refused(peak, bandwidths):
    with pytest.raises(ValueError, match="box: the peak"):
        Machine("box", peak, bandwidths)


def test_an_unknown_memory_and_a_negative_count_are_named():
    with pytest.raises(KeyError, match="near, far"):
        BOX.attainable(1, "L9")
    with pytest.raises(ValueError, match="negative"):
        BOX.predict(-1, 1)


def test_the_figure_has_a_line_for_each_memory_and_a_mark_for_each_point_with_flop():
    points = [Point("a", 10, 100, 1.0), Point("b", 1e6, 10, 1.0), Point("copy", 0, 100, 1.0)]
    figure = plot_roofline([BOX], points)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert set(lines) == {"box, near", "box, far", "a", "b"}
    assert max(lines["box, far"].get_ydata()) == pytest.approx(100e-9)
    assert lines["a"].get_xdata()[0] == pytest.approx(0.1)
    left, right = figure.axes[0].get_xlim()
    assert left < 0.1 and right > 1e5


def test_a_figure_without_a_machine_is_refused():
    with pytest.raises(ValueError, match="at least one machine"):
        plot_roofline([])
