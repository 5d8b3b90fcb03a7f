"""Draws images/false_sharing.svg: two threads, two counters, one cache line.

To draw it again: python images/false_sharing.py
"""
from svg import BLUE, ORANGE, WHITE, box, frame, grid, line, save, text

CELL = 26  # a cache line has eight words of 8 bytes


def core(x, y, name, letters, counter, fill=BLUE):
    """A core whose cache holds one line, with a letter in each word that is a counter; it adds to one of them."""
    marked = {(letters.index(counter), 0)} if fill == BLUE else ()
    yield box(x, y, 276, 84, "", WHITE) + text(x + 34, y + 20, f"{name} adds to {counter}; its cache:", "start")
    yield grid(x + 34, y + 40, 8, 1, CELL, fill, marked)
    yield from (text(x + 34 + CELL * (i + 0.5), y + 40 + CELL / 2, letter) for i, letter in enumerate(letters))


def draw():
    yield frame(24, 24, 656, 166, "False sharing: two counters in one line")
    yield from core(40, 56, "core 0", "ab", "a")
    yield from core(388, 56, "core 1", "ab", "b", WHITE)
    yield line((288, 109), (416, 109), kind="both")
    yield text(352, 166, "each write takes the whole line from the other core, which must fetch it back")
    yield frame(24, 208, 656, 166, "Padded: a line for each counter")
    yield from core(40, 240, "core 0", "a", "a")
    yield from core(388, 240, "core 1", "b", "b")
    yield text(352, 350, "each line stays in the cache of its core")
    legend = (133, ORANGE, "written"), (249, BLUE, "carried along"), (407, WHITE, "lost to the other core")
    for x, fill, words in legend:
        yield grid(x, 391, 1, 1, 18, fill) + text(x + 27, 400, words, "start")


if __name__ == "__main__":
    save(__file__, "False sharing",
         "Above, core 0 adds to counter a and core 1 to counter b of one cache line: a write by one core makes the "
         "other's copy invalid, and the line goes to and fro. Below, each counter has its own line, and no line "
         "moves.",
         426, *draw())
