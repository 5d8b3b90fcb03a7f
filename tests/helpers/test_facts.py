"""The table of facts: every number has a unit that is known, a source and a date, and stands there once."""

import csv
import datetime
import math
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from d2l_helpers import hardware
from d2l_helpers.hardware import facts, show_table

FILE = Path(hardware.__file__).with_name("facts.csv")
COLUMNS = ["table", "name", "value", "unit", "source", "date", "note", "probe"]
UNITS = {
    "latency": {"ns", "µs", "ms"},
    "gpu latency": {"ns", "µs"},
    "accelerators": {"TFLOP/s", "TOP/s", "GB", "TB/s", "GB/s", "W"},
    "gpus": {"TFLOP/s", "TOP/s", "GB", "TB/s", "GB/s", "KiB", "MiB", "SMs"},
    "links": {"GB/s"},
    "storage": {"MB/s", "GB/s", "IOPS", "µs", "ms"},
}
COUNTS = {"latency": 32, "gpu latency": 5}  # the book's tables, row by row, and the register


def complaints(text: str) -> list[str]:
    """What is wrong with a table of facts, one line for each fault."""
    wrong, lines = [], list(csv.reader(text.splitlines(), strict=True))
    if lines[0] != COLUMNS:
        return [f"the columns are {lines[0]}, not {COLUMNS}"]
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(COLUMNS):
            wrong.append(f"line {number}: {len(line)} cells instead of {len(COLUMNS)}")
            continue
        row = dict(zip(COLUMNS, line, strict=True))
        rows.append(row)
        here = f"line {number}, {row['name']}"
        if any(cell != cell.strip() for cell in line) or not row["name"]:
            wrong.append(f"{here}: a name is missing, or a cell has spaces at its ends")
        try:
            positive = 0 < float(row["value"]) < math.inf
        except ValueError:
            positive = False
        if not positive:
            wrong.append(f"{here}: {row['value']!r} is not a number above 0")
        if row["unit"] not in UNITS.get(row["table"], set()):
            wrong.append(f"{here}: the unit {row['unit']!r} is not known in the table {row['table']!r}")
        if not re.fullmatch(r"https://[\w.-]+\.\w+/\S+", row["source"]):
            wrong.append(f"{here}: {row['source']!r} is not the address of a source")
        if not re.fullmatch(r"(19|20)\d\d-(0[1-9]|1[0-2])", row["date"]):
            wrong.append(f"{here}: {row['date']!r} is not a date, YYYY-MM")
        elif row["date"] > f"{datetime.date.today():%Y-%m}":
            wrong.append(f"{here}: {row['date']} has not come yet")
    twice = [pair for pair, n in Counter((row["table"], row["name"]) for row in rows).items() if n > 1]
    wrong += [f"twice: {table}, {name}" for table, name in twice]
    count = Counter(row["table"] for row in rows)
    wrong += [f"{name}: {count[name]} rows instead of {n}" for name, n in COUNTS.items() if count[name] != n]
    return wrong + [f"no rows in {name}" for name in UNITS if not count[name]]


def test_every_fact_is_whole():
    assert complaints(FILE.read_text(encoding="utf-8")) == []


ROW = "links,PCIe 5 x16,63,GB/s,"


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("https://", "", "is not the address of a source"),
        (",2026-08,", ",,", "'' is not a date"),
        (",2026-08,", ",2026-13,", "'2026-13' is not a date"),
        (",2026-08,", ",2098-01,", "has not come yet"),
        (ROW, ROW.replace("63", "fast"), "'fast' is not a number"),
        (ROW, ROW.replace("63", "nan"), "'nan' is not a number"),
        (ROW, ROW.replace("63", ""), "'' is not a number"),
        (ROW, ROW.replace("GB/s", "Gb"), "the unit 'Gb' is not known"),
        (ROW, ROW.replace("5", "4"), "twice: links, PCIe 4 x16"),
        (ROW, ROW.replace("links", "buses"), "is not known in the table 'buses'"),
        ("latency,Mutex", "links,Mutex", "latency: 31 rows instead of 32"),
        ("gpu latency,Global", "links,Global", "gpu latency: 4 rows instead of 5"),
        (",probe", "", "the columns are"),
    ],
)
def test_a_fault_is_named(old, new, complaint):
    """The check itself: each fault, put into the table, is found."""
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    assert any(complaint in line for line in complaints(text.replace(old, new, 1)))


