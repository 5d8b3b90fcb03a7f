"""d2l's ``Timer`` and ``Benchmark``, with a clock that cannot step back and with synchronisation."""

from __future__ import annotations

import time
from itertools import accumulate

from .devices import synchronize


class Timer:
    """Record several spans of time, in seconds. It starts when it is made."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.start()

    def start(self) -> None:
        """Start the clock once all devices are idle."""
        synchronize()
        self.tik = time.perf_counter()

    def stop(self) -> float:
        """Wait for all devices, record the span since ``start`` and return it in seconds."""
        synchronize()
        self.times.append(time.perf_counter() - self.tik)
        return self.times[-1]

    def avg(self) -> float:
        """Mean of the recorded spans in seconds."""
        if not self.times:
            raise ValueError("this Timer has recorded nothing yet: call stop() first")
        return self.sum() / len(self.times)

    def sum(self) -> float:
        """Sum of the recorded spans in seconds."""
        return sum(self.times)

    def cumsum(self) -> list[float]:
        """Running sums of the recorded spans, in seconds."""
        return list(accumulate(self.times))


class Benchmark:
    """Time a block once and print it: ``with Benchmark("eager"): net(x)``.

    One run says little about a short block: ``compare`` is the tool for that. The time stays
    in ``seconds``. Nothing is printed when the block raises.
    """

    def __init__(self, description: str = "Done") -> None:
        self.description = description
        self.seconds: float | None = None

    def __enter__(self) -> Benchmark:
        self.timer = Timer()
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is None:
            self.seconds = self.timer.stop()
            print(f"{self.description}: {self.seconds:.4f} sec")
