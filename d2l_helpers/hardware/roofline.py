"""The roofline model: the most that a machine can do with a program, from two counts of the program.

S. Williams, A. Waterman, D. Patterson: Roofline, Communications of the ACM 52(4), 2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    def predict(self, flops: float, nbytes: float, memory: str | None = None) -> float:
        """Seconds that the work takes at least: for the arithmetic or for the bytes, whichever is longer."""
        if flops < 0 or nbytes < 0:
            raise ValueError(f"counts cannot be negative: {flops} FLOP, {nbytes} bytes")
        return max(flops / self.peak, nbytes / self.bandwidth(memory))


class Point(NamedTuple):
    """A piece of work: its FLOP, the bytes it moves, and the seconds it took."""

    name: str
    flops: float
    nbytes: float
    seconds: float


def plot_roofline(machines: Iterable[Machine], points: Iterable[Point] = (), lowest: float = 1 / 32) -> Figure:
    """Roofs (one line a memory, dashed after a machine's first) and points, over FLOP per byte.

    Both axes are logarithmic. A machine's roofs share a colour; a point without FLOP is left out.
    """
    from ..plots import COLOURS, MARKERS, new_figure

    machines = list(machines)
    points = [point for point in points if point.flops > 0]
    if not machines:
        raise ValueError("a roofline needs at least one machine")
    ridges = [machine.ridge(memory) for machine in machines for memory in machine.bandwidths]
    highest = 4 * max([*ridges, *(point.flops / point.nbytes for point in points)])
    lowest = min([lowest, *(point.flops / point.nbytes / 2 for point in points)])
    figure, axes = new_figure(7.2, 4.6)
    for place, machine in enumerate(machines):
        for number, memory in enumerate(machine.bandwidths):
            x = [lowest, machine.ridge(memory), highest]
            y = [machine.attainable(value, memory) / 1e9 for value in x]
            label = f"{machine.name}, {memory}" if memory else machine.name
            axes.plot(x, y, color=COLOURS[place % 7], linestyle=("-", "--", ":", "-.")[number % 4], label=label)
    for place, (name, flops, nbytes, seconds) in enumerate(points):
        marker, colour = MARKERS[place % 7], COLOURS[(place // 7 + 3 + place) % 7]
        axes.plot(flops / nbytes, flops / seconds / 1e9, marker, color=colour, label=name, markersize=6)
    axes.set(xscale="log", yscale="log", xlabel="intensity (FLOP per byte)", ylabel="GFLOP/s")
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    return figure
