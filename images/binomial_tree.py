"""Draws images/binomial_tree.svg: a binomial tree over eight ranks, level by level, up to rank 0.

To draw it again: python images/binomial_tree.py
"""
from svg import BLUE, ORANGE, WHITE, box, line, save, text

N, STEP, LEFT = 8, 72, 112


def level(k):
    reach, y = 2**k, 54 + 74 * k
    yield text(12, y, f"step {k + 1}", "start strong")
    for rank in range(N):
        done = rank % reach != 0
        fill = WHITE if done else BLUE if rank % (2 * reach) else ORANGE
        yield box(LEFT + STEP * rank, y - 14, 34, 28, str(rank), fill)
    for to in range(0, N, 2 * reach):
        start, end = LEFT + STEP * (to + reach) + 17, LEFT + STEP * to + 17
        top = y - 14 - 18
        yield line((start, y - 14), (start, top), (end, top), (end, y - 15), kind="to")


if __name__ == "__main__":
    save(__file__, "A binomial tree up to rank 0",
         "Eight ranks in three rows, one for each step. In step 1 ranks 1, 3, 5 and 7 send to 0, 2, 4 and 6; in step 2 "
         "ranks 2 and 6 send to 0 and 4; in step 3 rank 4 sends to rank 0.", 266,
         *level(0), *level(1), *level(2),
         text(352, 248, "blue sends its sum, orange adds; white has sent already and waits for the way down", "soft"))
