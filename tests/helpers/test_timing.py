"""Timer and Benchmark: d2l's names and words, a clock that never steps back, a wait for every device."""

import re
import sys
import types

import pytest

import d2l_helpers as d2l
from d2l_helpers import timing


@pytest.fixture
def clock(monkeypatch):
    """A clock that shows 0, 1, 3, 6, 10, … so that the n-th span lasts n seconds."""
    state = {"now": 0.0, "step": 0.0}

    def perf_counter():
        state["step"] += 1
        state["now"] += state["step"]
        return state["now"]

    monkeypatch.setattr(timing.time, "perf_counter", perf_counter)


def test_timer_records_spans(clock):
    timer = d2l.Timer()  # 1
    first = timer.stop()  # 3
    timer.start()  # 6
    second = timer.stop()  # 10
    assert (first, second) == (2.0, 4.0)
    assert timer.times == [2.0, 4.0]
    assert timer.sum() == 6.0 and timer.avg() == 3.0 and timer.cumsum() == [2.0, 6.0]


def test_timer_without_a_span_says_so():
    with pytest.raises(ValueError, match="recorded nothing"):
        d2l.Timer().avg()


@pytest.mark.parametrize("arguments, label", [((), "Done"), (("numpy",), "numpy")])
def test_benchmark_prints_as_d2l_does(capsys, arguments, label):
    with d2l.Benchmark(*arguments) as bench:
        pass
    printed = capsys.readouterr().out
    assert re.fullmatch(rf"{label}: \d+\.\d{{4}} sec\n", printed)
    assert printed == f"{label}: {bench.seconds:.4f} sec\n"


def test_benchmark_is_silent_when_the_block_raises(capsys):
    with pytest.raises(KeyError), d2l.Benchmark():
        raise KeyError("x")
    assert capsys.readouterr().out == ""


@pytest.fixture
def waits(monkeypatch):
    """Stand-ins for torch with three GPUs and for MXNet, which note each wait."""
    seen = []
    cuda = types.SimpleNamespace(
        is_initialized=lambda: True, device_count=lambda: 3, synchronize=lambda i: seen.append(f"cuda:{i}")
    )
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    engine = types.SimpleNamespace(waitall=lambda: seen.append("mxnet"))
    monkeypatch.setitem(sys.modules, "mxnet", types.SimpleNamespace(nd=engine))
    return seen


def test_both_ends_wait_for_all_devices(waits, capsys):
    everything = ["cuda:0", "cuda:1", "cuda:2", "mxnet"]
    d2l.synchronize()
    assert waits == everything
    waits.clear()
    with d2l.Benchmark():
        assert waits == everything
    assert waits == 2 * everything


def test_compare_waits_inside_each_slot(waits):
    d2l.compare({"a": lambda: waits.append("call")}, budget=0, slot=0, verbose=False)
    last = len(waits) - 1 - waits[::-1].index("call")
    assert waits[last + 1 :] == ["cuda:0", "cuda:1", "cuda:2", "mxnet"]
