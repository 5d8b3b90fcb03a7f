"""What was measured elsewhere, shown with its label where it cannot be measured here."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .machine import machine, machine_line


def recorded(name: str, key: str, measure, missing: str = ""):
    """``measure()``, or where that cannot be, what a committed record of a real run has for ``key``.

    ``missing`` says in one line why it cannot be measured here; empty where it can. The record is
    records/NAME.json: the provenance of ``machine()`` and "runs", {key: value}. Keys are short names. Where the
    environment variable ``D2L_RECORD`` names a file, what was measured is written to it in that form.

    Raises:
        FileNotFoundError, KeyError: it cannot be measured, and there is no record of it either.
    """
    if missing:
        here = Path(__file__).resolve().parent
        found = [p for p in (here / "recorded", here.parent / "records") if (p / f"{name}.json").is_file()]
        if not found:
            raise FileNotFoundError(f"{missing}; and records/{name}.json, which would be shown instead, is not here")
        record = json.loads((found[0] / f"{name}.json").read_text(encoding="utf-8"))
        if key not in record["runs"]:
            raise KeyError(f"records/{name}.json has no run {key!r}; it has {', '.join(record['runs'])}")
        print(f"NOT measured here ({missing}). Shown is a record of {record['date']}: {machine_line(record)}")
        return record["runs"][key]
    value = measure()
    if path := os.environ.get("D2L_RECORD"):
        _keep(Path(path), key, value)
    return value


def _keep(path: Path, key: str, value) -> None:
    runs = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.exists() else {}
    record = {**machine(), "runs": {**runs, key: value}}
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
