"""Intervals against theory, and numbers with units in words."""

import math
import random

import pytest

import d2l_helpers as d2l
from d2l_helpers.measurement import median_interval, spread


def test_interval_of_the_median_is_the_sign_test():
    # Tables of the sign test: for n = 51 the ranks are 19 and 33, for n = 10 they are 2 and 9.
    assert d2l.interval(range(1, 52)) == (26, 19, 33)
    assert d2l.interval(range(1, 11)) == (5.5, 2, 9)
    assert median_interval([1.0] * 5) == (-math.inf, math.inf)


def test_interval_of_the_mean_is_students():
    # Tables of t: for 4 values (3 degrees of freedom) the 97.5 % quantile is 3.182.
    value, low, high = d2l.interval([1, 2, 3, 4], "mean")
    assert value == 2.5 and high - value == pytest.approx(3.182 * 1.2910 / 2, rel=1e-3) and value - low == high - value
    assert d2l.interval([3.0], "mean") == (3.0, -math.inf, math.inf)


@pytest.mark.parametrize("centre, truth", [("median", 1.0), ("mean", math.exp(0.5))])
def test_an_interval_holds_the_truth_about_as_often_as_it_says(centre, truth):
    rng = random.Random(0)
    samples = [[rng.lognormvariate(0, 1) for _ in range(101)] for _ in range(400)]
    held = sum(low <= truth <= high for _, low, high in (d2l.interval(sample, centre) for sample in samples))
    assert held > 0.88 * len(samples)  # skewed values cost Student's interval some of its 95 %


@pytest.mark.parametrize("sample, centre", [([], "median"), ([1.0], "mode")])
def test_bad_input_gets_one_clear_line(sample, centre):
    with pytest.raises(ValueError, match="an interval needs"):
        d2l.interval(sample, centre)


@pytest.mark.parametrize(
    "value, unit, words",
    [
        (2.5, "s", "2.5 s"), (4.2e-5, "s", "42 µs"), (3e-9, "s", "3 ns"), (0.99996, "s", "1 s"), (0, "s", "0 s"),
        (5e-10, "s", "0.5 ns"), (-2e-3, "s", "-2 ms"), (12345, "B", "12.3 kB"), (512, "B", "512 B"),
        (2.4e10, "B/s", "24 GB/s"), (1e12, "FLOP/s", "1 TFLOP/s"), (2e8, "bit/s", "200 Mbit/s"),
        (3.14159, "×", "3.14×"), (12, "%", "12 %"), (123456, "", "123,456"),
    ],
)  # fmt: skip
def test_a_number_with_its_unit(value, unit, words):
    assert d2l.si(value, unit) == words


def test_spread_takes_what_measurements_return():
    row = d2l.Measurement("a", 1, [1.0, 2.0, 3.0] * 7, "b", ratio=2, low=1.9, high=2.1)
    assert spread(row, "×") == (2, 1.9, 2.1)
    assert spread(row, "s") == d2l.interval(row.seconds)
    assert spread([1.0, 2.0, 3.0] * 7) == d2l.interval([1.0, 2.0, 3.0] * 7)
    assert spread(3) == (3, 3, 3) and spread((3, 2, 4)) == (3, 2, 4)
    with pytest.raises(TypeError, match="not str"):
        spread("fast")
