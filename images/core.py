"""Draws images/core.svg, a core's pipeline and one instruction for many numbers.

To draw it again: python images/core.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, box, frame, grid, line, save, text

PORTS = [("integer", ORANGE), ("integer", ORANGE), ("multiply-add", ORANGE), ("multiply-add", ORANGE), ("load", GREEN),
         ("store", GREEN)]


def pipeline():
    stages = [(24, "fetch"), (126, "decode"), (228, "rename"), (330, "schedule")]
    yield box(24, 44, 184, 40, "branch predictor", VIOLET) + line((65, 84), (65, 128), kind="to")
    yield text(220, 64, "a wrong guess throws away\nall that was begun after it", "start soft")
    yield from (box(x, 128, 82, 46, name, VIOLET) for x, name in stages)
    yield from (line((x + 82, 151), (x + 102, 151), kind="to") for x, _ in stages[:3])
    yield line((24, 184), (24, 190), (310, 190), (310, 184))
    yield text(167, 206, "front end: several instructions a tick", "soft")
    yield text(422, 232, "each waits only for its own operands", "end soft")
    yield text(508, 26, "ports, in any order", "soft")
    for i, (name, fill) in enumerate(PORTS):
        y = 57 + 37.6 * i
        yield line((412, 151), (432, 151), (432, y), (452, y), kind="to")
        yield box(452, y - 14, 112, 28, name, fill)
        yield line((564, y), (584, y), (584, 151), (604, 151), kind="to")
    yield box(604, 128, 76, 46, "retire\nin order", VIOLET)


def lanes():
    yield frame(24, 284, 656, 170, "One instruction, many numbers")
    for x, count, words in ((104, 1, "scalar: one sum"), (264, 8, "SIMD: eight sums of float32 in 256 bits")):
        for row, (name, fill) in enumerate((("a", BLUE), ("b", BLUE), ("a + b", ORANGE))):
            y = 318 + 31 * row
            yield grid(x, y, count, 1, 24, fill) + text(x - 10, y + 12, name, "end")
        yield text(x - 50, 432, words, "start soft")
    yield text(486, 361, "one instruction each,\nin the same time", "start soft")


if __name__ == "__main__":
    save(__file__, "A core's pipeline, and SIMD",
         "Instructions are fetched where the predictor guesses, decoded, renamed and scheduled to six ports: two "
         "for integers, two for multiply-adds, one to load, one to store. They retire in order. Below, one "
         "instruction adds one pair of numbers, or eight pairs in the same time.",
         478, *pipeline(), *lanes())
