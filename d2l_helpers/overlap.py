"""``overlap``: how much of two jobs really ran at the same time, held against what is possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from .compare import compare
from .measurement import Comparison, in_words, median_interval

SLACK = 0.05  # a job disturbed less than its neighbour can seem this much too quick


@dataclass
class Overlap:
    """Times in seconds (medians). ``efficiency`` is the ideal time over the measured one, 1 at best.

    ``ideal`` is the longest part, ``serial`` the sum of the parts: no schedule that runs each part
    on its own resource can be quicker than the first, and none need be slower than the second.
    """

    rows: Comparison
    ideal: float
    serial: float
    measured: float
    efficiency: float
    low: float
    high: float

    def spread(self, unit: str = "s") -> tuple[float, float, float]:
        """(value, low, high): the efficiency where ``unit`` is "×", else the seconds of all together."""
        return (self.efficiency, self.low, self.high) if unit == "×" else self.rows["together"].spread("s")

    @property
    def verdict(self) -> str:
        """Where the measured time lies: ``"inside the bounds"``, or which of them it broke."""
        if self.measured < self.ideal * (1 - SLACK):
            return "BELOW the bounds: the parts, timed alone, did more than they do together"
        if self.measured > self.serial * (1 + SLACK):
            return "above the bounds: one after the other would have been quicker"
        return "inside the bounds"

    @property
    def sentence(self) -> str:
        """The parts, the bounds, the measured time and the efficiency, in words."""
        parts = ", ".join(f"{n} {in_words(r.median)}" for n, r in self.rows.items() if n != self.rows.baseline)
        return (
            f"{parts}\nbounds {in_words(self.ideal)} to {in_words(self.serial)}, together "
            f"{in_words(self.measured)}: {self.verdict}\nefficiency (ideal over measured) "
            f"{self.efficiency:.2f}, 95 % interval {self.low:.2f} to {self.high:.2f}"
        )


def overlap(
    parts: Mapping[str, Callable[[], object]],
    together: Callable[[], object],
    *,
    budget: float = 4.0,
    verbose: bool = True,
    **options,
) -> Overlap:
    """Time each of ``parts`` alone and ``together``, which does them all, in interleaved rounds.

    ``together`` must return when all parts are done. ``options`` go to ``compare``.

    Raises:
        ValueError: fewer than two parts, or a part called ``"together"``.
    """
    if len(parts) < 2 or "together" in parts:
        raise ValueError('overlap needs two or more parts, none of them called "together"')
    rows = compare({"together": together, **parts}, budget=budget, verbose=False, **options)
    alone = list(zip(*(rows[name].seconds for name in parts), strict=True))
    shares = [max(times) / t for times, t in zip(alone, rows["together"].seconds, strict=True)]
    result = Overlap(
        rows,
        median(map(max, alone)),
        median(map(sum, alone)),
        rows["together"].median,
        median(shares),
        *median_interval(shares),
    )
    if verbose:
        print(result.sentence)
    return result
