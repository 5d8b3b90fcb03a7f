"""Draws images/buckets.svg: the sums of DDP's buckets, after the backward pass and under it.

To draw it again: python images/buckets.py
"""
from svg import BLUE, ORANGE, box, line, save, text

LEFT, UNIT, HIGH = 132, 56, 28  # where time starts, a layer's backward pass, the height of a bar
LAYERS = 6


def panel(top, title, buckets):
    """`buckets`: how many layers each holds, from the back of the network. A layer's gradients take half a unit."""
    yield text(18, top, title, "start strong")
    back, sums = top + 16, top + 16 + HIGH + 14
    yield text(LEFT - 10, back + HIGH / 2, "backward", "end soft")
    yield text(LEFT - 10, sums + HIGH / 2, "sum over ranks", "end soft")
    for place in range(LAYERS):
        yield box(LEFT + UNIT * place, back, UNIT, HIGH, f"layer {LAYERS - place}", BLUE)
    done, free = 0, 0.0
    for number, layers in enumerate(buckets, 1):
        done += layers
        start = max(done, free)
        free = start + layers / 2
        x = LEFT + UNIT * start
        yield box(x, sums, UNIT * layers / 2, HIGH, f"sum {number}", ORANGE)
        if start == done:
            yield line((LEFT + UNIT * done, back + HIGH), (LEFT + UNIT * done, sums), kind="to")
    x = LEFT + UNIT * free
    yield f'<path d="M{x:g} {back - 4:g}V{sums + HIGH + 4:g}" stroke-dasharray="5 4"/>'
    yield text(x + 8, back + HIGH / 2, "update", "start soft")


if __name__ == "__main__":
    save(__file__, "Buckets under the backward pass",
         "Two panels over one time axis, each with a lane for the backward pass, layer 6 to layer 1, and one for the "
         "sum over ranks. With one bucket the sum begins when the backward pass has ended. With three buckets of two "
         "layers each, a sum begins as soon as its two layers are done, and only the last one comes after the "
         "backward pass, so that the update comes earlier.", 246,
         *panel(24, "One bucket: nothing can be sent before the last gradient", (6,)),
         *panel(136, "Three buckets: each is sent when its last gradient is there", (2, 2, 2)))
