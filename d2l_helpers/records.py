"""Goals that the course sets itself, shown on the page and collected by ``make bench``."""

from __future__ import annotations

import json
import os


def goal(
    name: str,
    value: float,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    low: float | None = None,
    high: float | None = None,
) -> bool:
    """Print whether ``value`` reaches its goal, and return it. A goal missed is no error.

    Where the environment variable ``D2L_GOALS`` names a file, one JSON line is added to it.
    """
    if (at_least is None) == (at_most is None):
        raise ValueError("give either at_least or at_most")
    met = bool(value >= at_least if at_most is None else value <= at_most)  # NumPy's bool is no JSON
    wanted = f"at least {at_least:g}" if at_most is None else f"at most {at_most:g}"
    interval = "" if low is None else f" (95 % interval {low:.3g} to {high:.3g})"
    print(f"goal {'met' if met else 'NOT met'}: {name}: {value:.3g}{interval}, wanted {wanted}")
    if path := os.environ.get("D2L_GOALS"):
        line = dict(name=name, value=float(value), low=low, high=high, at_least=at_least, at_most=at_most, met=met)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return met
