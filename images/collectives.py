"""Draws images/collectives.svg: seven collectives and all-reduce, each as a table of ranks before and after.

To draw it again: python images/collectives.py
"""
from itertools import groupby

from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, grid, line, save, text

OWN, CELL, N = (BLUE, GREEN, ORANGE, VIOLET), 17, 4
ALL = range(N)
SUM = (WHITE, "Σ")


def own(rank, part):
    return OWN[rank], str(part)


FULL = {(r, p): own(r, p) for r in ALL for p in ALL}
ROOT = {(0, p): own(0, p) for p in ALL}
PARTS = {(r, r): own(r, r) for r in ALL}
SUMS = {(r, p): SUM for r in ALL for p in ALL}
FAMILY = (
    ("broadcast", ROOT, {(r, p): own(0, p) for r in ALL for p in ALL}),
    ("scatter", ROOT, {(r, r): own(0, r) for r in ALL}),
    ("gather", PARTS, {(0, p): own(p, p) for p in ALL}),
    ("reduce", FULL, {(0, p): SUM for p in ALL}),
    ("all-gather", PARTS, {(r, p): own(p, p) for r in ALL for p in ALL}),
    ("reduce-scatter", FULL, {(r, r): SUM for r in ALL}),
    ("all-to-all", FULL, {(r, s): own(s, r) for r in ALL for s in ALL}),
    ("all-reduce", FULL, SUMS),
)


def table(x, y, cells):
    """Neighbours of one colour are one box: the page carries every letter of this drawing."""
    for r in ALL:
        row = [(p, *cells[r, p]) for p in ALL if (r, p) in cells]
        for fill, group in groupby(row, key=lambda cell: cell[1]):
            first, *rest = (p for p, *_ in group)
            wide = CELL * (1 + len(rest))
            yield f'<rect x="{x + CELL * first}" y="{y + CELL * r}" width="{wide}" height="{CELL}" fill="{fill}"/>'
        yield from (text(x + CELL * p + CELL / 2, y + CELL * r + CELL / 2, words) for p, _, words in row)
    yield grid(x, y, N, N, CELL, "none")


def panel(x, y, name, before, after):
    yield text(x + 82, y + 10, name, "strong")
    yield from table(x, y + 24, before)
    yield line((x + 72, y + 58), (x + 92, y + 58), kind="to")
    yield from table(x + 96, y + 24, after)


if __name__ == "__main__":
    panels = (part for i, (name, before, after) in enumerate(FAMILY)
              for part in panel(10 + 174 * (i % 4), 20 + 116 * (i // 4), name, before, after))
    save(__file__, "The family of collectives",
         "Eight panels, each a table of four ranks by four parts before and after: broadcast, scatter, gather, reduce, "
         "all-gather, reduce-scatter, all-to-all and, in a frame of its own, all-reduce.", 286,
         *panels, box(526, 133, 173, 102, fill="none", kind="frame"),
         text(352, 264, "a row is a rank, a number is a part of a vector, a colour says whose; "
                       "Σ is summed over all ranks", "soft"))
