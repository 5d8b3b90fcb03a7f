"""Draws images/fusion.svg, a chain of elementwise operations line by line and fused.

To draw it again: python images/fusion.py
"""
from svg import GREEN, ORANGE, WHITE, box, line, save, text

PLACES = (132, 228, 324, 420, 580)  # the middles of the vectors, or of what stands in their place
OPERATIONS = ("+ 1", "× 0.5", "+ 1", "× 0.5")


def panel(top, title, vectors):
    """Memory above, the core below; an arrow down is a load, an arrow up is a store."""
    yield text(24, top + 14, title, "start strong")
    yield box(24, top + 26, 656, 52, "", WHITE) + text(34, top + 52, "memory", "start soft")
    yield box(24, top + 122, 656, 52, "", WHITE) + text(34, top + 148, "core", "start soft")
    for middle, words in zip(PLACES, vectors, strict=True):
        if words:
            yield box(middle - 28, top + 36, 56, 32, words, GREEN)


def draw():
    yield from panel(10, "line by line: sixteen passes, each loads a vector and stores a new one",
                     ("x", "v1", "v2", "v3", "y"))
    for place, (left, right, words) in enumerate(zip(PLACES, PLACES[1:], OPERATIONS, strict=False)):
        middle = (left + right) / 2
        if place == 3:
            yield text(middle, 62, "…", "strong") + text(middle, 158, "…", "strong")
            yield line((left + 10, 78), (middle - 12, 140), kind="to")
            yield line((middle + 46, 134), (right - 10, 80), kind="to")
            continue
        yield box(middle - 27, 142, 54, 32, words, ORANGE)
        yield line((left + 10, 78), (middle - 12, 140), kind="to")
        yield line((middle + 12, 142), (right - 10, 80), kind="to")
    yield from panel(214, "fused: one pass, with the values between in registers", ("x", "", "", "", "y"))
    first, last = 182, 532
    yield line((PLACES[0] + 10, 282), (first - 12, 344), kind="to")
    yield line((last + 12, 346), (PLACES[4] - 10, 284), kind="to")
    ops = ((182, "+ 1"), (272, "× 0.5"), (362, "+ 1"), (532, "× 0.5"))
    for (a, _), (b, _) in zip(ops, ops[1:], strict=False):
        if b == last:
            yield line((a + 27, 362), (a + 70, 362), kind="to") + text(447, 361, "…", "strong")
            yield line((462, 362), (b - 28, 362), kind="to")
        else:
            yield line((a + 27, 362), (b - 28, 362), kind="to")
    for middle, words in ops:
        yield box(middle - 27, 346, 54, 32, words, ORANGE)


if __name__ == "__main__":
    save(__file__, "A chain of sixteen operations, line by line and fused",
         "Above: each operation loads a vector from memory and stores a new one, so sixteen operations make sixteen "
         "passes over memory. Below: one pass loads a piece of x, applies all sixteen operations to it in registers, "
         "and stores a piece of y.",
         408, *draw())
