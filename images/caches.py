"""Draws images/caches.svg, the hierarchy of memories between a core and the disk.

To draw it again: python images/caches.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, line, save, text


def draw():
    for x, name in ((110, "core 0"), (290, "core 1")):
        yield box(x, 24, 160, 152, "", WHITE)
        yield text(x + 80, 40, name, "strong")
        levels = (54, 76, "registers", ORANGE), (94, 104, "L1 cache", BLUE), (134, 136, "L2 cache", BLUE)
        for y, width, words, fill in levels:
            yield box(x + 80 - width / 2, y, width, 30, words, fill)
        yield line((x + 80, 84), (x + 80, 94)) + line((x + 80, 124), (x + 80, 134))
        yield line((x + 80, 164), (x + 80, 206), kind="both")
    yield box(110, 206, 340, 38, "L3 cache, shared by cores", BLUE)
    yield line((280, 244), (280, 274), kind="both")
    yield box(80, 274, 400, 42, "main memory (DRAM)", GREEN)
    yield line((280, 316), (280, 346), kind="both")
    yield box(50, 346, 460, 42, "storage", VIOLET)
    sizes = ((69, "a few KB, no wait"), (109, "tens of KB"), (149, "about a MB"), (225, "tens of MB"), (295, "many GB"),
             (367, "many TB, keeps data"))
    for y, words in sizes:
        yield text(534, y, words, "start soft")
    yield line((34, 366), (34, 46), kind="to")
    yield text(40, 30, "faster", "soft") + text(26, 386, "larger", "soft")
    yield text(460, 260, "lines of 64 bytes", "start soft") + text(490, 332, "pages of 4 KB", "start soft")


if __name__ == "__main__":
    save(__file__, "The hierarchy of memories",
         "Each of two cores has registers, an L1 and an L2 cache of its own. "
         "Both share an L3 cache, main memory and storage. Each level is larger and slower than the one above. "
         "Caches and memory exchange lines of 64 bytes, memory and storage pages of 4 KB.", 410, *draw())
