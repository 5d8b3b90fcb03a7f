"""Draws images/crossings.svg: how often Python enters the library for a network of five operators, and for its graph.

Each network fills one half of the card, so that a phone, which shows half of it at a time, shows one whole network.

To draw it again: python images/crossings.py
"""
from svg import BLUE, GREEN, box, line, save, text

TOP, STEP, WIDE, HIGH = 84, 40, 96, 28  # the first row, from one row to the next, sizes of a box
FRONT, BACK = 18, 194                   # where the boxes of Python and of the engine begin, from the left of a half
OPERATORS = ("product", "ReLU", "product", "ReLU", "product")


def half(left, title, crossings):
    """Python at the left, the engine with five operators at the right; an arrow across is a crossing that runs."""
    front, back = left + FRONT, left + BACK
    yield text(front, 22, title, "start strong")
    for x, words in ((front, "Python"), (back, "engine")):
        yield text(x + WIDE / 2, 60, words, "soft")
    for row, words in enumerate(OPERATORS):
        y = TOP + STEP * row
        yield box(back, y, WIDE, HIGH, words, BLUE)
        if row < crossings:
            yield box(front, y, WIDE, HIGH, "graph" if crossings == 1 else f"layer {row // 2 + 1}", GREEN)
            yield line((front + WIDE, y + HIGH / 2), (back - 1, y + HIGH / 2), kind="to")
        if row and crossings == 1:
            yield line((back + WIDE / 2, y - STEP + HIGH), (back + WIDE / 2, y - 1), kind="to")


if __name__ == "__main__":
    save(__file__, "Crossings from Python into the library",
         "At the left, the imperative network: five arrows lead from Python to the engine, one for each of the "
         "operators product, ReLU, product, ReLU, product. At the right, the graph: one arrow leads across, and the "
         "five operators follow one another without Python.", TOP + STEP * 5 + 6,
         *half(0, "imperative: five crossings run it", 5),
         *half(360, "hybridized: one crossing runs it", 1))
