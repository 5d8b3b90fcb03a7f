"""Draws images/buckets.svg: the sums of DDP's buckets, after the backward pass and under it.

To draw it again: python images/buckets.py
"""
from svg import BLUE, ORANGE, box, line, save, text

LEFT, UNIT, HIGH = 18, 33, 28  # where time starts, a layer's backward pass, the height of a bar
LAYERS = 6
NOTES = 430  # what a phone shows only when it scrolls


def panel(top, title, buckets, lane, note):
    """`buckets`: how many layers each holds, from the back of the network. Its sum takes half a layer's time each."""
    yield text(LEFT, top, title, "start strong")
    back, sums = top + 16, top + 16 + HIGH + 14
    for place in range(LAYERS):
        yield box(LEFT + UNIT * place, back, UNIT, HIGH, str(LAYERS - place), BLUE)
    yield text(LEFT + UNIT * LAYERS + 8, back + HIGH / 2, "backward, by layer", "start soft")
    yield text(LEFT, sums + HIGH / 2, lane, "start soft")
    done, free = 0, 0.0
    for number, layers in enumerate(buckets, 1):
        done += layers
        start = max(done, free)
        free = start + layers / 2
        words = f"sum {number}" if layers > 2 else str(number)
        yield box(LEFT + UNIT * start, sums, UNIT * layers / 2, HIGH, words, ORANGE)
        if start == done:
            yield line((LEFT + UNIT * done, back + HIGH), (LEFT + UNIT * done, sums), kind="to")
    x = LEFT + UNIT * free
    yield f'<path d="M{x:g} {sums - 6:g}V{sums + HIGH + 6:g}" stroke-dasharray="5 4"/>'
    yield text(x + 7, sums + HIGH / 2, "update", "start soft")
    yield text(NOTES, (back + sums + HIGH) / 2, note, "start soft")


if __name__ == "__main__":
    save(__file__, "Buckets under the backward pass",
         "Two panels over one time axis, each with a lane for the backward pass, layer 6 to layer 1, and one for the "
         "sum over ranks. With one bucket the sum begins when the backward pass has ended. With three buckets of two "
         "layers each, a sum begins as soon as its two layers are done, and only the last one comes after the "
         "backward pass, so that the update comes earlier.", 246,
         *panel(24, "One bucket: sent after the last gradient", (6,), "sum over ranks",
                "the backward pass,\nand then the whole sum"),
         *panel(136, "Three buckets: each sent when it is full", (2, 2, 2), "sums",
                "two of three sums lie\nunder the backward pass"))
