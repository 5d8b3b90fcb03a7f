"""Probes of the processor: caches, memory, cores, arithmetic, loopback.

A probe returns plain numbers, and of several repetitions it reports the best (the median, where it says so): what the
hardware does when nobody interrupts. What it returns survives a record in JSON. Each raises ``ProbeFailed``, with one
line, where there is no compiler (``missing()`` says so beforehand) or where it could not measure.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from ..machine import caches, cores, memory_size
from .native import MIB, ProbeFailed, borrow, call, missing


def beyond_caches() -> int:
    """Bytes that no cache holds: a power of two, 128 to 512 MiB, four times the largest cache where memory allows."""
    wanted = min(512 * MIB, max(128 * MIB, 4 * max(caches().values(), default=0)))
    return 1 << min(wanted, (memory_size() or 2**31) // 8).bit_length() - 1


def geometry(level: str = "L1") -> tuple[int, int, int] | None:
    """(ways, sets, bytes of a line) of a data cache of core 0, as Linux reports them; None elsewhere."""
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        try:
            kind, number, *numbers = ((index / part).read_text().strip() for part in _PARTS)
        except OSError:
            continue
        if kind != "Instruction" and level == f"L{number}":
            return tuple(map(int, numbers))
    return None


_PARTS = ("type", "level", "ways_of_associativity", "number_of_sets", "coherency_line_size")


def looks(count: int = 6, pause: float = 0.05) -> Iterator[int]:
    """Count the looks, with a pause between them: whoever takes half of a shared core keeps it for tenths of a second.

    A probe looks at all its cases in turn, and for each case the best look counts.
    """
    for look in range(count):
        if look:
            time.sleep(pause)
        yield look


def cycle() -> float:
    """Nanoseconds of one addition of two registers that waits for the one before: a cycle of the core's clock."""
    return min(call("tick", 800_000, 9) for _ in looks())


