"""watch_memory sees memory come and go, and stops watching."""

import threading

import pytest

import d2l_helpers as d2l

MIB = 2**20


def test_it_sees_a_block_that_is_written():
    with d2l.watch_memory(every=0.001) as watch:
        block = bytearray(64 * MIB)
        block[::4096] = b"x" * len(block[::4096])
        settled = len(watch.mib)
        while len(watch.mib) < settled + 3:
            pass
    assert watch.peak > 60
    assert len(watch.seconds) == len(watch.mib) >= 3
    assert watch.seconds == sorted(watch.seconds)


def test_nothing_used_is_nothing_seen():
    with d2l.watch_memory() as watch:
        pass
    assert abs(watch.peak) < 16


def test_the_watch_ends_with_an_error_too():
    before = threading.active_count()
    with pytest.raises(KeyError), d2l.watch_memory():
        raise KeyError
    assert threading.active_count() == before
