"""Who did what, and when: spans of time recorded in lanes, or read from a profiler's trace, and drawn."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# torch's profiler reads this when torch is imported: its remarks would stand among a page's outputs.
os.environ.setdefault("KINETO_LOG_LEVEL", "99")


class Span(NamedTuple):
    """One bar of a timeline: what ran in which lane, from ``start`` to ``end`` (seconds)."""

    lane: str
    name: str
    start: float
    end: float


class Timeline(list):
    """A list of spans, filled by ``with timeline.span("name"):``; from several threads too."""

    @contextmanager
    def span(self, name: str, lane: str | None = None) -> Iterator[None]:
        """Record the block as one span. The lane is the thread's name unless given."""
        start = time.perf_counter()
        try:
            yield
        finally:
            end = time.perf_counter()
            self.append(Span(lane or threading.current_thread().name, name, start, end))


def read_trace(path: str | Path, keep: Callable[[str], bool] = lambda name: True) -> Timeline:
    """The spans of a trace file in Chrome's format, as torch.profiler and MXNet's profiler write it.

    A lane is one thread of the traced process, or one stream of a GPU. ``keep`` chooses names.
    """
    events = json.loads(Path(path).read_text(encoding="utf-8"))
    events = events["traceEvents"] if isinstance(events, dict) else events
    spans, opened = Timeline(), {}
    for event in events:
        name, kind = event.get("name", ""), event.get("ph")
        if not keep(name) or kind not in ("X", "B", "E"):
            continue
        lane = f"{event.get('pid')} {event.get('tid')}"
        if kind == "X":
            spans.append(Span(lane, name, event["ts"] / 1e6, (event["ts"] + event.get("dur", 0)) / 1e6))
        elif kind == "B":
            opened.setdefault((lane, name), []).append(event["ts"])
        elif opened.get((lane, name)):
            spans.append(Span(lane, name, opened[lane, name].pop() / 1e6, event["ts"] / 1e6))
    return Timeline(sorted(spans, key=lambda span: span.start))


def plot_timeline(panels: Mapping[str, Sequence[Span]], roles: Mapping[str, str] | None = None) -> Figure:
    """Bars in lanes over milliseconds; one panel a title, all on one time axis from its first span.

    The same name has the same colour everywhere. ``roles`` gives names, or what they begin with, the colour of a
    role ("compute", "transfer", "host", "wait", "limit"); several names may share it.

    Raises:
        ValueError: a panel without spans. KeyError: an unknown role.
    """
    from matplotlib.patches import Patch

    from .plots import COLOURS, ROLES, new_figure

    if not all(panels.values()):
        raise ValueError("a panel without spans: nothing was recorded, or `keep` chose nothing")
    lanes = {title: list(dict.fromkeys(span.lane for span in spans)) for title, spans in panels.items()}
    names = list(dict.fromkeys(span.name for spans in panels.values() for span in spans))
    role = {name: ROLES[said] for start, said in (roles or {}).items() for name in names if name.startswith(start)}
    free = [colour for colour in COLOURS if colour not in role.values()] or COLOURS
    others = [name for name in names if name not in role]
    colour = role | {name: free[place % len(free)] for place, name in enumerate(others)}
    heights = [len(rows) for rows in lanes.values()]
    figure, _ = new_figure(7.2, 1.1 + 0.34 * sum(heights) + 0.35 * len(panels))
    figure.clear()
    grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (title, spans) in zip(grid, panels.items(), strict=True):
        zero = min(span.start for span in spans)
        for lane, name, start, end in spans:
            place = lanes[title].index(lane)
            axes.barh(place, (end - start) * 1e3, left=(start - zero) * 1e3, height=0.7, color=colour[name],
                      edgecolor="white", linewidth=0.4)  # fmt: skip
        axes.set_yticks(range(len(lanes[title])), lanes[title])
        axes.invert_yaxis()
        axes.set_title(title)
    grid[-1].set_xlabel("ms")
    figure.legend(handles=[Patch(color=colour[n], label=n) for n in names], loc="outside lower center",
                  ncols=min(4, len(names)))  # fmt: skip
    return figure
