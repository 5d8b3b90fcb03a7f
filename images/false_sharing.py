"""Draws images/false_sharing.svg: two threads, two counters, one cache line.

To draw it again: python images/false_sharing.py
"""
from svg import BLUE, WHITE, box, frame, grid, line, save, text

CELL = 26  # a cache line has eight words of 8 bytes


def core(x, y, name, word):
    """A core whose cache holds one line, of which it writes one word."""
    return [box(x, y, 276, 96, "", WHITE), text(x + 12, y + 16, f"{name}: adds to word {word}", "start"),
            text(x + 12, y + 76, "its cache", "start soft"), grid(x + 46, y + 34, 8, 1, CELL, BLUE, {(word, 0)})]


def draw():
    yield frame(24, 20, 656, 168, "False sharing: two counters in one line")
    yield from core(40, 48, "core 0", 0)
    yield from core(388, 48, "core 1", 1)
    yield line((316, 84), (388, 84), kind="both")
    yield text(352, 168, "each write takes the whole line away from the other core")
    yield frame(24, 204, 656, 168, "Padded: a line for each counter")
    yield from core(40, 232, "core 0", 0)
    yield from core(388, 232, "core 1", 0)
    yield text(352, 352, "each line stays where it is")
    yield grid(196, 390, 1, 1, 18, BLUE, {(0, 0)}) + text(222, 399, "written", "start")
    yield grid(300, 390, 1, 1, 18, BLUE) + text(326, 399, "not used by this core, but carried along", "start")


if __name__ == "__main__":
    save(__file__, "False sharing",
         "Above, core 0 adds to word 0 and core 1 to word 1 of one cache line: the "
         "line goes to and fro between their caches. Below, each counter has its own line, and no line moves.", 424,
         *draw())
