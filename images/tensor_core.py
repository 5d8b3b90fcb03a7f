"""Draws images/tensor_core.svg, the step of a tensor core.

To draw it again: python images/tensor_core.py
"""
from svg import BLUE, GREEN, grid, save, text

CELL, NARROW = 30, "narrow: float16,\nbfloat16, float8"


def matrix(x, name, kind, fill, marked):
    return grid(x, 52, 4, 4, CELL, fill, marked) + text(x + 60, 34, name, "strong") + text(x + 60, 196, kind, "soft")


def draw():
    yield matrix(36, "D", "wide: float32", GREEN, [(2, 1)])
    yield matrix(207, "A", NARROW, BLUE, [(c, 1) for c in range(4)])
    yield matrix(377, "B", NARROW, BLUE, [(2, r) for r in range(4)])
    yield matrix(548, "C", "wide: float32", GREEN, [(2, 1)])
    yield from (text(x, 112, sign, "strong") for x, sign in ((181.5, "="), (352, "×"), (522.5, "+")))
    yield text(352, 242, "orange: a row of A times a column of B, added to a number of C, is a number of D")
    yield text(352, 268, "a tensor core makes the whole tile in one step; newer ones take larger tiles", "soft")


if __name__ == "__main__":
    save(__file__, "The step of a tensor core",
         "D = A × B + C for tiles of 4 by 4 numbers. A and B are narrow, C and D wide. A row of A, a column of B "
         "and a number of C are marked, and the one number of D that they make.",
         294, *draw())
