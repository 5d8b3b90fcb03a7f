"""Draws images/core.svg, a core's pipeline and one instruction for many numbers.

To draw it again: python images/core.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, box, frame, grid, line, save, text

PORTS = [("integer", BLUE), ("integer", BLUE), ("multiply-add", ORANGE), ("multiply-add", ORANGE), ("load", GREEN),
         ("store", GREEN)]


def pipeline():
    stages = [(24, "fetch"), (126, "decode"), (228, "rename"), (330, "schedule")]
    yield from (box(x, 112, 82, 46, name, VIOLET) for x, name in stages)
    yield from (line((x + 82, 135), (x + 102, 135), kind="to") for x, _ in stages[:3])
    for i, (name, fill) in enumerate(PORTS):
        y = 27 + 36 * i
        yield line((412, 135), (432, 135), (432, y + 14), (452, y + 14), kind="to")
        yield box(452, y, 112, 28, name, fill)
        yield line((564, y + 14), (584, y + 14), (584, 135), (604, 135), kind="to")
    yield box(604, 112, 76, 46, "retire\nin order", VIOLET)
    yield box(24, 36, 184, 40, "branch predictor", VIOLET)
    yield line((65, 76), (65, 112), kind="to")
    yield text(24, 182, "guessed wrong: all that was begun is thrown away", "start soft")
    yield text(24, 220, "several instructions enter at each clock tick,\nand go on when their operands are there",
               "start soft")


def lanes():
    yield frame(24, 262, 656, 150, "One instruction, many numbers")
    for x, count, words in ((60, 1, "scalar: one sum"), (250, 8, "SIMD: eight sums at once")):
        for row, (name, fill) in enumerate((("a", BLUE), ("b", BLUE), ("a + b", ORANGE))):
            y = 290 + 30 * row
            yield grid(x + 44, y, count, 1, 24, fill)
            yield text(x + 36, y + 12, name, "end")
        yield text(x, 395, words, "start soft")
    yield text(500, 320, "the same instruction,\nthe same time", "start soft")


if __name__ == "__main__":
    save(__file__, "A core's pipeline, and SIMD",
         "Instructions are fetched where the predictor guesses, decoded, "
         "renamed and scheduled to six ports: two for integers, two for multiply-adds, one to load, one to store. They "
         "retire in order. Below, one instruction adds one pair of numbers, or eight pairs in the same time.", 430,
         *pipeline(), *lanes())
