"""Draws images/multi_ps.svg: one server for all, and below it servers that share the keys.

It is narrow, for a phone. To draw it again: python images/multi_ps.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, frame, line, save, text

KEYS = (ORANGE, GREEN, VIOLET, BLUE)
WIDTH, MIDDLE, WIDE, LOW = 368, 184, 76, 262  # of the card, its middle, of a box, and where the second frame begins


def gradient(x, y):
    """Four quarters in the middle of a box that begins at x."""
    return "".join(box(x + WIDE / 2 - 32 + 16 * i, y, 16, 18, "", fill) for i, fill in enumerate(KEYS))


def single():
    yield frame(10, 10, 348, 240, "One server")
    yield box(MIDDLE - WIDE / 2, 34, WIDE, 52, "", WHITE) + text(MIDDLE, 47, "server") + gradient(MIDDLE - WIDE / 2, 62)
    for i in range(4):
        x = 17 + 86 * i
        yield line((x + WIDE / 2, 158), (MIDDLE - 27 + 18 * i, 87), kind="both")
        yield box(x, 158, WIDE, 52, "", WHITE) + text(x + WIDE / 2, 171, f"worker {i}") + gradient(x, 186)
    yield text(MIDDLE, 232, "its link: 4 gradients in, 4 times the weights out", "soft")


def sharded():
    yield frame(10, LOW, 348, 290, "A server for each key")
    places = [(x, y) for y in (LOW + 30, LOW + 172) for x in (66, 226)]
    high = 84
    centres = [(x + WIDE / 2, y + high / 2) for x, y in places]
    for i, (x1, y1) in enumerate(centres):
        for x2, y2 in centres[i + 1:]:
            if x1 == x2:
                yield line((x1, y1 + high / 2 + 1), (x2, y2 - high / 2 - 1), kind="both")
            elif y1 == y2:
                yield line((x1 + WIDE / 2 + 1, y1), (x2 - WIDE / 2 - 1, y2), kind="both")
            else:
                dx, dy = (x2 - x1) * 0.245, (y2 - y1) * 0.245
                yield line((x1 + dx, y1 + dy), (x2 - dx, y2 - dy), kind="both")
    for i, (x, y) in enumerate(places):
        yield box(x, y, WIDE, high, "", WHITE) + text(x + WIDE / 2, y + 13, f"machine {i}") + gradient(x, y + 27)
        yield box(x + WIDE / 2 - 12, y + 53, 24, 24, "+", KEYS[i])
    yield text(MIDDLE, LOW + 272, "every link: ¾ gradient in and out, twice", "soft")


if __name__ == "__main__":
    save(__file__, "One server, and sharded servers",
         "Above: four workers send whole gradients to one server. Below: four machines, each a worker and server of "
         "one quarter; every pair exchanges quarters.", LOW + 300, *single(), *sharded(), width=WIDTH)
