"""Draws images/warps.svg, how a GPU hides the time of a load behind other warps.

To draw it again: python images/warps.py
"""
from svg import ORANGE, WHITE, box, line, save, text

LEFT, STEP = 110, 62


def warps(top, number, names):
    """Each warp computes for one step and then waits for its load; one of them computes at a time."""
    for warp in range(number):
        y = top + warp * 34
        yield text(96, y + 13, names.format(warp), "end")
        for start in range(warp, 9, 4):
            yield box(LEFT + start * STEP, y, STEP, 26, "compute", ORANGE)
            wait = min(3, 9 - start - 1)
            words = "wait for a load" if wait > 1 else "wait"
            if wait:
                yield box(LEFT + (start + 1) * STEP, y, wait * STEP, 26, words, WHITE)


def draw():
    yield text(24, 28, "one warp: the lanes idle while its load is on the way", "start strong")
    yield from warps(44, 1, "warp {}")
    yield text(24, 104, "four warps: whenever one waits, the scheduler takes another", "start strong")
    yield from warps(120, 4, "warp {}")
    yield box(LEFT, 262, 9 * STEP, 24, "the lanes: busy all the time", ORANGE)
    yield line((LEFT, 304), (LEFT + 9 * STEP, 304), kind="to") + text(LEFT + 9 * STEP / 2, 320, "time", "soft")


if __name__ == "__main__":
    save(__file__, "Warps hide latency",
         "Above, one warp computes for one step and waits three for its load, so that the lanes idle. Below, four "
         "warps take turns: while three wait, the fourth computes, and the lanes are busy all the time.",
         336, *draw())
