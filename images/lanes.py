"""Draws images/lanes.svg: two pieces of work, one after the other and in two lanes, between the longer and the sum.

To draw it again: python images/lanes.py
"""
from svg import BLUE, INK, ORANGE, box, line, save, text

LEFT, HIGH, WIDTH = 22, 28, 400      # where time 0 is; the height of a bar; the card, which fits a phone
LONG, SHORT, SLOWED = 215, 128, 265  # the two pieces; the long one where both share something


def bar(start, length, y, words, fill):
    return box(LEFT + start, y, length, HIGH, words, fill)


def lanes(y, words, first, second):
    """One panel: its title, and below it the bars of two lanes."""
    yield text(LEFT + 6, y - 14, words, "start strong")
    yield bar(0, first, y, "a product", BLUE)
    yield bar(0, second, y + HIGH + 4, "a copy", ORANGE)


def bound(length, words):
    x = LEFT + length
    yield f'<path d="M{x} 34V308" stroke-dasharray="5 4" style="stroke:{INK}"/>'
    yield text(x, 20, words, "strong")


def span(start, end, y, words):
    yield line((LEFT + start + 2, y), (LEFT + end - 2, y), kind="both")
    yield text(LEFT + (start + end) / 2, y + 15, words, "soft")


if __name__ == "__main__":
    total = LONG + SHORT
    save(__file__, "Two pieces of work in two lanes",
         "Three panels over one time axis. One after the other, a product and a copy take the sum of their times. In "
         "two lanes that share nothing they take the longer of the two. In two lanes that share something each is "
         "slowed, and the end lies between. From the longer to the sum is what can be saved, from the end to the sum "
         "is what is saved.", 336,
         *bound(LONG, "the longer"), *bound(total, "sum"),
         text(LEFT + 6, 50, "one thread", "start strong"),
         bar(0, LONG, 64, "a product", BLUE), bar(LONG, SHORT, 64, "a copy", ORANGE),
         *lanes(132, "two lanes share nothing", LONG, SHORT),
         *span(LONG, total, 160, "can be saved"),
         *lanes(232, "two lanes share something", SLOWED, 180),
         text(LEFT + SLOWED + 8, 246, "end", "start strong"),
         *span(SLOWED, total, 270, "is saved"),
         line((LEFT, 34), (LEFT, 308)), line((LEFT, 308), (LEFT + total + 24, 308), kind="to"),
         text(LEFT + total + 10, 322, "time", "soft"), width=WIDTH)
