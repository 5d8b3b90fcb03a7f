"""Resident memory of this process over time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MIB = 2**20


@dataclass
class MemoryWatch:
    """Samples since the block began: ``seconds``, and ``mib`` of resident memory above its start."""

    seconds: list[float] = field(default_factory=list)
    mib: list[float] = field(default_factory=list)

    @property
    def peak(self) -> float:
        """The highest sample, in MiB above the start."""
        return max(self.mib)


@contextmanager
def watch_memory(every: float = 0.01) -> Iterator[MemoryWatch]:
    """While the block runs, sample the process's resident memory ``every`` so many seconds."""
    import psutil

    process, watch, over = psutil.Process(), MemoryWatch(), threading.Event()
    base, start = process.memory_info().rss, time.perf_counter()

    def sample() -> None:
        watch.seconds.append(time.perf_counter() - start)
        watch.mib.append((process.memory_info().rss - base) / MIB)

    def keep_sampling() -> None:
        while not over.wait(every):
            sample()

    sample()
    sampler = threading.Thread(target=keep_sampling, daemon=True)
    sampler.start()
    try:
        yield watch
    finally:
        over.set()
        sampler.join()
        sample()
