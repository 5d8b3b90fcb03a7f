"""The table of CONTRIBUTING.md from helper to lessons is the one that the lessons give."""
import json

import used_by


def test_the_table_is_current():
    page = (used_by.ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    assert used_by.TABLE.search(page)[0] == used_by.table(), "renew it: .venv/bin/python tools/used_by.py"


def test_what_counts_as_use(tmp_path):
    code = ("import d2l_helpers as d2l\nfrom d2l_helpers import hardware\nfrom d2l_helpers.distributed import (\n"
            "    run_ranks, report)\nd2l.compare({})\nhardware.flops()\nother.timer()\nd2l_note = 1")
    cells = [{"cell_type": "code", "source": code}, {"cell_type": "markdown", "source": "d2l.Timer"}]
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": cells}))
    assert used_by.names_in(tmp_path / "x.ipynb") == {"hardware", "run_ranks", "report", "compare", "flops"}
