"""Draws images/networks.svg: star, ring and fat tree.

To draw it again: python images/networks.py
"""
from math import cos, pi, sin

from svg import BLUE, ORANGE, VIOLET, box, frame, line, save, text


def around(x, y, radius, count):
    """Points on a circle, the first at its top."""
    return [(x + radius * sin(2 * pi * i / count), y - radius * cos(2 * pi * i / count)) for i in range(count)]


def node(x, y, name, fill=BLUE):
    return box(round(x - 21), round(y - 14), 42, 28, name, fill)


def star():
    yield frame(20, 20, 206, 236, "Star")
    for i, (x, y) in enumerate(around(123, 140, 76, 6)):
        yield line((123, 140), (round(x), round(y))) + node(x, y, f"{i}")
    yield node(123, 140, "hub", ORANGE)
    yield text(123, 278, "the hub's link carries\nwhat all send", "soft")


def ring():
    yield frame(249, 20, 206, 236, "Ring")
    points = around(352, 140, 76, 6)
    for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
        yield line((round(x1), round(y1)), (round(x2), round(y2)))
    yield from (node(x, y, f"{i}") for i, (x, y) in enumerate(points))
    yield text(352, 278, "every link is used alike;\nthe way is long", "soft")


def tree():
    yield frame(478, 20, 206, 236, "Fat tree")
    spines, leaves = [(545, 70), (617, 70)], [(515, 140), (581, 140), (647, 140)]
    for leaf in leaves:
        yield from (line(spine, leaf) for spine in spines)
        for shift in (-15, 15):
            yield line(leaf, (leaf[0] + shift, 210)) + box(leaf[0] + shift - 12, 198, 24, 24, "", BLUE)
    yield from (box(x - 27, y - 14, 54, 28, "switch", ORANGE) for x, y in spines)
    yield from (box(x - 27, y - 14, 54, 28, "switch", VIOLET) for x, y in leaves)
    yield text(581, 278, "many ways between any two:\nfull speed for all pairs", "soft")


def machines():
    yield frame(20, 310, 664, 110, "Inside a machine and between machines")
    for x, name in ((40, "machine 0"), (372, "machine 1")):
        yield "".join(box(x + 66 * i, 340, 56, 26, f"GPU {i}", BLUE) for i in range(4))
        yield "".join(line((x + 28 + 66 * i, 366), (x + 28 + 66 * i, 384)) for i in range(4))
        yield box(x, 384, 254, 26, f"NVLink switch, {name}", ORANGE)
    yield line((294, 397), (372, 397), kind="both")
    yield text(333, 372, "network,\nslower", "soft")


if __name__ == "__main__":
    save(__file__, "Networks: star, ring, fat tree",
         "A star: six computers on a hub. A ring: each has two neighbours. A fat tree: "
         "three switches of two computers each, all linked to two upper switches. Below, two machines of four GPUs: "
         "an NVLink switch joins the GPUs of a machine, and a slower network the machines.", 440,
         *star(), *ring(), *tree(), *machines())
