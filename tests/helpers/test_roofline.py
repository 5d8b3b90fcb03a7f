"""The roofline model: its arithmetic, and what it refuses."""

import pytest

from d2l_helpers.hardware import Machine

BOX = Machine("box", 100.0, {"near": 50.0, "far": 10.0})


def test_the_slowest_memory_counts_unless_one_is_named():
    assert BOX.bandwidth() == 10 and BOX.bandwidth("near") == 50
    assert BOX.ridge() == 10 and BOX.ridge("near") == 2


@pytest.mark.parametrize("intensity, most", [(0, 0), (1, 10), (10, 100), (1000, 100)])
def test_attainable_rises_to_the_ridge_and_no_further(intensity, most):
    assert BOX.attainable(intensity) == most


@pytest.mark.parametrize("peak, bandwidths", [(0, {"m": 1}), (1, {}), (1, {"m": 0}), (float("nan"), {"m": 1})])
def test_a_machine_without_ceilings_is_refused(peak, bandwidths):
    with pytest.raises(ValueError, match="box: the peak"):
        Machine("box", peak, bandwidths)


def test_an_unknown_memory_is_named():
    with pytest.raises(KeyError, match="near, far"):
        BOX.attainable(1, "L9")
