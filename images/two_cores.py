"""Draws images/two_cores.svg: Python and two lanes on two cores, which leaves two ways to share.

To draw it again: python images/two_cores.py
"""
from svg import BLUE, GREEN, box, line, save, text

LEFT, UNIT, LANE = 66, 64, 28  # pixels: where time starts, a unit of it, the height of a core
WIDTH = 350


def cores(top, words, *bars):
    """A heading, and under it two cores with their bars: (core, start, end, words, fill)."""
    yield text(12, top, words, "start strong")
    for core in (0, 1):
        yield text(LEFT - 10, top + 34 + 36 * core, f"core {core}", "end soft")
    for core, start, end, name, fill in bars:
        yield box(LEFT + UNIT * start, top + 20 + 36 * core, UNIT * (end - start), LANE, name, fill)


def end(top, time):
    return line((LEFT + UNIT * time, top + 14), (LEFT + UNIT * time, top + 90))


def drawing():
    yield from cores(20, "both lanes share a core", (0, 0, 1.8, "Python", GREEN),
                     (1, 0, 1.2, "lane 0", BLUE), (1, 1.2, 2.4, "lane 1", BLUE))
    yield end(20, 2.4)
    yield from cores(140, "Python shares with a lane", (0, 0, 1.8, "Python", GREEN),
                     (0, 1.8, 3, "lane 0", BLUE), (1, 0, 1.2, "lane 1", BLUE))
    yield end(140, 3)
    yield text(12, 246, "Sharing threads take turns. Not to scale.", "start soft")


if __name__ == "__main__":
    save(__file__, "Two ways to share two cores among Python and two lanes",
         "Above: Python has core 0, both lanes share core 1, and the step ends with the longer of the two cores. "
         "Below: Python and lane 0 share core 0, lane 1 has core 1, and the step ends with core 0.",
         264, *drawing(), width=WIDTH)
