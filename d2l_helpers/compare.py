"""``compare``: which of several functions is faster, by how much, and whether that can be told.

The method. Each function is timed in short slots (about half a millisecond, shorter than the
scheduler's time slice), one slot of each per round, in an order drawn anew each round. What
disturbs the machine for longer than a round disturbs all alike, and cancels in the ratio of
two slots of one round. The median of those ratios does not mind the rounds in which only one
slot was hit. Its interval comes from the order statistics (the sign test): no assumption about
the shape of the noise. Rounds are added until the interval is narrow or the budget is spent.

A slot begins with a few calls that are not timed: the functions before it have filled the
caches with their own data, and a slow function, with few calls a slot, would pay more for that
than a fast one. So a row says how long a call takes that is made over and over.
"""

from __future__ import annotations

import gc
import math
import random
import time
from collections.abc import Callable, Mapping
from statistics import median

from .devices import synchronize
from .measurement import Comparison, Measurement, median_interval

WARM_UP = 0.03  # seconds of calls before a function is timed
WARM_CALLS = 3  # not timed, at the start of a slot
LONG = 5e-3  # seconds of a call to which a cold start, some 0.1 ms to refill the caches, does not matter
FIRST_LOOK = 31  # rounds before the first look at the interval; then at 61, 121, 241, …


def compare(
    functions: Mapping[str, Callable[[], object]],
    baseline: str | None = None,
    *,
    budget: float = 2.0,
    precision: float = 0.02,
    slot: float = 5e-4,
    seed: int | None = None,
    verbose: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> Comparison:
    """Time ``functions`` (name → function without arguments) against ``baseline``.

    Args:
        baseline: the row that the others are compared with; the first one by default.
        budget: seconds for the rounds, all functions together. At least 7 rounds are made.
        precision: stop when every interval's half-width is below this share of its ratio.
        slot: seconds that one timed slot should last; a slower function is called once a slot.
        seed: for the order of the slots; drawn anew by default.
        verbose: print one sentence a row.
        clock: returns seconds; must not step back.

    Raises:
        TypeError: a value is not callable. ValueError: no functions, or an unknown baseline.
    """
    if not isinstance(functions, Mapping) or not functions:
        raise ValueError('compare needs at least one function: compare({"name": function, …})')
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{name!r} is {type(function).__name__}, not a function: write lambda: …")
    baseline = next(iter(functions)) if baseline is None else baseline
    if baseline not in functions:
        raise ValueError(f"the baseline {baseline!r} is not among {', '.join(functions)}")

    def timed(name: str, loops: int) -> float:
        function = functions[name]
        try:
            start = clock()
            for _ in range(loops):
                function()
            synchronize()
            return (clock() - start) / loops
        except Exception as error:
            error.add_note(f"(raised by {name!r}, one of the functions that compare was given)")
            raise

    def loops_for(name: str) -> tuple[int, int]:
        """Warm up, then find how many calls fill a slot, and how many go before them."""
        timed(name, 1)  # may compile, allocate, read from disk
        best, calls, start = math.inf, 0, clock()
        # A compiler that profiles first (TorchScript) is slow for some calls more.
        while clock() - start < WARM_UP or (calls < 3 and clock() - start < 3):
            best, calls = min(best, timed(name, 1)), calls + 1
        loops = 1
        while best * loops < slot / 2 and loops < 1_000_000:
            loops *= 2
            best = min(best, timed(name, loops))
        loops = max(1, round(slot / best)) if best > 0 else loops
        return loops, 0 if best > LONG else min(loops, WARM_CALLS)

    collecting = gc.isenabled()
    gc.disable()
    try:
        synchronize()
        calls = {name: loops_for(name) for name in functions}
        rows = {name: Measurement(name, loops, baseline=baseline) for name, (loops, _) in calls.items()}

        def one_slot(row: Measurement) -> None:
            untimed = calls[row.name][1]
            if untimed:
                timed(row.name, untimed)
            row.seconds.append(timed(row.name, row.loops))

        _rounds(rows, one_slot, budget, precision, random.Random(seed), clock)
    finally:
        if collecting:
            gc.enable()
    result = Comparison(rows, baseline)
    if verbose:
        print(result)
    return result


def _rounds(rows, one_slot, budget, precision, rng, clock) -> None:
    """Add rounds to ``rows`` until the intervals are narrow or ``budget`` seconds are over."""
    order, look, end = list(rows), FIRST_LOOK, clock() + budget
    base = next(iter(rows.values())).baseline
    done = 0
    while done < 7 or clock() < end:
        rng.shuffle(order)
        for name in order:
            one_slot(rows[name])
        done += 1
        if done == look:
            _judge(rows, base)
            if all(row.high / row.low < (1 + precision) ** 2 for row in rows.values()):
                return
            look = 2 * look - 1
    _judge(rows, base)


def _judge(rows: dict[str, Measurement], base: str) -> None:
    """Set ratio and interval of every row from the paired ratios of all rounds so far."""
    for name, row in rows.items():
        if name == base:
            continue
        pairs = [b / t for b, t in zip(rows[base].seconds, row.seconds, strict=True)]
        row.ratio = median(pairs)
        row.low, row.high = median_interval(pairs)
