"""Draws images/work_spaces.svg: twenty products in two lanes that share four work spaces, and who waits for whom.

To draw it again: python images/work_spaces.py
"""
from svg import BLUE, EDGE, box, line, save, text

LEFT, STEP, HIGH = 92, 34, 34  # where time 0 is; one product; the height of a bar
TOP, BELOW = 44, 116           # the two lanes
WAITS = 7                      # products that end before the other lane may begin


def lane(y, start, first, name):
    """One lane: its name, and ten products with the work space that each borrows."""
    yield text(16, y + HIGH / 2, name, "start strong")
    for i in range(10):
        yield box(LEFT + STEP * (start + i), y, STEP, HIGH, f"{first + i} {'ABCD'[(first + i - 1) % 4]}", BLUE)


def draw():
    yield from lane(TOP, 0, 1, "lane 0")
    yield box(LEFT, BELOW, STEP * WAITS, HIGH, "waits for work space C", EDGE)
    yield from lane(BELOW, WAITS, 11, "lane 1")
    x = LEFT + STEP * WAITS
    yield line((x - STEP / 2, TOP + HIGH), (x + STEP / 2, BELOW), kind="to")
    yield text(x + 34, (TOP + HIGH + BELOW) / 2, "7 gives C back, 11 takes it", "start soft")
    for start, end, words in ((0, 7, "seven alone"), (7, 10, "two at a time"), (10, 17, "seven alone")):
        yield line((LEFT + STEP * start + 3, 176), (LEFT + STEP * end - 3, 176), kind="both")
        yield text(LEFT + STEP * (start + end) / 2, 194, words, "soft")
    yield text(LEFT, 22, "the number of a product, and the work space that it borrows", "start soft")


if __name__ == "__main__":
    save(__file__, "Two lanes that share four work spaces",
         "Lane 0 has products 1 to 10, lane 1 products 11 to 20. They borrow the work spaces A, B, C, D in turn. "
         "Product 11 needs the work space of product 7 and waits until that has ended; so seven products run alone, "
         "then two at a time, then seven alone.", 214, *draw())
