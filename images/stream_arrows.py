"""Draws images/stream_arrows.svg: products and copies in two streams, and the three waits between them and Python.

To draw it again: python images/stream_arrows.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text

LEFT, UNIT, HIGH, WIDTH = 88, 84, 30, 400  # where time 0 is; a product's time; a bar's height; the card, for a phone
PRODUCTS, COPIES, PYTHON = 24, 112, 200    # where each row begins
COPY, LEAN = 0.7, 0.15                     # a copy's time, and that of an arrow, in products


def bar(row, start, length, words, fill):
    return box(LEFT + UNIT * start, row, UNIT * length, HIGH, words, fill)


def arrow(words, side, start, y, end, to):
    """An arrow from one place in time to another, with its name on one side of it."""
    x1, x2 = LEFT + UNIT * start, LEFT + UNIT * end
    yield line((x1, y), (x2, to), kind="to")
    yield text((x1 + x2) / 2 + (10 if side == "start" else -10), (y + to) / 2, words, side)


if __name__ == "__main__":
    begun = 1 + LEAN
    copied = begun + COPY
    save(__file__, "Three arrows between two streams and Python",
         "Three rows over one time axis. One stream computes products into y1, into y2, and into y1 again. Another "
         "copies y1, then y2. Arrow 1, read after write, leads from the end of the first product to the copy of y1. "
         "Arrow 2, write after read, leads from the end of that copy to the next product into y1. Arrow 3 leads from "
         "the end of that copy to Python, which waits for it and then reads.", 276,
         *(text(LEFT - 12, row + HIGH / 2, words, "end strong")
           for row, words in ((PRODUCTS, "products"), (COPIES, "copies"), (PYTHON, "Python"))),
         *(bar(PRODUCTS, start, 1, f"into {y}", BLUE) for start, y in enumerate(("y₁", "y₂", "y₁"))),
         bar(COPIES, begun, COPY, "copy y₁", ORANGE), bar(COPIES, 2 + LEAN, COPY, "copy y₂", ORANGE),
         bar(PYTHON, copied + LEAN, 1, "read copy", GREEN),
         *arrow("1: read after write", "end", 1, PRODUCTS + HIGH, begun, COPIES),
         *arrow("2: write after read", "start", copied, COPIES, 2, PRODUCTS + HIGH),
         *arrow("3: Python waits", "end", copied, COPIES + HIGH, copied + LEAN, PYTHON),
         line((LEFT, 246), (LEFT + 3.55 * UNIT, 246), kind="to"),
         text(LEFT + 3.4 * UNIT, 260, "time", "soft"), width=WIDTH)
