"""The one shape of provenance, and its line."""

import torch

import d2l_helpers as d2l


def test_machine_says_what_matters():
    found = d2l.machine()
    assert found["machine"]["cpu"] and found["machine"]["cores"] == d2l.cores()
    assert found["versions"]["python"].count(".") == 2
    assert found["versions"]["torch"].startswith(torch.__version__.split("+")[0])
    assert len(found["date"]) == 10


def test_its_line_holds_for_a_record_too():
    about = {"cpu": "Z80", "cores": 1, "gpu": "T4", "system": "CP/M"}
    record = {"machine": about, "versions": {"torch": "0.1"}, "runs": {}}
    assert d2l.machine_line(record) == "Z80, 1 core, T4, CP/M, PyTorch 0.1"


def test_sizes_are_bytes():
    assert d2l.memory_size() is None or d2l.memory_size() > 2**28
    assert all(size % 1024 == 0 for size in d2l.caches().values())
