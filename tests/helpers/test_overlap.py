"""overlap: the bounds, the efficiency, and the three places where a measured time can lie."""

import time

import pytest

import d2l_helpers as d2l


class World:
    """A clock that only moves when a job says so: exact times, no machine in between."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def job(self, seconds):
        def run():
            self.now += seconds

        return run


def measured(together, a=0.003, b=0.002):
    world = World()
    parts = {"a": world.job(a), "b": world.job(b)}
    return d2l.overlap(parts, world.job(together), clock=world, verbose=False, budget=1.0)


@pytest.mark.parametrize(
    "together, efficiency, verdict",
    [
        (0.003, 1.0, "inside the bounds"),
        (0.004, 0.75, "inside the bounds"),
        (0.005, 0.6, "inside the bounds"),
        (0.006, 0.5, "above the bounds: one after the other would have been quicker"),
        (0.002, 1.5, "BELOW the bounds: the parts, timed alone, did more than they do together"),
    ],
)
def test_bounds_and_efficiency(together, efficiency, verdict):
    result = measured(together)
    assert result.ideal == pytest.approx(0.003)
    assert result.serial == pytest.approx(0.005)
    assert result.measured == pytest.approx(together)
    assert result.efficiency == pytest.approx(efficiency)
    assert result.low == pytest.approx(efficiency) and result.high == pytest.approx(efficiency)
    assert result.verdict == verdict


def test_the_sentence_names_parts_bounds_and_interval(capsys):
    world = World()
    d2l.overlap({"load": world.job(0.003), "train": world.job(0.002)}, world.job(0.004), clock=world, budget=1.0)
    printed = capsys.readouterr().out
    for part in ("load 3 ms", "train 2 ms", "bounds 3 ms to 5 ms", "together 4 ms", "0.75", "95 % interval"):
        assert part in printed


@pytest.mark.slow
def test_real_sleeps_overlap_and_serial_ones_do_not():
    from concurrent.futures import ThreadPoolExecutor

    def rest():
        time.sleep(0.01)

    with ThreadPoolExecutor(1) as pool:

        def both():
            future = pool.submit(rest)
            rest()
            future.result()

        threads = d2l.overlap({"a": rest, "b": rest}, both, verbose=False, budget=1.0)
    serial = d2l.overlap({"a": rest, "b": rest}, lambda: (rest(), rest()), verbose=False, budget=1.0)
    assert serial.efficiency < threads.efficiency


@pytest.mark.parametrize("parts", [{}, {"a": int}, {"a": int, "together": int}])
def test_parts_that_make_no_sense_are_refused(parts):
    with pytest.raises(ValueError, match="two or more parts"):
        d2l.overlap(parts, int)
