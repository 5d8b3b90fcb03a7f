"""Draws images/two_cores.svg: a step with a large batch on two cores, with one device and with two.

To draw it again: python images/two_cores.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text

LEFT, UNIT, LANE = 66, 34, 24  # pixels: where time starts, a unit of it, the height of a core
PYTHON, HALF, ADDING, WIDTH = 2.9, 4.4, 0.5, 386
START = 0.15  # a lane has to wait for its first operator


def cores(top, words, *bars):
    """A heading, two cores with their bars (core, start, end, words, fill), and a line where the step ends."""
    yield text(12, top, words, "start strong")
    for core in (0, 1):
        yield text(LEFT - 10, top + 28 + 29 * core, f"core {core}", "end soft")
    for core, start, end, name, fill in bars:
        yield box(LEFT + UNIT * start, top + 16 + 29 * core, UNIT * (end - start), LANE, name, fill)
    end = max(bar[2] for bar in bars)
    yield line((LEFT + UNIT * end, top + 11), (LEFT + UNIT * end, top + 74))


def drawing():
    yield from cores(20, "one device", (0, 0, PYTHON / 2, "Python", GREEN),
                     (1, START, START + 2 * HALF, "lane 0: all images", BLUE))
    yield from cores(120, "two devices", (0, 0, PYTHON, "Python", GREEN),
                     (0, PYTHON, PYTHON + HALF, "lane 0: half", BLUE), (1, START, START + HALF, "lane 1: half", BLUE),
                     (0, PYTHON + HALF, PYTHON + HALF + ADDING, "", ORANGE))
    yield text(LEFT + UNIT * (PYTHON + HALF + ADDING) - 5, 129, "adding", "end soft")
    one, two = START + 2 * HALF, PYTHON + HALF + ADDING
    yield line((LEFT + UNIT * one, 136), (LEFT + UNIT * one, 194))
    yield text(LEFT + UNIT * (one + two) / 2, 183, "saved", "soft")
    yield text(12, 214, "On core 0 the two may also take turns.", "start soft")


if __name__ == "__main__":
    save(__file__, "A step with a large batch on two cores, with one device and with two",
         "With one device Python has core 0, and lane 0 computes all images on core 1. With two devices Python and "
         "lane 0 share core 0: Python, half of the images, the adding. Lane 1 computes the other half on "
         "core 1. The second ends earlier; the distance is marked as saved.",
         232, *drawing(), width=WIDTH)
