"""The roofline model: the most that a machine can do with a program, from two counts of the program.

S. Williams, A. Waterman, D. Patterson: Roofline, Communications of the ACM 52(4), 2009.
"""

from __future__ import annotations

import math
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
    """A piece of work: its FLOP, the bytes it moves, the seconds it took, and the memory that it moves them from."""

    name: str
    flops: float
    nbytes: float
    seconds: float
    memory: str | None = None


MORE = ("#8B4513", "#999999", "#7570B3")  # colours beyond the course's own, for many machines


def plot_roofline(machines: Iterable[Machine], points: Iterable[Point] = (), lowest: float = 1 / 32) -> Figure:
    """Roofs, one line a memory and one colour a machine, and points, over FLOP per byte; labels stand at the lines.

    Both axes are logarithmic. A point is tied to the first machine's roof for its ``memory``: blue where arithmetic
    limits it there, orange where the memory does, and grey where the machine has no such memory. A point without
    FLOP is left out. An open circle marks each ridge.
    """
    from ..plots import COLOURS, ROLES, new_figure

    machines = list(machines)
    points = [point for point in points if point.flops > 0]
    if not machines:
        raise ValueError("a roofline needs at least one machine")
    ridges = [machine.ridge(memory) for machine in machines for memory in machine.bandwidths]
    highest = 4 * max([*ridges, *(point.flops / point.nbytes for point in points)])
    lowest = min([lowest, *(point.flops / point.nbytes / 2 for point in points)])
    figure, axes = new_figure(7.2, 4.6)
    axes.set(xscale="log", yscale="log", xlabel="intensity (FLOP per byte)", ylabel="GFLOP/s")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
    colours, named = (ROLES["limit"], *(COLOURS[i] for i in (3, 4, 5, 2, 0, 1)), *MORE), set()
    slopes = []  # the names of memories, turned as their lines are when the layout is settled
    for place, machine in enumerate(machines):
        for memory, rate in machine.bandwidths.items():
            x = [lowest, machine.ridge(memory), highest]
            y = [machine.attainable(value, memory) / 1e9 for value in x]
            label, colour = f"{machine.name}, {memory}" if memory else machine.name, colours[place % len(colours)]
            axes.plot(x, y, color=colour, linewidth=1.2, label=label)
            axes.scatter(x[1], y[1], 22, facecolor="white", edgecolor=colour, linewidth=1.2, zorder=2.5)
            if len(machine.bandwidths) > 1 and (memory, rate) not in named:  # on its slope, once
                named.add((memory, rate))
                start = (1.25 * lowest, 1.25 * lowest * rate / 1e9)
                slopes.append(axes.annotate(f"{memory}, {rate / 1e9:.0f} GB/s", start, (-2, 2), va="bottom",
                              textcoords="offset points", rotation_mode="anchor", fontsize="x-small"))  # fmt: skip
    for name, flops, nbytes, seconds, memory in points:
        intensity, reached, roof = flops / nbytes, flops / seconds / 1e9, machines[0]
        colour = "dimgrey"
        if memory in roof.bandwidths:
            colour = ROLES["transfer" if intensity < roof.ridge(memory) else "compute"]
            axes.vlines(intensity, reached, roof.attainable(intensity, memory) / 1e9, color=colour, linewidth=0.8)
        axes.plot(intensity, reached, "o", color=colour, label=name or "_nolegend_", markersize=5, zorder=3)
    axes.set_xlim(lowest, highest)
    axes.set_ylim(axes.get_ylim())
    axes.margins(0)
    kinds = {"compute": "bound by arithmetic", "transfer": "bound by memory"}
    used = {"transfer" if p.flops / p.nbytes < machines[0].ridge(p.memory) else "compute"
            for p in points if p.memory in machines[0].bandwidths}  # fmt: skip
    if used:
        marks = [axes.scatter([], [], 25, color=ROLES[role], label=kinds[role]) for role in kinds if role in used]
        axes.legend(handles=marks, loc="lower right", fontsize="small")
    _name_roofs(axes, [(m.peak / 1e9, m.name, colours[i % len(colours)]) for i, m in enumerate(machines)])
    _name_points(axes, machines, [(p.flops / p.nbytes, p.flops / p.seconds / 1e9, p.name) for p in points])
    (x, y), (far_x, far_y) = axes.transData.transform([(lowest, 1), (10 * lowest, 10)])
    for text in slopes:  # a bandwidth is a line of slope one, in decades
        text.set_rotation(math.degrees(math.atan2(far_y - y, far_x - x)))
    return figure


