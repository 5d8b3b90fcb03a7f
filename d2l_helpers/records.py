"""Goals that the course sets itself, shown on the page and collected by ``make bench``."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path


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


def recorded(name: str, key: str, measure, missing: str = ""):
    """``measure()``, or where that cannot be, what a committed record of a real run has for ``key``.

    ``missing`` says in one line why it cannot be measured here; empty where it can. The record is
    records/NAME.json: {"machine", "versions", "date", "runs": {key: value}}. Where the environment variable
    ``D2L_RECORD`` names a file, what was measured is written to it in that form, with its provenance.
    """
    if missing:
        here = Path(__file__).resolve().parent
        found = [p for p in (here / "recorded", here.parent / "records") if (p / f"{name}.json").is_file()]
        if not found:
            raise FileNotFoundError(f"{missing}; and records/{name}.json, which would be shown instead, is not here")
        record = json.loads((found[0] / f"{name}.json").read_text(encoding="utf-8"))
        if key not in record["runs"]:
            raise KeyError(f"records/{name}.json has no run {key!r}; it was made with another version of this page")
        machine = ", ".join(f"{k} {v}" for k, v in {**record["machine"], **record["versions"]}.items())
        print(f"NOT measured here ({missing}). Shown is a record of {record['date']}: {machine}")
        return record["runs"][key]
    value = measure()
    if path := os.environ.get("D2L_RECORD"):
        _keep(Path(path), key, value)
    return value


def _keep(path: Path, key: str, value) -> None:
    from .host import machine

    runs = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.exists() else {}
    about = dict(machine())
    versions = {"torch": about.pop("torch")} if "torch" in about else {}
    record = {"machine": about, "versions": versions, "date": date.today().isoformat(), "runs": {**runs, key: value}}
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
