"""``predict``: what is expected, with a tolerance, before it is measured; then both side by side, judged.

The rhythm of the course. The error is that of the measurement: measured over predicted, minus one. A prediction
holds when the whole interval of the measurement lies within the tolerance, it misses when the whole interval lies
outside, and otherwise the measurement cannot tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .measurement import si, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHECKED: list[Checked] = []  # all that this process has checked, for ``goal_explained``
BOUNDS = {"": "right if within", "at least": "broken if below", "at most": "broken if above"}


@dataclass(frozen=True)
class Row:
    """One prediction beside its measurement. ``error`` is measured / predicted - 1; ``verdict`` is in words."""

    name: str
    predicted: float
    measured: float
    low: float
    high: float
    error: float
    verdict: str
    holds: bool | None  # None: the measurement cannot tell
    explained: bool = False  # a miss with a tested cause


@dataclass(repr=False)
class Prediction:
    """Expected values with a unit and a tolerance; ``check`` holds them against what was measured."""

    values: dict  # (curve, x) → number
    unit: str
    within: float
    bound: str
    over: str
    name: str
    after: Checked | None = None

    def title(self, key) -> str:
        """A key in words: ``("ring", 4)`` over "machines" is "ring, 4 machines"."""
        curve, x = key
        # 1 machine, 2 machines; 1 task between waits; 1 ms message
        over = re.sub(r"(\w{3})s\b", r"\1", self.over, count=1) if x == 1 else self.over
        at = "" if x is None else f"{plain(x)} {over}".strip() if isinstance(x, int | float) else str(x)
        return ", ".join(part for part in (str(curve), at) if part)

    def __repr__(self) -> str:
        lines: dict = {}  # one for each curve, and one for all that is no curve
        for (curve, x), value in self.values.items():
            title = self.title(("", x)) if curve and x is not None else self.title((curve, x))
            lines.setdefault(curve, []).append(" ".join(f"{title} {self.bound} {si(value, self.unit)}".split()))
        curves = any(curve and x is not None for curve, x in self.values)
        said = [(f"{curve}: " if curves else "") + "; ".join(parts) for curve, parts in lines.items()]
        by = "by more than " if self.bound else ""
        tolerance = f"({BOUNDS[self.bound]} {by}{100 * self.within:.3g} %)".replace(" by more than 0 %", "")
        return f"predicted: {said[0]} {tolerance}" if len(said) == 1 else "\n".join([f"predicted {tolerance}", *said])

    def check(self, measured, *, because: str | Mapping[str, str] = "", verbose: bool = True) -> Checked:
        """Hold ``measured`` against the prediction, one sentence a row.

        Args:
            measured: a number, (value, low, high), a list of samples, or what ``compare`` and ``overlap`` return;
                or a mapping of these with the keys of the prediction. What was not measured is left out.
            because: for a miss the one cause that was tested, in words; for single rows by their name. Without it
                a miss is called unexplained.

        Raises:
            ValueError: nothing that was predicted was measured.
        """
        found = flat(measured, self.name)
        rows = {}
        for key, predicted in self.values.items():
            if key in found:
                name = self.title(key)
                cause = because if isinstance(because, str) else because.get(name, "")
                rows[key] = self._judge(name, predicted, *spread(found[key], self.unit), cause)
        if not rows:
            named = ", ".join(map(self.title, self.values))
            raise ValueError(f"nothing that was predicted ({named}) was measured ({', '.join(map(self.title, found))})")
        result = Checked(self, rows)
        CHECKED.append(result)
        if verbose:
            print(result)
        return result

    def _judge(self, name: str, predicted: float, measured: float, low: float, high: float, cause: str) -> Row:
        error = measured / predicted - 1
        least, most = sorted((low / predicted - 1, high / predicted - 1))
        floor = -math.inf if self.bound == "at most" else -self.within
        ceiling = math.inf if self.bound == "at least" else self.within
        holds, explained, far = None, False, ""
        if abs(error) >= 0.01:
            beyond = "the bound" if self.bound else "the prediction"
            far = f", {percent(error)} {beyond if error >= 2 else 'above' if error > 0 else 'below'}"
        if floor <= least and most <= ceiling:
            holds, verdict = True, f"holds{far}" if self.bound else f"within {100 * self.within:.3g} %"
        elif most < floor or least > ceiling:
            holds, explained = False, bool(cause)
            verdict = f"{'BROKEN' if self.bound else 'missed'}{far}: {cause or 'unexplained'}"
        else:
            verdict = f"cannot tell (the interval reaches across {100 * self.within:.3g} %)"
        return Row(name, predicted, measured, low, high, error, verdict, holds, explained)


def predict(values, unit: str = "", *, within: float = 0.1, bound: str = "", over: str = "", name: str = "",
            after: Checked | None = None, verbose: bool = True) -> Prediction:  # fmt: skip
    """State ``values`` before they are measured, and print them.

    Args:
        values: a number; a mapping from names to numbers; from numbers x to numbers, a curve; or from names to
            such curves. A row that is a bound ("at least": a floor) may be exceeded by any amount.
        unit: "s", "B", "B/s", "FLOP/s", "×", … In "×" a ``Measurement`` gives its ratio, else its time.
        within: the tolerance, a share of the prediction: how far off it may be and still be right.
        over: what x counts, as "machines". name: for a single number.
        after: what a first model of the same rows gave. A miss of the first is explained where this one holds.

    Raises:
        ValueError: nothing is predicted, a value is 0 or not finite, or the tolerance is negative.
    """
    if bound not in BOUNDS:
        raise ValueError(f"a bound is 'at least' or 'at most', not {bound!r}")
    if not within >= 0:
        raise ValueError(f"a tolerance is a share such as 0.1 for 10 %, not {within}")
    prediction = Prediction(flat(values, name), unit, within, bound, over, name, after)
    if not prediction.values:
        raise ValueError("nothing is predicted")
    if bad := [key for key, value in prediction.values.items() if not math.isfinite(value) or value == 0]:
        names = ", ".join(map(prediction.title, bad))
        raise ValueError(f"a prediction must be a finite number other than 0{': ' if names else ''}{names}")
    if verbose:
        print(prediction)
    return prediction


class Checked:
    """What ``Prediction.check`` returns: a ``Row`` for each thing that was measured, a table and a plot."""

    def __init__(self, prediction: Prediction, rows: dict) -> None:
        self.prediction, self._rows = prediction, rows

    def __getitem__(self, name) -> Row:
        """The row of a name, or of a key as it was given; of a curve's place by ``curve, x``."""
        named = {row.name: row for row in self.rows} | {x: row for (curve, x), row in self._rows.items() if not curve}
        return (named | self._rows)[name]

    @property
    def rows(self) -> list[Row]:
        return list(self._rows.values())

    @property
    def errors(self) -> dict[str, float]:
        """Name → measured / predicted - 1."""
        return {row.name: row.error for row in self.rows}

    @property
    def mean_error(self) -> float:
        """Mean of the absolute errors."""
        return sum(abs(row.error) for row in self.rows) / len(self.rows)

    @property
    def worst(self) -> float:
        """The largest absolute error."""
        return max(abs(row.error) for row in self.rows)

    @property
    def all_within(self) -> bool:
        return all(row.holds for row in self.rows)

    def __repr__(self) -> str:
        unit, bound, lines = self.prediction.unit, self.prediction.bound, []
        for row in self.rows:
            between = ""
            if math.isinf(row.low) or math.isinf(row.high):
                between = " (too few values for an interval)"
            elif row.low != row.high:
                between = f" ({from_to(row.low, row.high, si(row.measured, unit), unit)})"
            start = f"{row.name}: " if row.name else ""
            said = f"predicted {bound + ' ' if bound else ''}{si(row.predicted, unit)}"
            lines.append(f"{start}{said}, measured {si(row.measured, unit)}{between}: {row.verdict}")
        return "\n".join(lines)

    def table(self):
        """A pandas DataFrame, one row a prediction: predicted, measured, low, high (in ``unit``), error, verdict."""
        import pandas as pd

        unit = self.prediction.unit
        shown = {
            "predicted": [si(row.predicted, unit) for row in self.rows],
            "measured": [si(row.measured, unit) for row in self.rows],
            "low": [si(row.low, unit) for row in self.rows],
            "high": [si(row.high, unit) for row in self.rows],
            "error": [f"{row.error:+.0%}" for row in self.rows],
            "verdict": [row.verdict for row in self.rows],
        }
        if all(row.low == row.high for row in self.rows):
            del shown["low"], shown["high"]
        return pd.DataFrame(shown, index=[row.name for row in self.rows])

    def plot(self, log: str = "", xlabel: str = "", ylabel: str = "") -> Figure:
        """The prediction as a line, the measurements as points with their intervals.

        ``log``: "x", "y" or "xy". Names that are not numbers stand side by side, each with its own dash of prediction.
        """
        from .plots import COLOURS, MARKERS, new_figure, plain_ticks

        unit, (figure, axes) = self.prediction.unit, new_figure()
        curves = list(dict.fromkeys(curve for curve, x in self._rows if isinstance(x, int | float)))
        for number, curve in enumerate(curves):
            style, mark = dict(color=COLOURS[number % 7]), MARKERS[number % 7]
            line = sorted((x, v) for (c, x), v in self.prediction.values.items() if c == curve)
            axes.plot(*zip(*line, strict=True), **style)
            bars(axes, [x for c, x in self._rows if c == curve],
                 [row for (c, _), row in self._rows.items() if c == curve], mark, **style)  # fmt: skip
            axes.plot([], [], mark, linestyle="-", label=curve, **style)
        if not curves:
            places = range(len(self.rows))
            axes.hlines([r.predicted for r in self.rows], [p - 0.3 for p in places], [p + 0.3 for p in places],
                        color=COLOURS[0])  # fmt: skip
            bars(axes, list(places), self.rows, MARKERS[0], color=COLOURS[1])
            axes.set_xticks(list(places), [row.name for row in self.rows])
            axes.set_xlim(-0.6, len(self.rows) - 0.4)
            axes.margins(y=0.2)
            if "y" not in log:
                axes.set_ylim(bottom=0)
        for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            if letter in log:
                getattr(axes, f"set_{letter}scale")("log")
                plain_ticks(axis)
        if curves:
            places = sorted({x for _, x in self._rows})
            if len(places) <= 12:
                axes.set_xticks(places, [plain(x) for x in places])
                if max(len(plain(x)) for x in places) * len(places) > 45:  # they would run into each other
                    axes.tick_params(axis="x", rotation=30)
                axes.set_xticks([], minor=True)
        axes.yaxis.set_major_formatter(lambda value, _: si(value, unit) if value else "0")
        axes.set(xlabel=xlabel or self.prediction.over, ylabel=ylabel)
        axes.set_title("lines: predicted; points: measured", fontsize="small")
        if any(curves):
            axes.legend()
        return figure


