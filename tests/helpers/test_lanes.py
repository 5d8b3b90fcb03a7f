"""Lanes: one task after another, each on a core of its own, one thread for operators."""
import os
import threading

import pytest
import torch

import d2l_helpers as d2l


def test_a_lane_does_one_task_after_another_in_one_thread_of_its_own():
    with d2l.lane() as lane:
        begun, seen = threading.Event(), []
        first = lane.submit(lambda: (begun.wait(5), seen.append(threading.get_ident())))
        second = lane.submit(lambda: seen.append(threading.get_ident()))
        assert not second.done()
        begun.set()
        first.result(5), second.result(5)
    assert len(set(seen)) == 1 and seen[0] != threading.get_ident()


def test_operators_get_one_thread_whatever_is_set_later_elsewhere():
    before = torch.get_num_threads()
    try:
        with d2l.lane(0) as lane:
            assert lane.submit(torch.get_num_threads).result(5) == 1
            torch.set_num_threads(2)
            assert lane.submit(torch.get_num_threads).result(5) == 1
    finally:
        torch.set_num_threads(before)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system binds no threads")
def test_a_lane_is_bound_to_its_core_and_the_caller_is_not():
    allowed = os.sched_getaffinity(0)
    for number in (0, 1, len(allowed)):
        with d2l.lane(number) as lane:
            place = lane.submit(os.sched_getaffinity, 0).result(5)
        assert place == {sorted(allowed)[number % len(allowed)]}
    with d2l.lane() as anywhere:
        assert anywhere.submit(os.sched_getaffinity, 0).result(5) == allowed
    assert os.sched_getaffinity(0) == allowed


def test_without_affinity_a_lane_works_all_the_same(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    with d2l.lane(1) as lane:
        assert lane.submit(lambda: 7).result(5) == 7


def test_an_error_is_raised_where_the_result_is_asked_for():
    with d2l.lane(0) as lane, pytest.raises(ZeroDivisionError):
        lane.submit(lambda: 1 / 0).result(5)
