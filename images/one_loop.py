"""Draws images/one_loop.svg: one Python loop feeds the lanes of two devices.

To draw it again: python images/one_loop.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text

GREY, UNIT, LEFT, LANE = "#e4e4e2", 71, 92, 34  # pixels for a unit of time, where time starts, height of a lane


def bar(y, start, end, words, fill):
    return box(LEFT + UNIT * start, y, UNIT * (end - start), LANE, words, fill)


def drawing():
    python, zero, one = 16, 92, 140
    for y, words in ((python, "Python"), (zero, "cpu(0)"), (one, "cpu(1)")):
        yield text(LEFT - 10, y + LANE / 2, words, "end soft")
    yield bar(python, 0, 2.6, "queue a whole step", GREEN) + bar(python, 2.6, 8, "wait for all", GREY)
    yield bar(zero, 0.4, 2.4, "forward", BLUE) + bar(zero, 2.4, 6.6, "backward", BLUE)
    yield bar(zero, 6.6, 7.2, "sum", ORANGE) + bar(zero, 7.2, 8, "update", BLUE)
    yield bar(one, 0.6, 2.6, "forward", BLUE) + bar(one, 2.6, 6.5, "backward", BLUE)
    yield bar(one, 7.2, 8, "update", BLUE)
    yield line((LEFT + UNIT * 6.5, one + LANE / 2), (LEFT + UNIT * 6.75, zero + LANE + 2), kind="to")
    yield line((LEFT + UNIT * 7.1, zero + LANE), (LEFT + UNIT * 7.3, one - 2), kind="to")
    yield line((LEFT + UNIT * 0.3, python + LANE), (LEFT + UNIT * 0.5, zero - 2), kind="to")
    yield line((LEFT + UNIT * 0.2, python + LANE), (LEFT + UNIT * 0.2, one + LANE / 2))
    yield line((LEFT + UNIT * 0.2, one + LANE / 2), (LEFT + UNIT * 0.6 - 2, one + LANE / 2), kind="to")
    yield line((LEFT + UNIT * 8, zero), (LEFT + UNIT * 8, python + LANE + 2), kind="to")
    yield text(LEFT + UNIT * 0.62, python + LANE + 16, "operators, in order", "start soft")
    yield text(LEFT + UNIT * 7.85, python + LANE + 16, "all is done", "end soft")
    yield text(LEFT, one + LANE + 18, "with a core for each; not to scale", "start soft")


if __name__ == "__main__":
    save(__file__, "A training step of one process on two devices",
         "Three lanes. Python queues a whole step and then waits for all. On cpu(0) and on cpu(1) forward and "
         "backward pass run side by side. The gradient of cpu(1) goes to cpu(0), the sum goes back, both update.",
         212, *drawing())
