"""Draws images/networks.svg: star, ring and fat tree.

To draw it again: python images/networks.py
"""
from math import cos, pi, sin

from svg import ORANGE, VIOLET, box, frame, line, save, text


def around(x, y, radius, count):
    """Points on a circle, the first at its top."""
    return [(x + radius * sin(2 * pi * i / count), y - radius * cos(2 * pi * i / count)) for i in range(count)]


def node(x, y, name, fill=ORANGE):
    return box(round(x - 21), round(y - 14), 42, 28, name, fill)


def star():
    yield frame(20, 20, 206, 226, "Star")
    for i, (x, y) in enumerate(around(123, 140, 76, 6)):
        yield line((123, 140), (round(x), round(y))) + node(x, y, f"{i}")
    yield node(123, 140, "hub", VIOLET) + text(123, 270, "all that is sent\nmeets at the hub", "soft")


def ring():
    yield frame(249, 20, 206, 226, "Ring")
    points = around(352, 140, 76, 6)
    for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
        yield line((round(x1), round(y1)), (round(x2), round(y2)))
    yield from (node(x, y, f"{i}") for i, (x, y) in enumerate(points))
    yield text(352, 270, "every link is used alike;\nthe way round is long", "soft")


def tree():
    yield frame(478, 20, 206, 226, "Fat tree")
    for leaf in (514, 581, 648):
        yield line((545, 78), (leaf, 146)) + line((617, 78), (leaf, 146))
        for i, x in enumerate((leaf - 15, leaf + 15)):
            yield line((leaf, 146), (x, 216)) + box(x - 12, 202, 24, 28, f"{(leaf - 514) // 67 * 2 + i}", ORANGE)
        yield box(leaf - 28, 132, 56, 28, "switch", VIOLET)
    yield from (box(x - 28, 64, 56, 28, "switch", VIOLET) for x in (545, 617))
    yield text(581, 270, "several ways up:\nfull speed for all pairs", "soft")


def machines():
    yield frame(20, 306, 664, 172, "Inside a machine, and between machines")
    for x in (38, 412):
        yield box(x, 338, 254, 28, "NVLink switch", VIOLET) + box(x, 436, 254, 28, "PCIe and network cards", VIOLET)
        for i in range(4):
            gpu = x + 66 * i
            yield line((gpu + 28, 366), (gpu + 28, 388), kind="fast") + line((gpu + 28, 416), (gpu + 28, 436))
            yield box(gpu, 388, 56, 28, f"GPU {i}", ORANGE)
    yield box(322, 436, 60, 28, "switch", VIOLET)
    yield line((292, 450), (322, 450)) + line((382, 450), (412, 450))
    yield text(352, 352, "thick: fast", "soft") + text(352, 402, "thin: slower", "soft")


if __name__ == "__main__":
    save(__file__, "Networks: star, ring, fat tree",
         "A star: six computers on a hub. A ring: each has two neighbours. A fat tree: three switches of two "
         "computers each, all linked to two upper switches. Below, two machines of four GPUs: inside, an NVLink "
         "switch joins the GPUs with fast links; PCIe, network cards and a switch join the machines with slower "
         "ones.",
         496, *star(), *ring(), *tree(), *machines())
