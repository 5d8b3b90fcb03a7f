"""Draws images/ddp_step.svg: one step of data-parallel training (DDP) on two ranks, and what each does in full.

To draw it again: python images/ddp_step.py
"""
from svg import BLUE, ORANGE, WHITE, box, line, save, text

HIGH = 40                                          # of a bar
BATCH, ZERO, SUM, ONE = 18, 90, 158, 226           # the tops of the rows
FORWARD, BACKWARD, DONE, UPDATE = 176, 272, 452, 598  # where these begin; DONE: the backward pass ends
FIRST, LAST = (292, 60), (472, 112)                # the buckets: left edge and width


def lane(top, name):
    yield box(18, top, 62, HIGH, name, WHITE)
    yield box(FORWARD, top, BACKWARD - FORWARD, HIGH, "forward,\n32 images", BLUE)
    yield box(BACKWARD, top, DONE - BACKWARD, HIGH, "backward,\n32 images", BLUE)
    yield box(UPDATE, top, 88, HIGH, "update\nall weights", BLUE)
    middle, (edge, near) = top + HIGH / 2, (top + HIGH, SUM) if top < SUM else (top, SUM + HIGH)
    first, (left, width) = FIRST[0] + FIRST[1] / 2, LAST
    yield line((first, edge), (first, near), kind="both")
    yield line((DONE, middle), (left + 16, middle), (left + 16, near), kind="to")
    yield line((left + width - 16, near), (left + width - 16, middle), (UPDATE, middle), kind="to")


def batch():
    left, width, trunk = 62, 176, 150
    yield box(left, BATCH, width, HIGH, "a batch of 64 images", WHITE)
    yield line((trunk, BATCH + HIGH), (trunk, ONE + HIGH / 2), (FORWARD, ONE + HIGH / 2), kind="to")
    yield line((trunk, ZERO + HIGH / 2), (FORWARD, ZERO + HIGH / 2), kind="to")


if __name__ == "__main__":
    save(__file__, "One step of data-parallel training on two ranks",
         "A batch of 64 images is split in two halves. Rank 0 sends the averages of batch norm to rank 1. Then each "
         "rank does a forward and a backward pass on 32 images. A small first bucket of gradients is averaged over "
         "both ranks before the backward pass ends, the last and larger one after it. Then "
         "each rank updates all weights.",
         316, *batch(), *lane(ZERO, "rank 0"), *lane(ONE, "rank 1"),
         line((49, ZERO + HIGH), (49, ONE), kind="to"),
         text(58, SUM + HIGH / 2, "averages of\nbatch norm", "start"),
         box(FIRST[0], SUM, FIRST[1], HIGH, "first\nbucket", ORANGE),
         box(LAST[0], SUM, LAST[1], HIGH, "last bucket,\nmost gradients", ORANGE),
         text(608, BATCH + HIGH / 2, "time", "end soft"),
         line((616, BATCH + HIGH / 2), (686, BATCH + HIGH / 2), kind="to"),
         text(352, 292, "each rank: half of the images, all of the weights; between ranks: averages and buckets",
               "soft"))
