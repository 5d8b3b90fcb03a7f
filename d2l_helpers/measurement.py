"""A measured value and what belongs to it: samples, an interval, a unit, a verdict in words.

``compare`` returns a ``Comparison``, which holds a ``Measurement`` for each function.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean, median, stdev

FASTER, SLOWER, NO_DIFFERENCE = "faster", "slower", "no detectable difference"
MARGIN = 0.01  # a smaller difference can come from where the code lies in memory


def median_interval(sample: list[float]) -> tuple[float, float]:
    """Interval (95 % or more) for the median of ``sample``, by its order statistics.

    With fewer than 6 values no such interval exists, and it is infinite.
    """
    n, tail, rank = len(sample), 0.0, 0
    while rank < n / 2:
        tail += math.comb(n, rank) / 2**n
        if tail > 0.025:
            break
        rank += 1
    if rank == 0:
        return -math.inf, math.inf
    ordered = sorted(sample)
    return ordered[rank - 1], ordered[n - rank]


def interval(sample: Iterable[float], centre: str = "median") -> tuple[float, float, float]:
    """(value, low, high): the median or the mean of ``sample`` with its 95 % interval.

    The median's interval comes from order statistics and supposes nothing about the shape of the noise; below 6
    values it is infinite. The mean's is Student's t, which supposes that means are normal; below 2 it is infinite.

    Raises:
        ValueError: no values, or another ``centre``.
    """
    sample = list(sample)
    if not sample or centre not in ("median", "mean"):
        raise ValueError(f"an interval needs values, and the centre 'median' or 'mean', not {centre!r}")
    if centre == "median":
        return (median(sample), *median_interval(sample))
    if len(sample) == 1:
        return sample[0], -math.inf, math.inf
    from scipy.stats import t

    middle, half = mean(sample), t.ppf(0.975, len(sample) - 1) * stdev(sample) / math.sqrt(len(sample))
    return middle, middle - half, middle + half


def in_words(seconds: float) -> str:
    """``seconds`` with a unit that suits: ns, µs, ms or s."""
    return si(seconds, "s")


_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_PARTS = {"": 1.0, "m": 1e-3, "µ": 1e-6, "n": 1e-9}


def si(value: float, unit: str) -> str:
    """``value`` with three figures and its unit: "3.2 ms", "3.1×"; s, B, FLOP and bit get prefixes."""
    stem, _, per = unit.partition("/")
    if value == 0:
        return f"0{'' if unit == '×' else ' '}{unit}".rstrip()
    if stem == "s" and not per:
        prefixes = _PARTS
    elif stem in ("B", "FLOP", "bit"):
        prefixes = _PREFIXES
    else:
        number = f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
        return number + (unit if unit == "×" else f" {unit}" if unit else "")
    fitting = [(sign, size) for sign, size in prefixes.items() if abs(value) >= size * 0.9995]
    least = min(prefixes.items(), key=lambda item: item[1])
    sign, size = max(fitting, key=lambda item: item[1], default=least)
    number = value / size
    return f"{number:.3g} {sign}{unit}" if abs(number) < 999.5 else f"{number:,.0f} {sign}{unit}"


def spread(value, unit: str = "s") -> tuple[float, float, float]:
    """(value, low, high) of a number, such a triple, a list of samples, or what ``compare`` and ``overlap`` return.

    A ``Measurement`` gives its ratio where the unit is "×", else its median time; an ``Overlap`` its efficiency,
    else the time of all together. A number without an interval is its own low and high.

    Raises:
        TypeError: it is none of these.
    """
    if hasattr(value, "spread"):
        return value.spread(unit)
    if isinstance(value, tuple) and len(value) == 3:
        return tuple(map(float, value))
    if isinstance(value, list):
        return interval(value)
    try:
        return (float(value),) * 3
    except (TypeError, ValueError):
        raise TypeError(f"a number, (value, low, high) or a measurement, not {type(value).__name__}") from None


def ratio_figures(ratio: float) -> str:
    """A ratio with the digits that it deserves: three decimals near 1, fewer above."""
    return f"{ratio:.3f}" if ratio < 2 else f"{ratio:.3g}"


@dataclass
class Measurement:
    """One row: raw samples (seconds per call, one for each round) and how it stands to the baseline.

    ``ratio`` is the baseline's time over this one's: 2 means twice as fast. ``low`` and
    ``high`` bound it with 95 % confidence.
    """

    name: str
    loops: int
    seconds: list[float] = field(default_factory=list, repr=False)
    baseline: str = ""
    ratio: float = 1.0
    low: float = 1.0
    high: float = 1.0

    @property
    def median(self) -> float:
        """Median time of one call, in seconds."""
        return median(self.seconds)

    def spread(self, unit: str = "s") -> tuple[float, float, float]:
        """(value, low, high): the ratio where ``unit`` is "×", else the median time in seconds."""
        return (self.ratio, self.low, self.high) if unit == "×" else interval(self.seconds)

    @property
    def undisturbed(self) -> float:
        """Time of a call that nobody interrupted, in seconds: the 20 % quantile of the rounds.

        On a busy machine the median grows with the load, and this does not, as long as a call is
        short. Ratios need neither: ``ratio`` is paired.
        """
        return sorted(self.seconds)[len(self.seconds) // 5]

    @property
    def verdict(self) -> str:
        """``"faster"``, ``"slower"`` or ``"no detectable difference"``."""
        if self.low > 1 + MARGIN:
            return FASTER
        return SLOWER if self.high < 1 / (1 + MARGIN) else NO_DIFFERENCE

    @property
    def sentence(self) -> str:
        """The result in words."""
        if self.name == self.baseline:
            return f"{self.name}: {in_words(self.median)} a call (the baseline, {len(self.seconds)} rounds)"
        ratio, low, high = self.ratio, self.low, self.high
        if self.verdict == SLOWER:
            ratio, low, high = 1 / ratio, 1 / high, 1 / low
        interval = f"95 % interval {ratio_figures(low)} to {ratio_figures(high)}, {len(self.seconds)} rounds"
        if self.verdict == NO_DIFFERENCE:
            return f"{self.name}: {NO_DIFFERENCE} from {self.baseline} (ratio {ratio_figures(ratio)}, {interval})"
        return f"{self.name}: {ratio_figures(ratio)}× {self.verdict} than {self.baseline} ({interval})"


class Comparison(Mapping):
    """What ``compare`` returns: a mapping from each name to its ``Measurement``."""

    def __init__(self, rows: dict[str, Measurement], baseline: str) -> None:
        self._rows, self.baseline = rows, baseline

    def __getitem__(self, name: str) -> Measurement:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return "\n".join(row.sentence for row in self.values())

    def table(self):
        """A pandas DataFrame, one row a function: µs per call, ratio, interval, verdict, rounds."""
        import pandas as pd

        return pd.DataFrame(
            {
                "µs per call": [row.median * 1e6 for row in self.values()],
                "ratio": [row.ratio for row in self.values()],
                "low": [row.low for row in self.values()],
                "high": [row.high for row in self.values()],
                "verdict": ["baseline" if n == self.baseline else r.verdict for n, r in self.items()],
                "rounds": [len(row.seconds) for row in self.values()],
            },
            index=pd.Index(self, name=f"against {self.baseline}"),
        ).round(3)

    def plot(self):
        """A matplotlib figure: each ratio with its interval, on a logarithmic axis."""
        from .plots import plot_comparison

        return plot_comparison(self)
