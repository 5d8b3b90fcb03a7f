"""The calls of probes.c for a machine with Numba and no C compiler: same arguments, same units.

Addresses are whole numbers. ``native`` imports this file when it needs it, and nobody else does.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
import time

import numpy as np

from . import loops

LEFT_OUT = "loopback, packets, bfloat16, int8"
ALIGN = 2 * 1024**2
_borrowed: dict[int, tuple] = {}
_random = np.random.default_rng(0)


def best(reps: int, loop, first, *args) -> float:
    """Nanoseconds of the best run. A loop that returns an address goes on from there in the next."""
    times = []
    for _ in range(max(reps, 2)):  # the first may include compiling
        start = time.perf_counter_ns()
        end = loop(first, *args)
        times.append(time.perf_counter_ns() - start)
        first = first if end is None else end
    return min(times)


def words(base: int, count: int) -> np.ndarray:
    return np.frombuffer((ctypes.c_int64 * count).from_address(base), np.int64)


def grab(size: int, huge: int) -> float:
    try:
        raw = mmap.mmap(-1, size + ALIGN, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        return 0.0
    hold = ctypes.c_char.from_buffer(raw)
    base = -(-ctypes.addressof(hold) // ALIGN) * ALIGN
    if advice := getattr(mmap, "MADV_HUGEPAGE" if huge else "MADV_NOHUGEPAGE", 0):
        try:
            raw.madvise(advice, base - ctypes.addressof(hold), size)
        except OSError:  # a kernel without huge pages
            pass
    _borrowed[base] = raw, hold
    words(base, size // 8)[:] = 0
    return float(base)


def release(base: int, size: int) -> float:
    raw, hold = _borrowed.pop(base)
    del hold  # a mapping closes only when nobody points into it
    raw.close()
    return 0.0


def chase(base: int, n: int, stride: int, spread: int, group: int, steps: int, reps: int) -> float:
    inside = np.argsort(_random.random((n // group, group)), axis=1)
    order = (_random.permutation(n // group)[:, None] * group + inside).ravel()
    places = order * stride + (order // 64 * 64 % stride if spread else 0)
    words(base, n * stride // 8)[places // 8] = base + np.roll(places, -1)
    first = loops.follow(base + int(places[0]), n)
    return best(reps, loops.follow, first, steps) / steps


def burst(base: int, blocks: int, lines: int, steps: int, reps: int) -> float:
    chase(base, blocks, 1024, 0, 1, 1, 1)
    return best(reps, loops.bursts, base, lines, steps) / steps


def walk(base: int, bits: int, stride: int, kind: int, count: int, reps: int) -> float:
    return best(reps, loops.walks, base, bits, stride, kind, count) / count


def offset_loads(base: int, offset: int, stride: int, n: int, rounds: int, reps: int) -> float:
    return best(reps, loops.loads, base + offset, stride, n, rounds) / rounds / n


def branchy(base: int, n: int, rounds: int, reps: int) -> float:
    found = np.zeros(1, np.int64)
    fastest = best(reps, loops.branches, words(base, n // 8).view(np.uint8), rounds, found)
    return fastest / rounds / n if found[0] == n // 2 * rounds else -1.0


def together(threads: int, work, apart: int = 1) -> list:
    """What ``work(i, ready)`` returns in each of the threads; ``ready()`` waits for the others."""
    barrier, results = threading.Barrier(threads, timeout=60), [0.0] * threads

    def run(i: int) -> None:
        if hasattr(os, "sched_setaffinity"):  # each on a core of its own where the system lets us choose
            allowed = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {allowed[i * apart % len(allowed)]})
        results[i] = work(i, barrier.wait)

    running = [threading.Thread(target=run, args=(i,)) for i in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return results


def bandwidth(base: int, size: int, kind: int, threads: int, microseconds: int) -> float:
    loop, passes = (loops.read, loops.write, loops.copy, loops.library_copy)[kind], 1 + 8 * 2**20 // size

    def work(i: int, ready) -> float:
        x = words(base + i * size, size // 8)
        loop(x, 1)
        ready()
        start, done, spent = time.perf_counter_ns(), 0, 0
        while spent < microseconds * 1000:
            loop(x, passes)
            done, spent = done + passes, time.perf_counter_ns() - start
        return done * size / spent * 1e9

    return sum(together(threads, work))


def share(base: int, distance: int, n: int, threads: int) -> float:
    flags = base + 4096  # one a line

    def work(i: int, ready) -> tuple[int, int]:
        here, there = flags + 256 * i, flags + 256 * ((i + 1) % threads)
        loops.counts(base + i * distance, 0, here, here)
        words(here, 1)[0] = 0
        ready()
        start = time.perf_counter_ns()
        loops.counts(base + i * distance, n, here, there)
        return start, time.perf_counter_ns()

    mine = words(base, threads * distance // 8)[:: distance // 8]
    mine[:] = 0
    starts, ends = zip(*together(threads, work), strict=True)
    return (max(ends) - max(starts)) / n if (mine == n).all() else -1.0  # who came first only waited


def bounce(base: int, n: int, other: int) -> float:
    def work(i: int, ready) -> float:
        loops.trips(base, 0, 0)
        ready()
        start = time.perf_counter_ns()
        loops.trips(base, i, 2 * n)
        return time.perf_counter_ns() - start

    words(base, 1)[0] = 0
    return max(together(2, work, other)) / n / 2


def mutex(n: int, reps: int) -> float:
    room = ctypes.create_string_buffer(128)
    ctypes.CDLL(None).pthread_mutex_init(room, None)
    return together(1, lambda i, ready: best(reps, loops.locks, ctypes.addressof(room), n))[0] / n


def flops(dtype: int, bits: int, steps: int, reps: int) -> float:
    needed, size = {512: "avx512f", 256: "avx2"}.get(bits), 32 if dtype else 64
    if dtype > 1 or needed and not loops.features.get(needed):
        return 0.0
    base, lanes = int(grab(ALIGN, 0)), bits // size or 1
    fastest = best(reps, loops.chains(size, lanes), base, steps)
    release(base, ALIGN)
    return 24 * lanes * steps / fastest * 1e9
