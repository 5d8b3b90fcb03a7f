"""Draws images/sets.svg, how an address finds its place in a cache of sets and ways.

To draw it again: python images/sets.py
"""
from svg import BLUE, ORANGE, VIOLET, WHITE, box, line, save, text

LEFT, TOP, WIDE, HIGH = 392, 150, 62, 34


def address():
    yield text(24, 28, "an address", "start strong")
    for x, width, words, fill in ((24, 336, "tag: which line it is", WHITE), (360, 170, "set: 6 bits", VIOLET),
                                  (530, 150, "byte in the line: 6 bits", BLUE)):
        yield box(x, 42, width, 34, words, fill)
    yield line((445, 76), (445, 108), (376, 108), (376, 167), (392, 167), kind="to")


def cache():
    yield text(LEFT + 2 * WIDE, 136, "a cache of 64 sets and 4 ways", "strong")
    for row, name in enumerate(("set 0", "set 1", "…", "set 63")):
        y = TOP + row * (HIGH + 8)
        for way in range(4):
            words = f"{way * 4096}" if row == 0 else ""
            yield box(LEFT + way * WIDE, y, WIDE, HIGH, words, ORANGE if row == 0 else BLUE)
        yield text(LEFT + 4 * WIDE + 8, y + HIGH / 2, name, "start soft")


def lines():
    yield text(24, 136, "lines 4096 bytes apart", "start strong")
    for number in range(5):
        y = TOP + number * 34
        yield box(24, y, 190, 28, f"line at {number * 4096}", ORANGE if number < 4 else WHITE)
        yield line((214, y + 14), (300, y + 14), (300, 167), (330, 167))
    yield line((330, 167), (376, 167)) + text(226, 338, "the fifth throws one of the four out,", "start soft")
    yield text(226, 356, "though all other sets stand empty", "start soft") + line((214, 300), (222, 338))


if __name__ == "__main__":
    save(__file__, "Sets and ways",
         "Six bits of an address choose one of 64 sets, six more the byte in a line of 64 bytes. Lines that lie 4096 "
         "bytes apart have the same six bits and fall into set 0. It has four ways, so it holds four of them; the "
         "fifth throws one out, though all other sets are empty.",
         380, *address(), *cache(), *lines())
