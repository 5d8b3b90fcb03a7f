"""Timelines: recording, reading a trace in Chrome's format, drawing."""

import json
import threading

import pytest
from matplotlib.colors import to_hex

import d2l_helpers as d2l
from d2l_helpers import Span


def test_spans_are_recorded_in_order_with_the_threads_name():
    line = d2l.Timeline()
    with line.span("first"):
        pass
    with line.span("second", lane="mine"):
        pass
    first, second = line
    assert (first.name, first.lane) == ("first", threading.current_thread().name)
    assert (second.name, second.lane) == ("second", "mine")
    assert first.start <= first.end <= second.start <= second.end


def test_a_span_that_raises_is_recorded_and_raises():
    line = d2l.Timeline()
    with pytest.raises(KeyError), line.span("bad"):
        raise KeyError
    assert [span.name for span in line] == ["bad"]


def test_threads_share_one_timeline():
    line = d2l.Timeline()

    def work():
        for _ in range(100):
            with line.span("x"):
                pass

    threads = [threading.Thread(target=work, name=name) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(line) == 200 and {span.lane for span in line} == {"a", "b"}


def trace(tmp_path, events, whole=True):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events} if whole else events))
    return path


def test_read_complete_events_and_pairs(tmp_path):
    events = [
        {"ph": "X", "name": "mm", "pid": 1, "tid": 7, "ts": 2000, "dur": 500},
        {"ph": "B", "name": "outer", "pid": 1, "tid": 8, "ts": 1000},
        {"ph": "B", "name": "outer", "pid": 1, "tid": 8, "ts": 1100},
        {"ph": "E", "name": "outer", "pid": 1, "tid": 8, "ts": 1200},
        {"ph": "E", "name": "outer", "pid": 1, "tid": 8, "ts": 1900},
        {"ph": "E", "name": "never began", "pid": 1, "tid": 8, "ts": 1950},
        {"ph": "i", "name": "mark", "pid": 1, "tid": 8, "ts": 5},
        {"ph": "X", "name": "left out", "pid": 1, "tid": 7, "ts": 1, "dur": 1},
    ]
    spans = d2l.read_trace(trace(tmp_path, events), keep=lambda name: name != "left out")
    assert [(s.lane, s.name) for s in spans] == [("1 8", "outer"), ("1 8", "outer"), ("1 7", "mm")]
    assert [(s.start, s.end) for s in spans] == [
        pytest.approx((1e-3, 1.9e-3)),
        pytest.approx((1.1e-3, 1.2e-3)),
        pytest.approx((2e-3, 2.5e-3)),
    ]
    assert d2l.read_trace(trace(tmp_path, events, whole=False))


@pytest.mark.slow
def test_a_trace_of_torch(tmp_path):
    import torch

    with torch.profiler.profile() as profile:
        torch.ones(3) + 1
    profile.export_chrome_trace(str(tmp_path / "torch.json"))
    assert "aten::add" in [span.name for span in d2l.read_trace(tmp_path / "torch.json")]


def test_the_drawing_has_a_bar_for_each_span_and_one_axis():
    serial = [Span("one", "a", 10.0, 10.2), Span("one", "b", 10.2, 10.3)]
    both = [Span("one", "a", 20.0, 20.2), Span("two", "b", 20.05, 20.15)]
    figure = d2l.plot_timeline({"serial": serial, "both": both})
    assert [len(axes.patches) for axes in figure.axes] == [2, 2]
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["serial", "both"]
    starts = [round(patch.get_x(), 6) for axes in figure.axes for patch in axes.patches]
    assert starts == [0, 200, 0, 50]
    lanes = [round(patch.get_y() + patch.get_height() / 2) for axes in figure.axes for patch in axes.patches]
    assert lanes == [0, 0, 0, 1]
    colours = {patch.get_facecolor() for axes in figure.axes for patch in axes.patches}
    assert len(colours) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]


def test_an_empty_panel_is_refused():
    with pytest.raises(ValueError, match="without spans"):
        d2l.plot_timeline({"nothing": []})


def test_a_role_has_one_colour_in_all_drawings():
    spans = [Span("one", "copy 1", 0, 1), Span("one", "copy 2", 1, 2), Span("one", "product", 2, 3)]
    figure = d2l.plot_timeline({"": spans}, roles={"copy": "transfer"})
    colours = [to_hex(patch.get_facecolor()).upper() for patch in figure.axes[0].patches]
    assert colours[0] == colours[1] == d2l.ROLES["transfer"] != colours[2]
    with pytest.raises(KeyError, match="cook"):
        d2l.plot_timeline({"": spans}, roles={"copy": "cook"})
