"""Figures of one look: a ratio plot, lines on logarithmic axes, a graph drawn in layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .measurement import ratio_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .measurement import Comparison

# Okabe and Ito's colours, as in course.mplstyle (jfly.uni-koeln.de/color).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
# What a colour means wherever somebody works, moves or waits.
ROLES = {"compute": COLOURS[0], "transfer": COLOURS[1], "host": COLOURS[2], "wait": "lightgrey", "limit": "black"}


def new_figure(width: float = 6.4, height: float = 3.2):
    """A figure and its axes, in inches, in the style of the course; closed to pyplot, so that a cell shows it once."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("course.mplstyle"))
    figure, axes = plt.subplots(figsize=(width, height))
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
        label = f"{ratio_figures(row.ratio)}×"  # 1.004 is not 1
        axes.annotate(label, (row.ratio, place), (0, 7), textcoords="offset points", ha="center")
    axes.axvline(1, linestyle="--", color="grey")
    axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
    axes.margins(x=0.12)  # room for the labels
    axes.set_ylim(-0.6, len(rows) - 0.2)
    if max(row.high for row in rows) > 1.5 * min(row.low for row in rows):
        axes.set_xscale("log")
        plain_ticks(axes.xaxis)
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
        axes.plot(x, values, marker=marker, color=colour, label=name)
    if level is not None:
        axes.axhline(level, linestyle="--", color="grey")
    axes.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    plain_ticks(axes.yaxis)
    axes.set_xticks(x, [f"{value:g}" for value in x])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.legend()
    return figure


def draw_graph(nodes: Mapping[str, str], edges: Iterable[tuple[str, str]]) -> Figure:
    """A directed acyclic graph, drawn from left to right in layers.

    ``nodes`` maps each node's key to its text; an edge ``(a, b)`` says that b needs a.

    Raises:
        ValueError: no nodes, an edge of a node that is not there, or a cycle.
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    if strange := set(graph) - set(nodes):
        raise ValueError(f"an edge names {', '.join(map(str, strange))}, which is no node")
    if not graph or not nx.is_directed_acyclic_graph(graph):
        raise ValueError("there are no nodes to draw" if not graph else "the graph has a cycle: it has no layers")
    row: dict[str, float] = {}
    for layer, members in enumerate(nx.topological_generations(graph)):

        def behind(node) -> float:  # a node stands level with what it needs, so that few edges cross
            return sum(row[a] for a in graph.predecessors(node)) / max(1, graph.in_degree(node))

        order = sorted(members, key=behind) if layer else [node for node in nodes if node in members]
        for number, node in enumerate(order):
            graph.nodes[node]["subset"] = layer
            row[node] = number - (len(order) - 1) / 2
    layers = [data["subset"] for _, data in graph.nodes(data=True)]
    place = {node: (graph.nodes[node]["subset"], -row[node]) for node in graph}
    tallest = max(layers.count(layer) for layer in layers)

    def bend(a, b) -> float:
        """How much an arrow bows, so as to pass below or above a box that stands between its ends."""
        (x0, y0), (x1, y1) = place[a], place[b]
        above = [y - y0 - (y1 - y0) * (x - x0) / (x1 - x0) for x, y in place.values() if x0 < x < x1]
        near = min(above, key=abs, default=1.0)
        return (0 if abs(near) > 0.45 else -1 if near < 0 else 1) * 0.44 / (x1 - x0)

    bends = {(a, b): bend(a, b) for a, b in graph.edges}
    below = 0.5 if any(rad > 0 for rad in bends.values()) else 0
    figure, axes = new_figure(1.6 * (max(layers) + 1) + 0.6, 0.6 * (tallest + below) + 0.4)
    axes.set_axis_off()
    axes.set(xlim=(-0.5, max(layers) + 0.5), ylim=(-tallest / 2 - below, tallest / 2))
    box = dict(boxstyle="round,pad=0.35", facecolor="#EAF2F8", edgecolor=COLOURS[0])
    texts = {n: axes.text(*place[n], nodes[n], ha="center", va="center", bbox=box) for n in graph}
    figure.canvas.draw()  # from now on each box knows its size, and arrows can end at it
    for (a, b), rad in bends.items():
        arrow = dict(arrowstyle="-|>", color="#555555", connectionstyle=f"arc3,rad={rad}", shrinkA=0, shrinkB=0,
                     patchA=texts[a].get_bbox_patch(), patchB=texts[b].get_bbox_patch())  # fmt: skip
        axes.annotate("", place[b], place[a], arrowprops=arrow, zorder=4)  # after the boxes have found their size
    return figure


def plain_ticks(axis) -> None:
    """Tick labels such as 0.5 and 20 in place of powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())