def accounted() -> tuple[int, int]:
    """(rows that hold, or whose miss has a tested cause, or whose second model holds; all rows), of this process."""
    held: dict[int, set] = {}  # the first model's id → the rows in which a later one holds
    for result in CHECKED:
        if result.prediction.after is not None:
            kept = {key for key, row in result._rows.items() if row.holds}
            held.setdefault(id(result.prediction.after), set()).update(kept)
    rows = [(row, key in held.get(id(result), ())) for result in CHECKED for key, row in result._rows.items()]
    return sum(bool(row.holds or row.explained or mended) for row, mended in rows), len(rows)


def bars(axes, x, rows, marker, **style) -> None:
    """Points with their intervals; an infinite one is not drawn."""

    def length(end: float, middle: float) -> float:
        return abs(end - middle) if math.isfinite(end) else 0.0

    ends = [[length(r.low, r.measured) for r in rows], [length(r.high, r.measured) for r in rows]]
    axes.errorbar(x, [row.measured for row in rows], yerr=ends, fmt=marker, capsize=3, linestyle="none", **style)


def flat(values, name: str = "") -> dict:
    """Keys (curve, x): x is None where there is no curve's place; a plain name is an x of no curve."""
    if not isinstance(values, Mapping):
        return {(name, None): values}
    found = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found.update({(key, x): inner for x, inner in value.items()})
        else:
            found["", key] = value
    return found


def plain(number: float) -> str:
    """A whole number with all its figures, another with six."""
    return f"{number:,}" if float(number).is_integer() and number >= 1e4 else f"{number:g}"


def from_to(low: float, high: float, beside: str, unit: str) -> str:
    """An interval in words, without its unit where ``beside`` has the same: 262 ms (258 to 266)."""
    number = re.compile(r"-?[\d.,]+")
    ends = [si(low, unit), si(high, unit)]
    if len({number.sub("", text, count=1) for text in (*ends, beside)}) == 1:
        ends = [number.match(end).group() for end in ends]
    return " to ".join(ends)


def percent(share: float) -> str:
    """An error in words: 35 %, or how many times too much where that says more."""
    return f"{abs(share):.0%}".replace("%", " %") if share < 2 else si(share + 1, "×")
