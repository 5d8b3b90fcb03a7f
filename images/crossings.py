"""Draws images/crossings.svg: how often Python enters the library for a network of five operators, and for its graph.

To draw it again: python images/crossings.py
"""
from svg import BLUE, GREEN, box, line, save, text

LEFT, STEP, WIDE, LANE = 132, 110, 96, 30  # where the lanes begin, from one operator to the next, sizes of a box
OPERATORS = ("product", "ReLU", "product", "ReLU", "product")


def lanes(top, title, crossings):
    """Python above, the engine below with five operators; an arrow down is a crossing that runs something."""
    yield text(18, top, title, "start strong")
    front, back = top + 18, top + 18 + LANE + 30
    for y, words in ((front, "Python"), (back, "engine")):
        yield text(LEFT - 12, y + LANE / 2, words, "end soft")
    middles = [LEFT + STEP * i + WIDE / 2 for i in range(len(OPERATORS))]
    for middle, words in zip(middles, OPERATORS, strict=True):
        yield box(middle - WIDE / 2, back, WIDE, LANE, words, BLUE)
    for number, middle in enumerate(middles[:crossings], 1):
        words = "graph" if crossings == 1 else f"layer {(number + 1) // 2}"
        yield box(middle - WIDE / 2, front, WIDE, LANE, words, GREEN)
        yield line((middle, front + LANE), (middle, back - 1), kind="to")
    for left, right in zip(middles, middles[1:], strict=False):
        if crossings == 1:
            yield line((left + WIDE / 2, back + LANE / 2), (right - WIDE / 2 - 1, back + LANE / 2), kind="to")


if __name__ == "__main__":
    save(__file__, "Crossings from Python into the library",
         "Above, the imperative network: five arrows lead from Python to the engine, one for each of the operators "
         "product, ReLU, product, ReLU, product. Below, the graph: one arrow leads down, and the five operators "
         "follow one another without Python.", 274,
         *lanes(22, "imperative: five crossings run five operators", 5),
         *lanes(152, "hybridized: one crossing runs the graph", 1))
