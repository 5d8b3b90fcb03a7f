"""Figures of one look: a ratio plot, lines on logarithmic axes, a graph drawn in layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .results import Comparison

# Okabe and Ito's colours: told apart by colour-blind readers too (jfly.uni-koeln.de/color).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"


def new_figure(width: float = 6.4, height: float = 3.2):
    """A figure and its axes, in inches; closed to pyplot, so that a cell shows it once."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(width, height), dpi=144, layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    plt.close(figure)
    return figure, axes


def plot_comparison(result: Comparison) -> Figure:
    """Each row's ratio with its 95 % interval; the dashed line is the baseline."""
    if len(result) < 2:
        raise ValueError("a plot of ratios needs a second function beside the baseline")
    rows = [row for name, row in result.items() if name != result.baseline]
    figure, axes = new_figure(height=1.2 + 0.35 * len(rows))
    for place, row in enumerate(reversed(rows)):
        error = [[row.ratio - row.low], [row.high - row.ratio]]
        axes.errorbar(row.ratio, place, xerr=error, fmt="o", capsize=4, color=COLOURS[0])
        axes.annotate(f"{row.ratio:.3g}×", (row.ratio, place), (0, 7), textcoords="offset points", ha="center")
    axes.axvline(1, linestyle="--", color="grey")
    axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
    axes.margins(x=0.12)  # room for the labels
    axes.set_ylim(-0.6, len(rows) - 0.2)
    if max(row.high for row in rows) > 1.5 * min(row.low for row in rows):
        axes.set_xscale("log")
        _plain_ticks(axes.xaxis)
    axes.set_xlabel(f"times as fast as {result.baseline} (right is faster)")
    return figure


def plot_lines(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    xlabel: str,
    ylabel: str,
    level: float | None = None,
) -> Figure:
    """One line a name over ``x``, both axes logarithmic; ``level`` draws a dashed horizontal line."""
    from matplotlib.ticker import NullLocator

    figure, axes = new_figure(height=3.6)
    for (name, values), colour, marker in zip(lines.items(), COLOURS, MARKERS, strict=False):
        axes.plot(x, values, marker=marker, markersize=5, color=colour, label=name)
    if level is not None:
        axes.axhline(level, linestyle="--", color="grey")
    axes.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    _plain_ticks(axes.yaxis)
    axes.set_xticks(x, [f"{value:g}" for value in x])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.legend(frameon=False)
    return figure


def draw_graph(nodes: Mapping[str, str], edges: Iterable[tuple[str, str]]) -> Figure:
    """A directed acyclic graph, drawn from left to right in layers.

    ``nodes`` maps each node's key to its text; an edge ``(a, b)`` says that b needs a.
    """
    edges = [(a, b) for a, b in edges]
    depth: dict[str, int] = {}

    def layer(node: str) -> int:
        if node not in depth:
            depth[node] = 1 + max((layer(a) for a, b in edges if b == node), default=-1)
        return depth[node]

    columns: dict[int, list[str]] = {}
    for node in nodes:
        columns.setdefault(layer(node), []).append(node)
    tallest = max(map(len, columns.values()))
    place = {
        node: (column, (len(members) - 1) / 2 - row)
        for column, members in columns.items()
        for row, node in enumerate(members)
    }
    figure, axes = new_figure(1.6 * len(columns) + 0.6, 0.6 * tallest + 0.4)
    axes.set_axis_off()
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(-tallest / 2, tallest / 2))
    box = dict(boxstyle="round,pad=0.35", facecolor="#EAF2F8", edgecolor=COLOURS[0])
    texts = {n: axes.text(*place[n], nodes[n], ha="center", va="center", bbox=box) for n in nodes}
    for a, b in edges:
        arrow = dict(arrowstyle="-|>", color="#555555", patchA=texts[a], patchB=texts[b], shrinkA=9, shrinkB=9)
        axes.annotate("", place[b], place[a], arrowprops=arrow, zorder=0)
    return figure


def _plain_ticks(axis) -> None:
    """Tick labels such as 0.5 and 20 in place of powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())
