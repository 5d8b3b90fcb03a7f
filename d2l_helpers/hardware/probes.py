"""Probes of the processor: caches, memory, cores, arithmetic, loopback.

A probe returns plain numbers, and of several repetitions it reports the best: what the hardware does when nobody
interrupts. What it returns survives a record in JSON. Each raises ``ProbeFailed``, with one line, where there is no
compiler (``missing()`` says so beforehand) or where it could not measure.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from pathlib import Path

from ..machine import cores, memory_size
from .native import MIB, ProbeFailed, borrow, call, missing


def latency_staircase(
    largest: int = 128 * MIB, per_octave: int = 4, passes: int = 1, group: int = 1
) -> list[tuple[int, float]]:
    """(bytes, ns a step) of a chase through a random ring of cache lines, from 4 KiB to ``largest``.

    Each pass has fresh memory, since where it lies matters too; the lower time counts. With ``group``
    64 the ring finishes a page of 4 KiB before the next: one look at the page table serves 64 steps, but
    the prefetcher may guess within a page. So read times off ``group`` 1, and sizes off 64.
    """
    largest = min(largest, (memory_size() or largest) // 8)
    points = [int(4096 * 2 ** (i / per_octave)) // 64 // group * group for i in range(40 * per_octave)]
    best = {lines: math.inf for lines in points if 0 < lines * 64 <= largest}
    for _ in range(passes):
        with borrow(largest) as base:
            for lines in best:
                steps = min(200_000, 20_000_000 // lines + 30_000)
                best[lines] = min(best[lines], call("chase", base, lines, 64, 0, group, steps, 3))
    return [(lines * 64, ns) for lines, ns in best.items()]


def cache_sizes(staircase: list[tuple[int, float]], jump: float = 1.6, flat: float = 1.2) -> dict[str, int]:
    """Bytes of each cache level, read off the staircase and nothing else.

    A plateau is where the curve grows by less than ``flat`` over an octave. Plateaus less than ``jump``
    apart are one. A level ends at the last size below the geometric middle of its plateau and the next.
    """
    sizes = [size for size, _ in staircase]
    low = [min(ns for _, ns in staircase[i:]) for i in range(len(staircase))]  # an interrupt only adds
    levels: list[float] = []
    for size, level in zip(sizes, low, strict=True):
        octave = [ns for other, ns in zip(sizes, low, strict=True) if size / 1.42 <= other <= size * 1.42]
        if octave[-1] < flat * octave[0] and (not levels or level > jump * levels[-1]):
            levels.append(level)
    ends = [math.sqrt(a * b) for a, b in zip(levels, levels[1:], strict=False)]
    return {f"L{i}": max(s for s, ns in zip(sizes, low, strict=True) if ns < end) for i, end in enumerate(ends, 1)}


MOST_THREADS = 1024
KINDS = {"read": 0, "write": 1, "copy": 2, "library copy": 3}


def bandwidth(kind: str, size: int, threads: int = 1, seconds: float = 0.015, repeats: int = 5, array=None) -> float:
    """Bytes a second of ``threads`` threads, each going over ``size`` bytes of its own (a multiple of 512).

    ``"copy"`` moves half of them to the other half with ordinary stores, ``"library copy"`` with the
    C library's ``memcpy``; both count the bytes read and the bytes written. ``array``: overwrite this
    contiguous NumPy array, which starts at a multiple of 64, in place of fresh memory.
    """
    if kind not in KINDS or size <= 0 or size % 512 or not 1 <= threads <= MOST_THREADS:
        wanted = f"the kind must be one of {', '.join(KINDS)}, the size a multiple of 512"
        raise ValueError(f"{wanted}, the threads 1 to {MOST_THREADS}; not {kind}, {size}, {threads}")
    if array is not None and (array.ctypes.data % 64 or array.nbytes < size * threads or not array.flags.c_contiguous):
        raise ValueError("the array must be contiguous, start at a multiple of 64, and hold all the bytes")
    with borrow(size * threads) if array is None else nullcontext(array.ctypes.data) as base:
        return max(call("bandwidth", base, size, KINDS[kind], threads, int(seconds * 1e6)) for _ in range(repeats))


def strides() -> dict[str, float]:
    """Nanoseconds for a load of 8 bytes out of 64 MiB: one after the other, with gaps, in random order."""
    with borrow(64 * MIB) as base:
        found = {f"every {8 * s} bytes": call("walk", base, 23, s, 0, 2**20, 3) for s in (1, 2, 4, 8, 16, 64, 512)}
        found["random, independent"] = call("walk", base, 23, 1, 2, 2**20, 3)
        found["random, each from the last"] = call("chase", base, 2**20, 64, 0, 1, 2**17, 3)
    return found


def burst() -> list[tuple[int, float]]:
    """(lines, ns): the time to read 1, 2, … 16 cache lines in a row at a random place of 128 MiB."""
    with borrow(128 * MIB) as base:
        return [(lines, call("burst", base, 2**17, lines, 2**16, 3)) for lines in (1, 2, 4, 8, 16)]


def alignment() -> dict[str, float]:
    """Nanoseconds for a load of 8 bytes in the first-level cache, by where it lies."""
    with borrow(2 * MIB, huge=False) as base:  # inside a huge page, the next 4 KiB cost nothing extra
        places = {"aligned": (0, 64, 128), "misaligned inside a line": (1, 64, 128), "across two lines": (60, 64, 128)}
        places |= {"aligned, one a page": (4088, 4096, 8), "across two pages": (4092, 4096, 8)}
        return {name: call("offset_loads", base, *p, 2**20 // p[2], 7) for name, p in places.items()}


def direction() -> dict[str, dict[str, float]]:
    """Nanoseconds for a load of 8 bytes, forward and backward, from 16 KiB and from 64 MiB."""
    with borrow(64 * MIB) as base:
        return {
            where: {way: call("walk", base, bits, 1, kind, 2**22, 3) for way, kind in (("forward", 0), ("backward", 1))}
            for where, bits in (("16 KiB", 11), ("64 MiB", 23))
        }


def false_sharing(count: int = 10_000_000) -> dict[str, float]:
    """Nanoseconds an increment: one thread alone, then two, their counters some bytes apart."""
    with borrow(2 * MIB) as base:
        found = {"one thread": min(call("share", base, 8, count, 1) for _ in range(5))}
        for distance in (8, 32, 64, 128, 256):
            found[f"two, {distance} bytes apart"] = min(call("share", base, distance, count, 2) for _ in range(5))
    return found


def branches(count: int = 2**20) -> dict[str, float]:
    """Nanoseconds an element of a loop with one branch, taken for half of them; and a misprediction's."""
    import numpy as np

    data = (np.arange(count) * 256 // count).astype(np.uint8)
    mixed = np.random.default_rng(0).permutation(data)
    found = {n: call("branchy", a.ctypes.data, count, 2, 7) for n, a in (("sorted", data), ("shuffled", mixed))}
    return {**found, "a misprediction": (found["shuffled"] - found["sorted"]) / 0.5}


def locks() -> dict[str, float]:
    """Nanoseconds to lock and unlock a mutex that nobody else wants, and for a cache line to go from core to core.

    The second is one way, between two threads that wait for each other; left out where there is only one core.
    """
    found = {"mutex": call("mutex", 200_000, 7)}
    if (count := cores()) > 1:
        other = 2 if count > 2 else 1  # many systems number the two threads of one core side by side
        with borrow(2 * MIB) as base:
            found["core to core"] = min(call("bounce", base, 10_000, other) for _ in range(15))
    return found


DTYPES, WIDTHS = ("float64", "float32", "bfloat16", "int8"), (0, 128, 256, 512)


def flops(dtype: str = "float32", width: int | None = None, threads: int = 1) -> float:
    """Operations a second of one core with registers of ``width`` bits (0: one number; None: the best).

    A multiply-add counts as two. 0.0 where this processor has no such instruction. Several ``threads`` start
    together, each on a core of its own where the system lets us choose; none reports its best moment.
    """
    if dtype not in DTYPES or width not in (None, *WIDTHS) or not 1 <= threads <= MOST_THREADS:
        wanted = f"the type must be one of {', '.join(DTYPES)}, the width None or one of {WIDTHS}"
        raise ValueError(f"{wanted}, the threads 1 to {MOST_THREADS}; not {dtype}, {width}, {threads}")
    if width is None:
        width = max(WIDTHS, key=lambda w: flops(dtype, w))
    if threads == 1:
        return call("flops", DTYPES.index(dtype), width, 300_000, 7, 1)
    return call("flops", DTYPES.index(dtype), width, 20_000_000, 1, threads)  # tens of ms, as many before to warm up


def tlb() -> dict[str, float]:
    """Nanoseconds a step among 8192 cache lines: packed, one on each 4 KiB page, the same on huge pages."""
    found = {}
    ways = {"packed": (64, 1), "one a page, small pages": (4096, 0), "one a page, huge pages": (4096, 1)}
    for name, (stride, huge) in ways.items():
        with borrow(32 * MIB, huge) as base:
            found[name] = call("chase", base, 8192, stride, stride > 64, 1, 200_000, 5)
    return found


def loopback() -> dict[str, dict[str, float]]:
    """Per protocol: half a round trip of one byte in µs, and bytes a second one way by message size.

    What failed in each of three trials is left out: UDP may lose a message, and a machine may have no loopback.
    """
    found = {}
    for udp, name in enumerate(("TCP", "UDP")):
        row = found[name] = {}
        if trips := _fastest(udp, 1, 2000, 1):
            row["one way (µs)"] = trips / 4000 * 1e6
        for size in (64, 1400, 32_768):
            window = 16 if size < 10_000 else 2  # so few that the receiver's buffer holds them: UDP drops the rest
            if span := _fastest(udp, size, 4000, window):
                row[f"{size} bytes (MB/s)"] = size * 4000 / span / 1e6
    return {name: row for name, row in found.items() if row}


def _fastest(udp: int, size: int, count: int, window: int) -> float | None:
    """Seconds of the fastest of three trials; None where none came through."""
    spans = []
    for _ in range(3):
        try:
            spans.append(call("loopback", udp, size, count, window))
        except ProbeFailed:
            if missing():
                raise
    return min(spans, default=None)


def packet_overhead(sizes=(1, 100, 1400), count: int = 2000) -> list[tuple[str, int, float, float]]:
    """(protocol, bytes in a message, packets, bytes): what Linux counts on the loopback per message.

    Answers are counted too: one byte for each message. [] where there is no loopback, or no counters of it.
    """

    def counters() -> tuple[int, int]:
        lines = Path("/proc/net/dev").read_text().splitlines()
        row = next(line for line in lines if line.strip().startswith("lo:"))
        received, packets = row.split(":")[1].split()[:2]
        return int(packets), int(received)

    found = []
    try:
        for udp, name in enumerate(("TCP", "UDP")):
            for size in sizes:
                before = counters()
                call("loopback", udp, size, count, 1)
                packets, received = (b - a for a, b in zip(before, counters(), strict=True))
                found.append((name, size, packets / count, received / count))
    except (OSError, StopIteration, ProbeFailed):
        if missing():
            raise
    return found
