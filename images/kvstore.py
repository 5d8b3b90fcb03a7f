"""Draws images/kvstore.svg: what a push and a pull of four devices do in MXNet's local store.

To draw it again: python images/kvstore.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text

TOP, STEP, HIGH = 46, 50, 34


def drawing():
    yield text(72, 24, "devices", "soft") + text(256, 24, "buffers", "soft")
    yield text(430, 24, "one pass", "soft") + text(632, 24, "devices", "soft")
    middle = TOP + 1.5 * STEP + HIGH / 2
    for i in range(4):
        y = TOP + STEP * i
        yield box(24, y, 96, HIGH, f"cpu({i})", GREEN) + box(208, y, 96, HIGH, f"copy {i + 1}", ORANGE)
        yield box(584, y, 96, HIGH, f"cpu({i})", GREEN)
        yield line((120, y + HIGH / 2), (206, y + HIGH / 2), kind="to")
        yield line((304, y + HIGH / 2), (382, middle - 15 + 10 * i), kind="to")
        yield line((476, middle - 15 + 10 * i), (582, y + HIGH / 2), kind="to")
    yield box(384, middle - 32, 92, 64, "sum, in\ncopy 1", BLUE)
    yield text(190, 256, "push: four copies in, one pass that adds", "soft")
    yield text(560, 256, "pull: four copies out", "soft")


if __name__ == "__main__":
    save(__file__, "Push and pull in a local store",
         "Four devices on the left. Each one's array is copied into a buffer of its own; one pass over the four "
         "buffers leaves their sum, the value. From there four copies go out to the four devices on the right.",
         280, *drawing())
