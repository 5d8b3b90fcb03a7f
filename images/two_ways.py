"""Draws images/two_ways.svg: two products on one thread, one on each of two cores, and each on both cores.

To draw it again: python images/two_ways.py
"""
from svg import BLUE, INK, WHITE, box, line, save, text

LEFT, HIGH, WIDTH = 22, 28, 400  # where time 0 is; the height of a bar; the card, which fits a phone
PRODUCT, PRICE = 150, 80  # a product's time on one thread; the price of a way, here the same for both ways


def bar(start, length, y, words, fill=BLUE):
    return box(LEFT + start, y, length, HIGH, words, fill)


def both(start, length, y, words, fill=BLUE):
    """The same on both cores."""
    yield bar(start, length, y, words, fill)
    yield bar(start, length, y + HIGH + 4, words, fill)


def ends(length, y, words):
    """A dashed line to the axis of time where a way is done, and its words below the axis."""
    x = LEFT + length
    yield f'<path d="M{x} {y}V288" stroke-dasharray="5 4" style="stroke:{INK}"/>'
    yield text(x, 302, words, "soft")


if __name__ == "__main__":
    half, start = PRODUCT / 2, PRICE / 2
    save(__file__, "Two products, two cores, two ways",
         "Three panels over one time axis. On one thread, two products take 2t. In two lanes, each core pays the price "
         "p and computes one product: p plus t. With a team of two, both cores pay half of another price, p', "
         "share the first product, pay the other half, and share the second: p' plus t.", 314,
         *ends(2 * PRODUCT, 20, "2t"), *ends(PRICE + PRODUCT, 98, "p + t, p′ + t"),
         text(LEFT + 6, 18, "one thread", "start strong"),
         bar(0, PRODUCT, 30, "product 1"), bar(PRODUCT, PRODUCT, 30, "product 2"),
         text(LEFT + 6, 88, "two lanes", "start strong"),
         *both(0, PRICE, 100, "p", WHITE),
         bar(PRICE, PRODUCT, 100, "product 1"), bar(PRICE, PRODUCT, 100 + HIGH + 4, "product 2"),
         text(LEFT + 6, 190, "team of two", "start strong"),
         *both(0, start, 202, "p′/2", WHITE), *both(start, half, 202, "half of 1"),
         *both(start + half, start, 202, "p′/2", WHITE), *both(2 * start + half, half, 202, "half of 2"),
         line((LEFT, 20), (LEFT, 288)), line((LEFT, 288), (LEFT + 2 * PRODUCT + 44, 288), kind="to"),
         text(LEFT + 2 * PRODUCT + 44, 302, "time", "soft"), width=WIDTH)
