"""Draws images/pipeline.svg: four batches through load, transform, copy and compute, in a row and as a pipeline.

To draw it again: python images/pipeline.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text

GREY = "#e4e2dc"  # waiting
LANES = (("load", 36, ORANGE), ("transform", 28, GREEN), ("copy", 14, ORANGE), ("compute", 52, BLUE))
LEFT, STEP = 150, 30


def in_a_row():
    now = 0
    for batch in range(4):
        for lane, (_, length, _) in enumerate(LANES):
            yield lane, batch, now, length
            now += length


def pipeline():
    free = [0] * len(LANES)
    for batch in range(4):
        ready = 0
        for lane, (_, length, _) in enumerate(LANES):
            start = max(ready, free[lane])
            free[lane] = ready = start + length
            yield lane, batch, start, length


def panel(top, title, bars):
    yield text(24, top, title, "start strong")
    bars = list(bars)
    end = max(start + length for _, _, start, length in bars)
    for lane, (name, _, fill) in enumerate(LANES):
        y = top + 16 + STEP * lane
        yield text(LEFT - 12, y + 11, name, "end")
        if lane == 3:
            first = min(start for n, _, start, _ in bars if n == 3)
            yield box(LEFT + first, y, end - first, 22, "", GREY)
            busy = sorted((start, start + length) for n, _, start, length in bars if n == 3)
            yield from (text(LEFT + (stop + start) / 2, y + 11, "waits", "soft")
                        for (_, stop), (start, _) in zip(busy, busy[1:], strict=False) if start > stop)
        for n, batch, start, length in bars:
            if n == lane:
                yield box(LEFT + start, y, length, 22, str(batch + 1), fill)
    y = top + 16 + STEP * 4 + 6
    yield line((LEFT, y), (LEFT + end, y), kind="both") + text(LEFT - 12, y, "time", "end soft")


if __name__ == "__main__":
    save(__file__, "A pipeline",
         "Two panels with four lanes each: load, transform, copy and compute. In the first panel four batches go "
         "through the lanes one after another, and compute waits, in grey, between them. In the second all lanes work "
         "at the same time on different batches, compute has no gap after its first batch, and the whole takes about "
         "half as long.", 372,
         *panel(26, "in a row: a batch takes the sum of its stages", in_a_row()),
         *panel(206, "as a pipeline: one more batch in the time of the longest stage", pipeline()))