def latency_staircase(
    largest: int | None = None, per_octave: int = 4, passes: int = 1, group: int = 1
) -> list[tuple[int, float]]:
    """(bytes, ns a step) of a chase through a random ring of cache lines, from 4 KiB to ``largest``.

    Each pass has fresh memory, since where it lies matters too; the lower time counts. With ``group``
    64 the ring finishes a page of 4 KiB before the next: one look at the page table serves 64 steps, but
    the prefetcher may guess within a page. So read times off ``group`` 1, and sizes off 64.
    """
    largest = min(largest or beyond_caches(), (memory_size() or 2**31) // 8)
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


def level_times(staircase: list[tuple[int, float]], found: dict[str, int]) -> dict[str, float]:
    """Nanoseconds of each level that ends at ``found`` bytes, read at its middle (of logarithms), and of memory."""
    low, times = staircase[0][0], {}
    for level, end in found.items():
        middle = math.sqrt(low * end)
        times[level] = min(staircase, key=lambda point: abs(math.log(point[0] / middle)))[1]
        low = end
    return {**times, "memory": staircase[-1][1]}


def conflicts(stride: int, counts: Iterable[int]) -> list[tuple[int, float]]:
    """(lines, ns a step) of a chase through so many cache lines, ``stride`` bytes apart; the best of six passes."""
    best = dict.fromkeys(counts, math.inf)
    with borrow(max(best) * stride) as base:
        for _ in looks():
            for n in best:
                best[n] = min(best[n], call("chase", base, n, stride, 0, 1, 50_000, 5))
    return list(best.items())


MOST_THREADS = 1024
KINDS = {"read": 0, "write": 1, "copy": 2, "library copy": 3, "update": 4, "stream": 5}


def bandwidth(kind: str, size: int, threads: int = 1, seconds: float = 0.015, repeats: int = 5, array=None) -> float:
    """Bytes a second of ``threads`` threads, each going over ``size`` bytes of its own (a multiple of 512).

    ``"copy"`` moves half of them to the other half with ordinary stores, ``"library copy"`` with the C library's
    ``memcpy``; both count the bytes read and the bytes written. ``"update"`` changes each byte in place and counts
    it once. ``"stream"`` writes past the caches; 0.0 where the processor has no such stores. ``array``: overwrite
    this contiguous NumPy array, which starts at a multiple of 64, in place of fresh memory.
    """
    if kind not in KINDS or size <= 0 or size % 512 or not 1 <= threads <= MOST_THREADS:
        wanted = f"the kind must be one of {', '.join(KINDS)}, the size a multiple of 512"
        raise ValueError(f"{wanted}, the threads 1 to {MOST_THREADS}; not {kind}, {size}, {threads}")
    if array is not None and (array.ctypes.data % 64 or array.nbytes < size * threads or not array.flags.c_contiguous):
        raise ValueError("the array must be contiguous, start at a multiple of 64, and hold all the bytes")
    with borrow(size * threads) if array is None else nullcontext(array.ctypes.data) as base:
        return max(call("bandwidth", base, size, KINDS[kind], threads, int(seconds * 1e6)) for _ in range(repeats))


def strides() -> dict[str, float]:
    """Nanoseconds for a load of 8 bytes out of memory: in order, with gaps, in random order. Each way, the loads visit
    every line of ``beyond_caches()`` bytes once (so far as they are not random), and so none finds its line in a cache.
    """
    words = beyond_caches() // 8
    bits = words.bit_length() - 1
    ways = {f"every {8 * s} bytes": (s, 0, words // min(s, 8)) for s in (1, 2, 4, 8, 16)}
    ways["random, independent"] = (1, 2, words // 8)
    best = dict.fromkeys(ways, math.inf)
    with borrow(8 * words) as base:
        for _ in looks(4):
            for name, way in ways.items():
                best[name] = min(best[name], call("walk", base, bits, *way, 2))
        best["random, each from the last"] = call("chase", base, words // 8, 64, 0, 1, 2**17, 3)
    return best


def neighbours() -> dict[str, float]:
    """Nanoseconds a line of 64 bytes: every second line of 256 KiB from memory, the lines between them, those again.

    The median of eight looks, each at a block that none has read before: a cache may keep what was read more than
    once, however much passes through it, and the best look would be the one that found its lines there.
    """
    times: dict[str, list[float]] = {"every second line": [], "the lines between": [], "the same again": []}
    far = beyond_caches()
    with borrow(far) as base:
        for look in looks(8):
            block, start = base + look * (far // 8), look % 2 * 64
            call("bandwidth", base, far, KINDS["read"], 1, 1000)  # whatever was in the caches goes
            for row, first in zip(times.values(), (start, 64 - start, 64 - start), strict=True):
                row.append(call("walk", block + first, 15, 16, 0, 2**11, 1))
    return {name: median(row) for name, row in times.items()}


def burst() -> list[tuple[int, float]]:
    """(lines, ns): the time to read 1, 2, … 16 cache lines in a row at a random place of memory."""
    with borrow(far := beyond_caches()) as base:
        return [(lines, call("burst", base, far // 1024, lines, 2**16, 3)) for lines in (1, 2, 4, 8, 16)]


def alignment() -> dict[str, float]:
    """Nanoseconds for a load of 8 bytes in the first-level cache, by where it lies."""
    with borrow(2 * MIB) as base:
        places = {"aligned": 0, "misaligned inside a line": 1, "across two lines": 60}
        best = dict.fromkeys(places, math.inf)
        for _ in looks():
            for name, offset in places.items():
                best[name] = min(best[name], call("offset_loads", base, offset, 64, 128, 2**13, 7))
    return best


def direction() -> dict[str, dict[str, float]]:
    """Nanoseconds for a load of 8 bytes, forward and backward, from 16 KiB and from memory."""
    bits = (beyond_caches() // 8).bit_length() - 1
    best = {where: {"forward": math.inf, "backward": math.inf} for where in ("16 KiB", "memory")}
    with borrow(8 << bits) as base:
        for _ in looks():
            for row, b in zip(best.values(), (11, bits), strict=True):
                for kind, way in enumerate(row):
                    row[way] = min(row[way], call("walk", base, b, 1, kind, 1 << bits, 2))
    return best


def false_sharing(count: int = 10_000_000) -> dict[str, float]:
    """Nanoseconds an increment: one thread alone, then two, their counters some bytes apart.

    The median of seven looks: the best would be one in which the two threads missed each other.
    """
    ways = {"one thread": (8, 1)} | {f"two, {apart} bytes apart": (apart, 2) for apart in (8, 32, 64, 128, 256)}
    times: dict[str, list[float]] = {name: [] for name in ways}
    with borrow(2 * MIB) as base:
        for _ in looks(7):
            for name, (apart, threads) in ways.items():
                times[name].append(call("share", base, apart, count, threads))
    return {name: median(row) for name, row in times.items()}


def branches(count: int = 2**20) -> dict[str, float]:
    """Nanoseconds an element of a loop with one branch, taken for half of them; and a misprediction's."""
    import numpy as np

    data = (np.arange(count) * 256 // count).astype(np.uint8)
    mixed = np.random.default_rng(0).permutation(data)
    found = {"sorted": math.inf, "shuffled": math.inf}
    for _ in looks():
        for name, array in zip(found, (data, mixed), strict=True):
            found[name] = min(found[name], call("branchy", array.ctypes.data, count, 2, 3))
    return {**found, "a misprediction": (found["shuffled"] - found["sorted"]) / 0.5}


def locks() -> dict[str, float]:
    """Nanoseconds to lock and unlock a mutex that nobody else wants, and for a cache line to go from core to core.

    The second is one way, between two threads that wait for each other; left out where there is only one core.
    """
    found = {"mutex": min(call("mutex", 200_000, 2) for _ in looks())}
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


def tlb() -> dict[str, list[tuple[int, float]] | float]:
    """(lines, ns a step) among so many cache lines: packed, one on each 4 KiB page, the same on huge pages.

    "granted" is the share of the last memory that the system backs with huge pages; left out where it does not say.
    """
    counts, granted = [2**i for i in range(4, 14)], None
    found = {name: dict.fromkeys(counts, math.inf) for name in ("packed", "one a page", "huge pages")}
    for _ in looks(3):
        for (name, best), (stride, huge) in zip(found.items(), ((64, 1), (4096, 0), (4096, 1)), strict=True):
            with borrow(counts[-1] * stride, huge) as base:
                for n in counts:
                    best[n] = min(best[n], call("chase", base, n, stride, stride > 64, 1, 100_000, 5))
                if name == "huge pages":
                    granted = _huge_share(base, counts[-1] * stride)
    rows = {name: list(best.items()) for name, best in found.items()}
    return rows if granted is None else {**rows, "granted": granted}


def _huge_share(address: int, size: int) -> float | None:
    """Which share of a borrowed block Linux backs with huge pages; None where it does not say."""
    try:
        lines = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    inside, found = False, None
    for line in lines:
        if area := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            start, end = (int(part, 16) for part in area.groups())
            inside = start < address + size and address < end
        elif inside and line.startswith("AnonHugePages:"):
            found = (found or 0) + int(line.split()[1]) * 1024
    return None if found is None else min(1.0, found / size)


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
    for _ in looks(3):
        try:
            spans.append(call("loopback", udp, size, count, window))
        except ProbeFailed:
            if missing():
                raise
    return min(spans, default=None)


def packet_overhead(sizes=(1, 100, 1400), count: int = 2000) -> list[tuple[str, int, float, float]]:
    """(protocol, bytes in a message, packets, bytes): what Linux counts on the loopback per message.

    Answers are counted too: one byte for each message. The lowest of three counts: whoever else uses the loopback
    only adds. [] where there is no loopback, or no counters of it.
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
                counts = []
                for _ in range(3):
                    before = counters()
                    call("loopback", udp, size, count, 1)
                    counts.append([(b - a) / count for a, b in zip(before, counters(), strict=True)])
                found.append((name, size, *min(counts)))
    except (OSError, StopIteration, ProbeFailed):
        if missing():
            raise
    return found
