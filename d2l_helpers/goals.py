"""Goals that the course sets itself: judged by the interval, collected by ``make bench``."""

from __future__ import annotations

import json
import os

from .measurement import spread
from .predict import accounted


def goal(name: str, value, *, at_least: float | None = None, at_most: float | None = None) -> str:
    """Print whether ``value`` reaches its goal, and return "met", "NOT met" or "undecided". A missed goal is no error.

    ``value``: a number, (value, low, high), or what ``compare`` and ``overlap`` return (a ratio, an efficiency).
    With an interval the whole of it must reach the goal: where it reaches across, the goal is undecided.
    Where the environment variable ``D2L_GOALS`` names a file, one JSON line is added to it.

    Raises:
        ValueError: neither or both of ``at_least`` and ``at_most``.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("give either at_least or at_most")
    value, low, high = spread(value, "×")
    worst, best = (low, high) if at_most is None else (high, low)

    def reached(number: float) -> bool:
        return number >= at_least if at_most is None else number <= at_most

    verdict = "met" if reached(worst) else "undecided" if reached(best) else "NOT met"
    wanted = f"at least {at_least:g}" if at_most is None else f"at most {at_most:g}"
    interval = "" if low == high else f" (95 % interval {low:.3g} to {high:.3g})"
    print(f"goal {verdict}: {name}: {value:.3g}{interval}, wanted {wanted}")
    if path := os.environ.get("D2L_GOALS"):
        line = dict(name=name, value=value, low=low, high=high, at_least=at_least, at_most=at_most, verdict=verdict)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return verdict


def goal_explained(at_least: float = 0.9) -> None:
    """The goal for a page's own predictions: the share of all rows judged so far that hold or are explained.

    A row is explained when its miss has a tested cause (``check(…, because=…)``) or a second model
    (``predict(…, after=…)``) holds for it. What a measurement could not tell counts as neither.
    """
    explained, rows = accounted()
    print(f"{explained} of {rows} predictions hold or are explained")
    goal("predictions that hold or are explained", explained / max(rows, 1), at_least=at_least)