@pytest.mark.parametrize("table", UNITS)
def test_a_table_is_a_frame(table):
    frame = facts(table)
    assert list(frame.columns) == [*COLUMNS[1:], "si"]
    assert pd.api.types.is_numeric_dtype(frame.value) and list(frame.index) == list(range(len(frame)))
    assert not frame.isna().any().any()


def test_what_can_be_measured_here_has_one_meaning():
    rows = pd.concat(facts(table) for table in UNITS)
    kinds = rows[rows.probe != ""].groupby("probe").unit.agg(lambda units: len({u[-2:] == "/s" for u in units}))
    assert (kinds == 1).all() and {"l1", "l2", "l3", "memory"} <= set(kinds.index)


def test_every_accelerator_can_stand_on_a_roofline():
    rows = facts("accelerators")
    parts = rows.name.str.split(": ", n=1, expand=True)
    for machine, quantities in parts.groupby(0)[1]:
        assert {"memory", "memory bandwidth", "power"} <= set(quantities), machine
        assert {"bfloat16", "float16"} & set(quantities), machine


def test_nothing_discontinued_passes_for_new():
    rows = facts("latency")
    old = rows[rows.name.str.contains("Optane|QPI")]
    assert len(old) == 3 and old.note.str.startswith("historic").all()


def test_a_time_that_is_bytes_over_a_peak_says_so():
    rows = pd.concat([facts("latency"), facts("gpu latency")])
    peaks = rows[rows.name.str.contains("1 MB")]
    assert len(peaks) == 7 and peaks.note.str.contains("computed.*: bytes over the peak").all()


def test_an_unknown_table_is_refused():
    with pytest.raises(ValueError, match=f"no table 'prices'; it has {', '.join(UNITS)}"):
        facts("prices")


def test_units_are_read_once():
    rows = pd.concat(facts(table) for table in UNITS).set_index("name").si
    for name, value in {
        "L1 cache hit": 1.3e-9,
        "Launch a CUDA kernel": 3e-6,
        "Random disk access, seek and rotation": 0.01,
        "PCIe 5 x16": 63e9,
        "T4: memory": 16e9,
        "T4: int8": 130e12,
        "T4: power": 70,
        "SATA SSD: sequential read": 550e6,
        "NVMe SSD: random reads": 2.5e6,
    }.items():
        assert rows[name] == pytest.approx(value), name


def test_show_table():
    frame = pd.DataFrame({
        "name": ["a < b", "c"], "value": [2_500_000, 1.234567], "here": [float("nan"), None], "p < 1": [pd.NA, ""],
        "source": ["https://www.example.org/a?b&c", float("nan")], "date": ["2026-01", None], "probe": ["x", ""],
        "si": [8765.0, 4321.0],
    })
    page = show_table(frame, frame, explore="latency").data
    assert page.startswith('<div class="latency-explorer"><table') and page.count("<table") == 2
    for part in ("a &lt; b", "p &lt; 1", "2500000", "<td></td>", "<time>2026-01</time>",
                 ">1.235<", '<a href="https://www.example.org/a?b&amp;c">example.org</a>'):
        assert part in page
    assert "nan" not in page.lower() and "None" not in page and "probe" not in page
    assert "8765" not in page and ">si<" not in page
    assert "probe" in frame  # the caller's frame is as it was
    assert not show_table(frame).data.startswith("<div")
