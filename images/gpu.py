"""Draws images/gpu.svg, how a GPU is organised.

To draw it again: python images/gpu.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, frame, grid, line, save, text


def chip():
    yield box(24, 24, 290, 372, "", WHITE)
    yield text(169, 42, "GPU", "strong")
    yield box(40, 56, 258, 28, "work distributor", VIOLET)
    for row in range(2):
        for column in range(6):
            mark = ORANGE if (row, column) == (0, 5) else BLUE
            yield box(40 + 44 * column, 98 + 112 * row, 38, 38, "SM", mark)
            yield box(40 + 44 * column, 142 + 112 * row, 38, 38, "SM", BLUE)
    yield text(169, 195, "…", "strong")
    yield box(40, 306, 258, 32, "L2 cache, shared by all", BLUE)
    yield line((169, 338), (169, 354)) + box(40, 354, 258, 30, "device memory (HBM)", GREEN)


def multiprocessor():
    yield line((300, 117), (344, 40)) + line((300, 117), (344, 380))
    yield frame(344, 24, 336, 372, "One streaming multiprocessor (SM)")
    for i in range(4):
        x, y = 358 + 158 * (i % 2), 50 + 140 * (i // 2)
        yield box(x, y, 150, 130, "", WHITE)
        yield box(x + 8, y + 8, 134, 22, "warp scheduler", VIOLET) + box(x + 8, y + 34, 134, 22, "registers", GREEN)
        yield grid(x + 8, y + 62, 8, 4, 8, BLUE) + text(x + 40, y + 110, "32 lanes", "soft")
        yield box(x + 82, y + 62, 60, 60, "tensor\ncore", ORANGE)
    yield box(358, 332, 308, 34, "L1 cache and shared memory", BLUE)
    yield text(512, 382, "a warp: 32 threads, one instruction", "soft")


if __name__ == "__main__":
    save(__file__, "How a GPU is organised",
         "A distributor gives blocks of threads to many multiprocessors, which share an "
         "L2 cache and the device memory. One multiprocessor, enlarged, has four parts, each with a warp scheduler, "
         "registers, 32 lanes and a tensor core; the four share an L1 cache that is also shared memory.", 420,
         *chip(), *multiprocessor())