def _name_roofs(axes, roofs: list[tuple[float, str, str]], gap: float = 0.055) -> None:
    """Each machine's name to the right of its flat roof; names that would touch are moved apart."""
    low, high = (math.log(end) for end in axes.get_ylim())
    heights = [(math.log(peak) - low) / (high - low) for peak, _, _ in sorted(roofs)]
    places: list[float] = []
    for height in heights:  # up, and down again from the top
        places.append(max([height, *(place + gap for place in places[-1:])]))
    for i in reversed(range(len(places))):
        places[i] = min([places[i], 1.0, *(place - gap for place in places[i + 1 : i + 2])])
    for height, at, (_, name, colour) in zip(heights, places, sorted(roofs), strict=True):
        line = dict(arrowstyle="-", color=colour, linewidth=0.6, relpos=(0, 0.5))  # to the middle of its left edge
        axes.annotate(name, (1, height), (1.03, at), xycoords="axes fraction", textcoords="axes fraction", color=colour,
                      va="center", fontsize="small", arrowprops=line, annotation_clip=False)  # fmt: skip


def _name_points(axes, machines: list[Machine], points: list[tuple[float, float, str]]) -> None:
    """Each point's name beside it, at the one of ten places where it covers least: names, points, roofs, the frame."""
    axes.figure.draw_without_rendering()  # the layout settles where the points lie
    frame, legend, pad = axes.get_window_extent(), axes.get_legend(), 0.05 * axes.figure.dpi
    dots = [axes.transData.transform((x, y)) for x, y, _ in points]
    taken = [(x - pad, y - pad, x + pad, y + pad) for x, y in dots]
    for machine in machines:  # the flat roofs
        y = axes.transData.transform((1, machine.peak / 1e9))[1]
        taken.append((frame.x0, y - 1, frame.x1, y + 1))
    if legend is not None:
        taken.append(legend.get_window_extent().extents)
    for x, y, name in points:
        if not name:
            continue
        text = axes.annotate(name, (x, y), (7, 0), textcoords="offset points", fontsize="x-small", zorder=4)
        text.set_in_layout(False)  # or the layout would move all that has just been placed
        best = None
        for across, right in (("left", 7), ("right", -7), ("center", 0)):
            for down, up in (("center", 0), ("bottom", 5), ("top", -5), ("bottom", 14), ("top", -14)):
                if across == "center" and down == "center":
                    continue
                text.set(ha=across, va=down, position=(right, up))
                box = text.get_window_extent().extents
                covers = sum(_shared(box, other) for other in taken)
                outside = (box[2] - box[0]) * (box[3] - box[1]) - _shared(box, frame.extents)
                if best is None or covers + outside < best[0] - 1:
                    best = (covers + outside, across, down, (right, up), tuple(box))
        _, across, down, place, box = best
        text.set(ha=across, va=down, position=place)
        taken.append(box)
        if abs(place[1]) > 5:  # farther off: a thin line says whose name it is
            text.remove()
            line = dict(arrowstyle="-", linewidth=0.5, color="dimgrey", shrinkA=0, shrinkB=2)
            axes.annotate(name, (x, y), place, textcoords="offset points", fontsize="x-small", ha=across, va=down,
                          arrowprops=line, zorder=4).set_in_layout(False)  # fmt: skip


def _shared(one, other) -> float:
    """The area that two boxes have in common, each of them left, bottom, right, top."""
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0) * max(high, 0)
