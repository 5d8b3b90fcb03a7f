"""Sourced numbers about hardware, as tables: facts.csv beside this file."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from IPython.display import HTML
    from pandas import DataFrame

# The one place in Python that reads a unit: what one of it is without its prefix.
PREFIXES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
UNITS = ("s", "B", "B/s", "FLOP/s", "OP/s", "W", "IOPS")
SCALE = {prefix + unit: size for prefix, size in PREFIXES.items() for unit in UNITS}
SCALE |= {"KiB": 2**10, "MiB": 2**20, "SMs": 1}  # multiprocessors are counted


def facts(table: str) -> DataFrame:
    """One table of facts.csv: name, value, unit, source (an address), date (YYYY-MM), note, probe, si.

    The tables are "latency", "gpu latency", "accelerators", "gpus" (what ``gpu_card`` needs besides), "links" and
    "storage". An undated source has the month in which it was read. ``probe`` names what measures the same on this
    machine. Old hardware's note says historic.
    ``si`` is the value in the unit without its prefix (s, B, B/s, FLOP/s, …): the column to compute with.

    Raises:
        ValueError: there is no such table.
    """
    import pandas as pd

    every = pd.read_csv(Path(__file__).with_name("facts.csv"), keep_default_na=False)
    if table not in set(every.table):
        raise ValueError(f"facts has no table {table!r}; it has {', '.join(every.table.unique())}")
    rows = every[every.table == table].drop(columns="table").reset_index(drop=True)
    return rows.assign(si=rows.value * rows.unit.map(SCALE))


def show_table(*frames: DataFrame, explore: str = "") -> HTML:
    """DataFrames as HTML, with short links; ``explore`` them on the site as "latency" or "roofline".

    What is for computing only stays out: the columns ``probe`` and ``si``.
    """
    import pandas as pd
    from IPython.display import HTML

    def text(value) -> str:
        if isinstance(value, str):
            return html.escape(value)
        return "" if pd.isna(value) else f"{float(f'{value:.4g}'):.12g}"  # 4 digits, never 1e+06

    def link(address) -> str:
        host = urlsplit(address).netloc if isinstance(address, str) else ""
        return f'<a href="{html.escape(address)}">{host.removeprefix("www.")}</a>' if host else text(address)

    def month(date) -> str:
        return f"<time>{text(date)}</time>"  # never broken at its hyphen

    tables, shown = [], {"source": link, "date": month}
    for frame in frames:
        frame = frame.drop(columns=["probe", "si"], errors="ignore").astype(object)
        for column in frame:
            frame[column] = frame[column].map(shown.get(column, text))
        frame.columns = [text(str(column)) for column in frame]
        tables.append(frame.to_html(index=False, escape=False, classes="facts"))
    return HTML(f'<div class="{explore}-explorer">{"".join(tables)}</div>' if explore else "".join(tables))
