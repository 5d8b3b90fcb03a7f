"""Draws images/lanes.svg: two pieces of work, one after the other and in two lanes, with the bounds max and sum.

To draw it again: python images/lanes.py
"""
from svg import BLUE, INK, ORANGE, box, line, save, text

LEFT, HIGH = 168, 30              # where time 0 is; the height of a bar
LONG, SHORT, SLOWED = 260, 170, 322  # the two pieces; the long one where both share something


def bar(start, length, y, words, fill):
    return box(LEFT + start, y, length, HIGH, words, fill)


def lanes(y, words, first, second):
    """One panel: its title on the left, and the bars of two lanes."""
    yield text(16, y + HIGH + 2, words, "start strong")
    yield bar(0, first, y, "a product", BLUE)
    yield bar(0, second, y + HIGH + 4, "a copy", ORANGE)


def bound(length, words):
    x = LEFT + length
    yield f'<path d="M{x} 40V322" stroke-dasharray="5 4" style="stroke:{INK}"/>'
    yield text(x, 26, words, "strong")


def span(start, end, y, words):
    yield line((LEFT + start + 2, y), (LEFT + end - 2, y), kind="both")
    yield text(LEFT + (start + end) / 2, y + 15, words, "soft")


if __name__ == "__main__":
    total = LONG + SHORT
    save(__file__, "Two pieces of work in two lanes",
         "Three panels over one time axis. One after the other, a product and a copy take the sum of their times. In "
         "two lanes that share nothing they take the longer of the two, max. In two lanes that share something each "
         "is slowed, and the time T lies between. Max to sum is what can be saved, T to sum is what is saved.", 344,
         *bound(LONG, "max"), *bound(total, "sum"),
         text(16, 62, "one thread", "start strong"),
         bar(0, LONG, 46, "a product", BLUE), bar(LONG, SHORT, 46, "a copy", ORANGE),
         *lanes(104, "two lanes,\nnothing shared", LONG, SHORT),
         *span(LONG, total, 136, "can be saved"),
         *lanes(196, "two lanes,\nsomething shared", SLOWED, 236),
         text(LEFT + SLOWED + 14, 211, "T", "start strong"),
         *span(SLOWED, total, 240, "is saved"),
         line((LEFT, 40), (LEFT, 300)), line((LEFT, 300), (LEFT + total + 80, 300), kind="to"),
         text(LEFT + total + 66, 316, "time", "soft"))
