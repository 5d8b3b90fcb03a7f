"""Draws images/alexnet.svg, how AlexNet was split over two GPUs in 2012.

Numbers: A. Krizhevsky, I. Sutskever, G. Hinton, ImageNet Classification with Deep Convolutional Neural Networks, 2012.
To draw it again: python images/alexnet.py
"""
from svg import BLUE, ORANGE, WHITE, box, frame, line, save, text

LAYERS = ["48\n11×11", "128\n5×5", "192\n3×3", "192\n3×3", "128\n3×3", "2048\ndense", "2048\ndense"]
CROSS = {2, 5, 6}  # a layer that reads the channels of both GPUs
LEFT, STEP, WIDE = 112, 72, 56


def draw():
    yield frame(96, 24, 514, 96, "GPU 0") + frame(96, 150, 514, 96, "GPU 1")
    yield box(20, 114, 56, 42, "image", WHITE)
    for y, fill in ((50, BLUE), (176, ORANGE)):
        yield line((76, 135), (86, 135), (86, y + 28), (LEFT, y + 28), kind="to")
        for i, words in enumerate(LAYERS):
            x = LEFT + STEP * i
            yield box(x, y, WIDE, 56, words, fill)
            if i and i not in CROSS:
                yield line((x - STEP + WIDE, y + 28), (x, y + 28), kind="to")
    for i in sorted(CROSS):
        x = LEFT + STEP * i
        for here, there in ((78, 78), (204, 204), (78, 190), (204, 92)):
            yield line((x - STEP + WIDE, here), (x, there), kind="to")
    last = LEFT + STEP * len(LAYERS)
    yield box(630, 114, 56, 42, "1000", WHITE)
    for y in (78, 204):
        yield line((last - STEP + WIDE, y), (620, y), (620, 135), (630, 135), kind="to")
    words = "channels and size of each layer's filters; crossing arrows carry channels between the GPUs"
    yield text(352, 268, words, "soft")


if __name__ == "__main__":
    save(__file__, "AlexNet on two GPUs",
         "Two rows of seven layers, one for each GPU: five convolutions and two dense layers, each with half of the "
         "channels. Most layers read only their own GPU's channels. The third convolution and both dense layers read "
         "those of both, so arrows cross there. Both rows end in one layer of 1000 classes.", 288, *draw())
