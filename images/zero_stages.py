"""Draws images/zero_stages.svg: which part of the parameters, gradients and averages each of four ranks keeps.

To draw it again: python images/zero_stages.py
"""
from svg import BLUE, GREEN, ORANGE, WHITE, box, save, text

STAGES = ("DDP", "stage 1", "stage 2", "stage 3")
PARTS = (("parameters", 2, BLUE), ("gradients", 2, ORANGE), ("Adam", 12, GREEN))  # bytes of a parameter
LEFT, TOP, WIDE, HIGH, UNIT, ROW = 96, 66, 116, 104, 22, 124


def kept(stage, part):
    """Whether a rank keeps the whole of a part: the last of them is divided first."""
    return part < len(PARTS) - stage


def cell(stage, rank):
    x, y = LEFT + 130 * rank, TOP + ROW * stage
    yield box(x, y, WIDE, HIGH, "", WHITE)
    for part, (_, _, fill) in enumerate(PARTS):
        top = y + 13 + 28 * part
        first, many = (0, 4) if kept(stage, part) else (rank, 1)  # of four quarters
        yield box(x + 14, top, 4 * UNIT, 20, "", WHITE, "frame")
        yield box(x + 14 + UNIT * first, top, many * UNIT, 20, "", fill)


def rows():
    for rank in range(4):
        yield text(LEFT + 130 * rank + WIDE / 2, 46, f"rank {rank}", "strong")
    yield text(656, 46, "bytes", "strong")
    for stage, name in enumerate(STAGES):
        middle = TOP + ROW * stage + HIGH / 2
        yield text(LEFT - 14, middle, name, "end strong")
        for rank in range(4):
            yield from cell(stage, rank)
        size = sum(bytes_ if kept(stage, part) else bytes_ / 4 for part, (_, bytes_, _) in enumerate(PARTS))
        yield text(656, middle, f"{size:g}")


def legend():
    y = TOP + ROW * 4 + 6
    for i, (name, size, fill) in enumerate(PARTS):
        yield box(LEFT + 178 * i, y, UNIT, 20, "", fill)
        yield text(LEFT + 178 * i + 30, y + 10, f"{name}: {size} bytes", "start")


if __name__ == "__main__":
    save(__file__, "Who keeps what under ZeRO 0 to 3",
         "Four rows, for DDP and for stages 1, 2 and 3, and four ranks. Under DDP each rank keeps all parameters, all "
         "gradients and all of Adam's averages. Stage 1 leaves each rank a quarter of Adam's part, stage 2 also of the "
         "gradients, stage 3 also of the parameters.", TOP + ROW * 4 + 46, *rows(), *legend())
