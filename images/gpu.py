"""Draws images/gpu.svg, how a GPU is organised.

To draw it again: python images/gpu.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, frame, grid, line, save, text


def chip():
    yield box(24, 24, 290, 322, "", WHITE) + text(169, 42, "GPU", "strong")
    yield box(40, 58, 258, 28, "work distributor", VIOLET)
    for y in (100, 144, 206, 250):
        for column in range(6):
            enlarged = (y, column) == (100, 5)
            yield box(40 + 44 * column, y, 38, 38, "SM", WHITE if enlarged else ORANGE)
    yield text(169, 192, "…", "strong")
    yield box(40, 302, 258, 32, "L2 cache, shared by all", BLUE)
    yield line((169, 334), (169, 366), kind="both") + box(24, 366, 290, 34, "device memory (HBM)", GREEN)


def multiprocessor():
    yield line((298, 100), (344, 24)) + line((298, 138), (344, 400))
    yield frame(344, 24, 336, 376, "One streaming multiprocessor (SM)")
    for i in range(4):
        x, y = 358 + 158 * (i % 2), 56 + 138 * (i // 2)
        yield box(x, y, 150, 130, "", WHITE)
        yield box(x + 8, y + 8, 134, 22, "warp scheduler", VIOLET) + box(x + 8, y + 36, 134, 22, "registers", BLUE)
        yield grid(x + 8, y + 66, 8, 4, 8, ORANGE) + text(x + 40, y + 112, "32 lanes", "soft")
        yield box(x + 82, y + 64, 60, 58, "tensor\ncore", ORANGE)
    yield box(358, 334, 308, 30, "L1 cache and shared memory", BLUE)
    yield text(512, 382, "a warp: 32 threads, one instruction", "soft")


if __name__ == "__main__":
    save(__file__, "How a GPU is organised",
         "A distributor gives blocks of threads to many multiprocessors, which share an L2 cache and the device "
         "memory. One multiprocessor, enlarged, has four parts, each with a warp scheduler, registers, 32 lanes and "
         "a tensor core; the four share an L1 cache that is also shared memory.",
         424, *chip(), *multiprocessor())
