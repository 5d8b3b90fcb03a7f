"""Draws images/caches.svg, the hierarchy of memories between a core and the disk.

To draw it again: python images/caches.py
"""
from svg import BLUE, GREEN, VIOLET, WHITE, box, line, save, text


def draw():
    for middle, name in ((210, "core 0"), (390, "core 1")):
        yield box(middle - 80, 24, 160, 176, "", WHITE) + text(middle, 42, name, "strong")
        for y, width, words in ((58, 90, "registers"), (108, 112, "L1 cache"), (158, 134, "L2 cache")):
            yield box(middle - width / 2, y, width, 30, words, BLUE)
        for top, bottom in ((88, 108), (138, 158), (188, 226)):
            yield line((middle, top), (middle, bottom), kind="both")
        yield line((middle, 264), (middle, 304), kind="both")  # a memory channel
    yield box(130, 226, 340, 38, "L3 cache, shared by the cores", BLUE)
    yield text(300, 284, "lines of 64 bytes", "soft")
    yield box(110, 304, 380, 42, "main memory (DRAM), two channels", GREEN)
    yield line((300, 346), (300, 386), kind="both") + text(312, 366, "pages of 4 KB", "start soft")
    yield box(90, 386, 420, 42, "storage", VIOLET)
    sizes = ((73, "a few KB"), (123, "tens of KB"), (173, "about a MB"), (245, "tens of MB"), (325, "many GB"),
             (407, "TBs, kept without power"))
    yield from (text(526, y, words, "start soft") for y, words in sizes)
    yield text(48, 34, "faster", "soft") + line((48, 48), (48, 404), kind="both") + text(48, 418, "larger", "soft")


if __name__ == "__main__":
    save(__file__, "The hierarchy of memories",
         "Each of two cores has registers, an L1 and an L2 cache of its own. Both share an L3 cache, main memory on "
         "two channels, and storage. Each level is larger and slower than the one above. Caches and memory exchange "
         "lines of 64 bytes, memory and storage pages of 4 KB.",
         452, *draw())
