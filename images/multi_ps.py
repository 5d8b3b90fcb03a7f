"""Draws images/multi_ps.svg: one server for all, and servers that share the keys.

To draw it again: python images/multi_ps.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, frame, line, save, text

KEYS = (ORANGE, GREEN, VIOLET, BLUE)


def gradient(x, y):
    return "".join(box(x + 16 * i, y, 16, 18, "", fill) for i, fill in enumerate(KEYS))


def single():
    yield frame(20, 20, 320, 286, "One server")
    yield box(130, 56, 100, 52, "", WHITE) + text(180, 70, "server") + gradient(148, 84)
    for i in range(4):
        x = 36 + 75 * i
        yield line((x + 32, 208), (147 + 22 * i, 108), kind="both")
        yield box(x, 208, 64, 52, "", WHITE) + text(x + 32, 221, f"worker {i}") + gradient(x, 236)
    yield text(180, 288, "its link: 4 gradients in, 4 times the weights out", "soft")


def sharded():
    yield frame(364, 20, 320, 286, "A server for each key")
    places = [(384, 62), (558, 62), (384, 200), (558, 200)]
    centres = [(x + 53, y + 30) for x, y in places]
    for i, (x1, y1) in enumerate(centres):
        for x2, y2 in centres[i + 1:]:
            if x1 == x2:
                yield line((x1, y1 + 31), (x2, y2 - 31), kind="both")
            elif y1 == y2:
                yield line((x1 + 54, y1), (x2 - 54, y2), kind="both")
            else:
                dx, dy = (x2 - x1) * 0.235, (y2 - y1) * 0.235
                yield line((x1 + dx, y1 + dy), (x2 - dx, y2 - dy), kind="both")
    for i, (x, y) in enumerate(places):
        yield box(x, y, 106, 60, "", WHITE) + text(x + 53, y + 13, f"machine {i}") + gradient(x + 8, y + 33)
        yield box(x + 78, y + 31, 22, 22, "+", KEYS[i])
    yield text(524, 288, "every link: ¾ gradient in and out, twice", "soft")


if __name__ == "__main__":
    save(__file__, "One server, and sharded servers",
         "Left: four workers send whole gradients to one server. Right: four machines, each a worker and the server of "
         "one quarter; every pair exchanges quarters.", 326, *single(), *sharded())
