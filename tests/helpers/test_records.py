"""Records of runs that cannot be made everywhere: shown where they must be, written where they can be."""
import json

import pytest

import d2l_helpers as d2l


def test_what_can_be_measured_is_measured_and_kept_with_its_provenance(tmp_path, monkeypatch):
    kept = tmp_path / "cluster.json"
    monkeypatch.setenv("D2L_RECORD", str(kept))
    assert d2l.recorded("cluster", "one", lambda: [1.5]) == [1.5]
    assert d2l.recorded("cluster", "two", lambda: [2.5]) == [2.5]
    record = json.loads(kept.read_text())
    assert record["runs"] == {"one": [1.5], "two": [2.5]}
    assert {"machine", "versions", "date"} == set(record) - {"runs"} and record["machine"]["cpu"]


def test_the_committed_record_is_shown_with_its_label(capsys):
    def measure():
        raise AssertionError("it must not be measured")

    from d2l_helpers import records

    file = records.Path(records.__file__).resolve().parents[1] / "records" / "cluster.json"
    key, value = next(iter(json.loads(file.read_text(encoding="utf-8"))["runs"].items()))
    assert d2l.recorded("cluster", key, measure, "no cluster here") == value
    label = capsys.readouterr().out
    assert "NOT measured here (no cluster here)" in label and "PyTorch" in label and "20" in label


def test_what_the_record_does_not_have_is_said_in_one_line():
    with pytest.raises(KeyError, match="no run 'another'"):
        d2l.recorded("cluster", "another", list, "no cluster here")
    with pytest.raises(FileNotFoundError, match="records/nothing.json"):
        d2l.recorded("nothing", "another", list, "no cluster here")
