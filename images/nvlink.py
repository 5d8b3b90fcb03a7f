"""Draws images/nvlink.svg: eight GPUs, six links each, as two rings: one of double links and one of single ones.

The rings are those of an eight-GPU machine with NVLink 2: each GPU has two double and two single links.

To draw it again: python images/nvlink.py
"""
from math import cos, pi, sin

from svg import BLUE, ORANGE, box, frame, line, save, text

DOUBLE = (0, 3, 2, 1, 5, 6, 7, 4)   # the pairs that two links join
SINGLE = (0, 1, 3, 7, 5, 4, 6, 2)   # the pairs that one link joins: a ring too


def circle(x, y, radius):
    return [(x + radius * sin(2 * pi * (i + 0.5) / 8), y - radius * cos(2 * pi * (i + 0.5) / 8)) for i in range(8)]


def ring(x, name, order, double, says):
    yield frame(x, 20, 320, 330, name)
    place = dict(zip(DOUBLE, circle(x + 160, 178, 112), strict=True))
    for a, b in zip(order, order[1:] + order[:1], strict=True):
        (x1, y1), (x2, y2) = place[a], place[b]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        sx, sy = 3 * (y1 - y2) / length, 3 * (x2 - x1) / length
        for side in (-1, 1) if double else (0,):
            yield line((round(x1 + side * sx, 1), round(y1 + side * sy, 1)),
                       (round(x2 + side * sx, 1), round(y2 + side * sy, 1)))
    for gpu, (px, py) in place.items():
        yield box(round(px - 27), round(py - 15), 54, 30, f"GPU {gpu}", ORANGE if double else BLUE)
    yield text(x + 160, 332, says, "soft")


if __name__ == "__main__":
    save(__file__, "Two rings of links between eight GPUs",
         "Left, eight GPUs on a circle, neighbours joined by two links each: the first ring. Right, the same eight "
         "GPUs "
         "joined by single links in another order: the second ring.", 370,
         *ring(20, "First ring", DOUBLE, True, "two links between neighbours"),
         *ring(364, "Second ring", SINGLE, False, "one link between neighbours"))
