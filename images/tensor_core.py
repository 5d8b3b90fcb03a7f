"""Draws images/tensor_core.svg, the step of a tensor core.

To draw it again: python images/tensor_core.py
"""
from svg import BLUE, GREEN, grid, line, save, text

CELL = 30


def matrix(x, name, kind, fill, marked):
    return grid(x, 70, 4, 4, CELL, fill, marked) + text(x + 60, 50, name, "strong") + text(x + 60, 212, kind, "soft")


def draw():
    yield matrix(36, "A", "narrow numbers:\nfloat16, bfloat16, float8", BLUE, {(c, 1) for c in range(4)})
    yield matrix(212, "B", "narrow numbers", BLUE, {(2, r) for r in range(4)})
    yield matrix(388, "C", "wide sums:\nfloat32", GREEN, {(2, 1)})
    yield matrix(564, "D", "wide sums:\nfloat32", GREEN, {(2, 1)})
    for x, sign in ((184, "×"), (360, "+"), (536, "=")):
        yield text(x, 130, sign, "strong")
    yield line((654, 115), (694, 115), (694, 262), (590, 262))
    yield text(580, 262, "one number of D: a row of A times a column of B, added to C", "end")
    yield text(352, 296, "a tensor core makes all sixteen in one instruction; today's cores take larger tiles", "soft")


if __name__ == "__main__":
    save(__file__, "The step of a tensor core",
         "D = A × B + C for tiles of 4 by 4 numbers. A and B are narrow, C and D wide "
         "sums. A row of A and a column of B are marked, and the one number of D that they make.", 320, *draw())
