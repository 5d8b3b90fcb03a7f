"""Draws images/checkpoints.svg: two lives of a run, with its checkpoints, a failure, and the work that is done twice.

To draw it again: python images/checkpoints.py
"""
from svg import BLUE, ORANGE, WHITE, box, line, save, text

LEFT, TOP, WORK, SAVE, HIGH = 104, 60, 68, 20, 34  # where the bars begin, and the sizes of work and of saving


def life(x, y, name, pieces):
    """A bar of pieces one after the other: work between two checkpoints, and checkpoints."""
    if name:
        yield text(LEFT - 12, y + HIGH / 2, name, "end strong")
    for width, words, fill in pieces:
        yield box(x, y, width, HIGH, words, fill)
        x += width


if __name__ == "__main__":
    second, lost, wait = LEFT + 2 * (WORK + SAVE), 46, 24  # all within the width of a phone, and the words beside it
    end, below = second + lost, TOP + 80
    save(__file__, "What is lost with a machine",
         "First life: work, checkpoint, work, checkpoint, some work, then the machine is lost. Second life: after a "
         "wait R it begins at the last checkpoint, does the lost work again, and goes on.", 202,
         *life(LEFT, TOP, "first life", [(WORK, "work T", BLUE), (SAVE, "δ", ORANGE), (WORK, "work T", BLUE),
                                         (SAVE, "δ", ORANGE), (lost, "lost", WHITE)]),
         line((end - 9, TOP - 9), (end + 9, TOP + 9)), line((end + 9, TOP - 9), (end - 9, TOP + 9)),
         text(end + 9, 34, "a machine is lost", "end"),
         text(LEFT - 12, below + HIGH / 2, "second life", "end strong"),
         *life(end, below, "", [(wait, "R", WHITE), (lost, "again", BLUE), (WORK - lost, "on", BLUE),
                                (SAVE, "δ", ORANGE)]),
         line((second, TOP + HIGH + 4), (end + wait, below - 2), kind="to"),
         text(second - 4, TOP + HIGH + 26, "from the last checkpoint", "end soft"),
         text(456, TOP + HIGH / 2, "each checkpoint costs δ", "start soft"),
         text(456, below + HIGH / 2, "each failure costs R and what was\ndone since the last checkpoint", "start soft"))
