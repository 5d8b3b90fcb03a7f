"""Sourced numbers about hardware, as tables: facts.csv beside this file."""

import html
from pathlib import Path
from urllib.parse import urlsplit


def facts(table: str):
    """One table of facts.csv as a DataFrame: name, value, unit, source (an address), date (YYYY-MM), note, probe.

    The tables are "latency", "gpu latency", "accelerators", "links" and "storage". An undated source has the month
    in which it was read. ``probe`` names what measures the same on this machine. Old hardware's note says historic.
    """
    import pandas as pd

    every = pd.read_csv(Path(__file__).with_name("facts.csv"), keep_default_na=False)
    if table not in set(every.table):
        raise ValueError(f"facts has no table {table!r}; it has {', '.join(every.table.unique())}")
    return every[every.table == table].drop(columns="table").reset_index(drop=True)


def show_table(*frames, explore: str = ""):
    """DataFrames as HTML, with short links; ``explore`` them on the site as "latency" or "roofline"."""
    import pandas as pd
    from IPython.display import HTML

    def text(value):
        if isinstance(value, str):
            return html.escape(value)
        return "" if pd.isna(value) else f"{float(f'{value:.4g}'):.12g}"  # 4 digits, never 1e+06

    def link(address):
        host = urlsplit(address).netloc if isinstance(address, str) else ""
        return f'<a href="{html.escape(address)}">{host.removeprefix("www.")}</a>' if host else text(address)

    def month(date):
        return f"<time>{text(date)}</time>"  # never broken at its hyphen

    tables, shown = [], {"source": link, "date": month}
    for frame in frames:
        frame = frame.drop(columns="probe", errors="ignore").astype(object)
        for column in frame:
            frame[column] = frame[column].map(shown.get(column, text))
        frame.columns = [text(str(column)) for column in frame]
        tables.append(frame.to_html(index=False, escape=False, classes="facts"))
    return HTML(f'<div class="{explore}-explorer">{"".join(tables)}</div>' if explore else "".join(tables))
