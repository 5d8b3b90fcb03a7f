"""Draws images/two_cores.svg: Python and two lanes on two cores, which leaves two ways to share, for two batches.

To draw it again: python images/two_cores.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text

LEFT, UNIT, LANE = 66, 41, 24  # pixels: where time starts, a unit of it, the height of a core
PYTHON, ADDING, WIDTH = 2.4, 0.5, 350


def cores(top, words, *bars):
    """A heading, two cores with their bars (core, start, end, words, fill), and a line where the step ends."""
    yield text(12, top, words, "start strong")
    for core in (0, 1):
        yield text(LEFT - 10, top + 28 + 29 * core, f"core {core}", "end soft")
    for core, start, end, name, fill in bars:
        yield box(LEFT + UNIT * start, top + 16 + 29 * core, UNIT * (end - start), LANE, name, fill)
    end = max(bar[2] for bar in bars)
    yield line((LEFT + UNIT * end, top + 11), (LEFT + UNIT * end, top + 74))


def both(top, batch, lane):
    """The two schedules of one batch."""
    yield from cores(top, f"{batch} batch: the lanes share", (0, 0, PYTHON, "Python", GREEN),
                     (1, 0, lane, "lane 0", BLUE), (1, lane, 2 * lane, "lane 1", BLUE),
                     (1, 2 * lane, 2 * lane + ADDING, "", ORANGE))
    yield from cores(top + 98, f"{batch} batch: Python shares with a lane", (0, 0, PYTHON, "Python", GREEN),
                     (0, PYTHON, PYTHON + lane, "lane 0", BLUE), (1, 0, lane, "lane 1", BLUE),
                     (0, PYTHON + lane, PYTHON + lane + ADDING, "", ORANGE))


def drawing():
    yield from both(20, "small", 1.5)
    yield line((12, 212), (WIDTH - 12, 212))
    yield from both(236, "large", 3)
    yield text(12, 428, "Orange: adding. Sharers take turns.", "start soft")


if __name__ == "__main__":
    save(__file__, "Two ways to share two cores among Python and two lanes, for a small and a large batch",
         "With a small batch the step ends earlier where both lanes share core 1 and Python has core 0. "
         "With a large batch it ends earlier where Python and lane 0 share core 0 and lane 1 has core 1.",
         446, *drawing(), width=WIDTH)
