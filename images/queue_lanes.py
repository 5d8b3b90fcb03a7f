"""Draws images/queue_lanes.svg: front end and back end in two lanes, with a wait after each task and with one wait.

To draw it again: python images/queue_lanes.py
"""
from svg import BLUE, GREEN, box, line, save, text

GREY, UNIT, LEFT, LANE = "#e4e4e2", 52, 104, 28  # pixels for a unit of time, where time starts, height of a lane
T3 = 0.5


def lanes(top, title, ask, compute, count, together):
    """One panel: `count` tasks, asked for in `ask` units and computed in `compute`, with one wait or one for each."""
    yield text(18, top, title, "start strong")
    front, back = top + 16, top + 16 + LANE + 4
    for y, words in ((front, "front end"), (back, "back end")):
        yield text(LEFT - 10, y + LANE / 2, words, "end soft")

    def bar(y, start, end, words, fill):
        return box(LEFT + UNIT * start, y, UNIT * (end - start), LANE, words, fill)

    now = free = 0
    for task in range(1, count + 1):
        asked = now + ask
        yield bar(front, now, asked, f"ask {task}", GREEN)
        begin = max(asked, free)
        free = begin + compute
        yield bar(back, begin, free, f"compute {task}" if compute > 1 else f"{task}", BLUE)
        now = asked
        if not together or task == count:
            yield bar(front, now, free + T3, "wait", GREY)
            heard = (LEFT + UNIT * (free + T3) - 2, front + LANE + 3)
            yield line((LEFT + UNIT * free, back + LANE / 2), heard, kind="to")
            now = free + T3
    yield text(LEFT + UNIT * now + 8, front + LANE + 2, f"{now:g}", "start strong")


if __name__ == "__main__":
    save(__file__, "The time of a queue, in two lanes",
         "Three panels with a lane for the front end and one for the back end, three tasks each. Waiting after each "
         "task, asking, computing and hearing back follow one another. Waiting once, the back end computes without "
         "a pause if computing takes longer than asking; if it is shorter, the front end asks without a pause.", 296,
         *lanes(22, "A wait after each task:  3 (t₁ + t₂ + t₃)", 1, 2, 3, False),
         *lanes(116, "One wait, computing takes longer:  t₁ + 3 t₂ + t₃", 1, 2, 3, True),
         *lanes(210, "One wait, asking takes longer:  3 t₁ + t₂ + t₃", 2, 1, 3, True))
