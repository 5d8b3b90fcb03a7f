"""compare: against a fake clock, against theory, against torch's own timer, and under noise."""

import math
import random
from statistics import median

import bench_compare
import pytest

import d2l_helpers as d2l


class FakeClock:
    """Time that passes only when a function made by ``task`` is called."""

    def __init__(self, seed=0):
        self.now, self.rng = 0.0, random.Random(seed)

    def __call__(self):
        return self.now

    def task(self, seconds, noise=0.0, hiccup=0.0):
        """A function that takes ``seconds``, give or take ``noise``, and now and then 20 times as long."""

        def run():
            factor = 20.0 if self.rng.random() < hiccup else 1.0
            self.now += seconds * factor * (1 + noise * self.rng.random())

        return run


def compare(clock, functions, **options):
    return d2l.compare(functions, clock=clock, verbose=False, **options)


def test_an_exact_ratio_is_found_exactly():
    clock = FakeClock()
    result = compare(clock, {"slow": clock.task(3e-4), "fast": clock.task(1e-4)})
    row = result["fast"]
    assert row.ratio == pytest.approx(3) and row.low == pytest.approx(3) and row.high == pytest.approx(3)
    assert row.verdict == "faster" and result["fast"].median == pytest.approx(1e-4)
    assert result.baseline == "slow" and list(result) == ["slow", "fast"]


def test_ratio_is_baseline_over_row_whichever_comes_first():
    clock = FakeClock()
    functions = {"slow": clock.task(3e-4), "fast": clock.task(1e-4)}
    row = compare(clock, functions, baseline="fast")["slow"]
    assert row.ratio == pytest.approx(1 / 3) and row.verdict == "slower"


def test_slots_are_filled_and_no_longer():
    clock = FakeClock()
    result = compare(clock, {"short": clock.task(1e-6), "long": clock.task(2e-3)}, slot=5e-4)
    assert result["short"].loops == pytest.approx(500, rel=0.05)
    assert result["long"].loops == 1


def test_a_slow_start_does_not_set_the_loops():
    """A compiler may take the first calls: they must not be taken for the speed."""
    clock = FakeClock()
    calls = []

    def warming():
        calls.append(1)
        clock.now += 1.0 if len(calls) < 4 else 1e-5

    assert compare(clock, {"warming": warming}, slot=5e-4)["warming"].loops == pytest.approx(50, rel=0.05)


def test_rounds_are_interleaved_in_random_order():
    clock, order = FakeClock(), []

    def task(name):
        step = clock.task(1.0)
        return lambda: (order.append(name), step())

    compare(clock, {n: task(n) for n in "abc"}, slot=1e-9, budget=200, seed=1)
    rounds = [tuple(order[i : i + 3]) for i in range(len(order) % 3, len(order), 3)][-30:]
    assert all(sorted(r) == list("abc") for r in rounds)
    assert len(set(rounds)) == 6


def test_a_cold_first_call_is_not_timed():
    """After another function the caches hold that one's data; a slow function must not pay more for it."""
    clock, last = FakeClock(), []

    def task(name, seconds):
        def run():
            clock.now += seconds + (0 if last[-1:] == [name] else 3e-5)
            last.append(name)

        return run

    result = compare(clock, {"slow": task("slow", 1e-4), "fast": task("fast", 1e-6)})
    assert result["slow"].median == pytest.approx(1e-4)
    assert result["fast"].ratio == pytest.approx(100)


def test_drift_cancels():
    """The machine slows down to a tenth during the run; the ratio does not notice."""
    clock = FakeClock()

    def task(seconds):
        def run():
            clock.now += seconds * (1 + clock.now)

        return run

    row = compare(clock, {"a": task(5e-4), "b": task(5e-4)}, budget=9, precision=0, seed=1)["b"]
    assert row.ratio == pytest.approx(1, abs=0.01) and row.verdict == "no detectable difference"
    assert row.seconds[-1] > 5 * row.seconds[0]


def test_hiccups_of_one_slot_do_not_move_the_median():
    clock = FakeClock()
    tasks = {n: clock.task(s, noise=0.02, hiccup=0.2) for n, s in (("slow", 6e-4), ("fast", 4e-4))}
    row = compare(clock, tasks, budget=5, seed=1)["fast"]
    assert row.ratio == pytest.approx(1.5, rel=0.02) and row.high / row.low < 1.05


