"""Draws images/double_tree.svg: two binary trees over the same eight ranks; who adds up in one is a leaf of the other.

To draw it again: python images/double_tree.py
"""
from svg import BLUE, ORANGE, box, frame, line, save, text

N = 8


def parent(rank):
    bit = rank & -rank
    up = rank ^ bit | bit << 1
    return up if up < N else rank ^ bit


def depth(rank):
    return 1 + depth(parent(rank)) if rank else 0


def place(rank):
    return 40 * rank + 14 + 13, 70 + 56 * depth(rank)


def tree(x, name, rank_of):
    yield frame(x, 20, 328, 262, name)
    for rank in range(1, N):
        (x0, y0), (x1, y1) = place(rank), place(parent(rank))
        yield line((x + x0, y0 - 13), (x + x1, y1 + 13), kind="both")
    for rank in range(N):
        left, middle = place(rank)
        yield box(x + left - 13, middle - 13, 26, 26, str(rank_of(rank)), BLUE if rank % 2 else ORANGE)
    yield text(x + 164, 266, "orange adds up, blue is a leaf", "soft")


if __name__ == "__main__":
    save(__file__, "Two trees over the same ranks",
         "Two binary trees over eight ranks. In the first, ranks 0, 2, 4 and 6 add up and the odd ones are leaves. "
         "The second is its mirror image: the odd ranks add up, and the even ones are leaves.", 302,
         *tree(20, "First half of the numbers", lambda rank: rank),
         *tree(356, "Second half", lambda rank: N - 1 - rank))
