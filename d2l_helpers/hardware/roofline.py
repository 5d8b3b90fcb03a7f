"""The roofline model: the most that a machine can do with a program, from two counts of the program.

S. Williams, A. Waterman, D. Patterson: Roofline, Communications of the ACM 52(4), 2009.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """The ceilings of one machine: ``peak`` in FLOP/s, ``bandwidths`` in bytes a second by memory."""

    name: str
    peak: float
    bandwidths: Mapping[str, float]

    def __post_init__(self) -> None:
        if not self.bandwidths or not all(value > 0 for value in (self.peak, *self.bandwidths.values())):
            raise ValueError(f"{self.name}: the peak and at least one bandwidth must be there, and above 0")

    def bandwidth(self, memory: str | None = None) -> float:
        """Bytes a second of ``memory``; of the slowest one by default."""
        if memory is not None and memory not in self.bandwidths:
            raise KeyError(f"{self.name} has no memory {memory!r}; it has {', '.join(self.bandwidths)}")
        return min(self.bandwidths.values()) if memory is None else self.bandwidths[memory]

    def ridge(self, memory: str | None = None) -> float:
        """FLOP per byte where the slope meets the flat roof: below it ``memory`` limits, above it the peak."""
        return self.peak / self.bandwidth(memory)

    def attainable(self, intensity: float, memory: str | None = None) -> float:
        """FLOP/s that a program of ``intensity`` (FLOP per byte moved from ``memory``) cannot exceed."""
        return min(self.peak, self.bandwidth(memory) * intensity)