def test_stops_when_narrow_and_when_the_budget_is_spent():
    clock = FakeClock()
    exact = compare(clock, {"a": clock.task(5e-4), "b": clock.task(5e-4)}, budget=100)
    assert len(exact["b"].seconds) == 31
    before = clock.now
    wild = compare(clock, {"a": clock.task(5e-4, 5), "b": clock.task(5e-4, 5)}, budget=2, precision=1e-9)
    assert len(wild["b"].seconds) > 31 and clock.now - before < 3


def test_a_budget_of_nothing_still_gives_seven_rounds_and_an_interval():
    clock = FakeClock()
    row = compare(clock, {"a": clock.task(2.0), "b": clock.task(1.0)}, budget=0)["b"]
    assert len(row.seconds) == 7 and row.verdict == "faster" and math.isfinite(row.low)


def test_a_difference_below_one_percent_is_not_called():
    clock = FakeClock()
    row = compare(clock, {"a": clock.task(1.005e-4), "b": clock.task(1e-4)})["b"]
    assert row.verdict == "no detectable difference" and row.ratio == pytest.approx(1.005, rel=1e-3)


@pytest.mark.parametrize(
    "functions, options, error, words",
    [
        ({}, {}, ValueError, "at least one function"),
        (None, {}, ValueError, "at least one function"),
        ({"a": 3}, {}, TypeError, "'a' is int, not a function"),
        ({"a": int}, {"baseline": "b"}, ValueError, "baseline 'b' is not among a"),
    ],
)
def test_bad_input_gets_one_clear_line(functions, options, error, words):
    with pytest.raises(error, match=words):
        d2l.compare(functions, **options)


def test_an_error_inside_names_the_function_and_turns_collection_back_on():
    import gc

    with pytest.raises(ZeroDivisionError) as caught:
        d2l.compare({"fine": int, "broken": lambda: 1 / 0})
    assert "'broken'" in caught.value.__notes__[0]
    assert gc.isenabled()


def test_sentences_table_and_plot():
    clock = FakeClock()
    tasks = {n: clock.task(s) for n, s in (("eager", 2e-4), ("compiled", 1e-4), ("same", 2e-4), ("worse", 6e-4))}
    result = compare(clock, tasks)
    lines = str(result).splitlines()
    assert lines[0] == "eager: 200 µs a call (the baseline, 31 rounds)"
    assert lines[1] == "compiled: 2× faster than eager (95 % interval 2 to 2, 31 rounds)"
    exact = "(ratio 1.000, 95 % interval 1.000 to 1.000, 31 rounds)"
    assert lines[2] == f"same: no detectable difference from eager {exact}"
    assert lines[3] == "worse: 3× slower than eager (95 % interval 3 to 3, 31 rounds)"
    table = result.table()
    assert list(table["verdict"]) == ["baseline", "faster", "no detectable difference", "slower"]
    assert table.loc["compiled", "µs per call"] == pytest.approx(100)
    labels = [text.get_text() for text in result.plot().axes[0].get_yticklabels()]
    assert labels == ["worse", "same", "compiled"]


@pytest.mark.slow
def test_agrees_with_torch_benchmark():
    """torch's timer as the oracle, in pairs: alone it spreads by half its value on a busy machine."""
    from torch.utils.benchmark import Timer

    steps = (bench_compare.LONG, bench_compare.SHORT)
    timers = [Timer("f()", globals={"f": bench_compare.spin(count)}) for count in steps]
    pairs = [[timer.timeit(5).mean for timer in timers] for _ in range(101)]
    oracle = median(long / short for long, short in pairs)
    assert bench_compare.with_compare() == pytest.approx(oracle, rel=0.02)


@pytest.mark.slow
def test_requirements_in_short():
    """The short version of tools/bench_compare.py; the limits leave room for chance."""
    assert bench_compare.false_alarms(30) <= 5 / 30
    assert bench_compare.found(15) >= 13 / 15
    with d2l.noisy_neighbour():
        assert bench_compare.false_alarms(30) <= 5 / 30
        assert bench_compare.spread(bench_compare.with_compare, 10) < 0.05
