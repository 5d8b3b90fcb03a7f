"""Draws images/ring.svg: how many parts each chunk holds, step by step, in a ring of four ranks.

To draw it again: python images/ring.py
"""
from svg import BLUE, GREEN, ORANGE, WHITE, box, line, save, text

N, SIZE = 4, 24


def states():
    """For each step: {(rank, chunk): parts held}, and the chunks that are sent next."""
    held = {(rank, chunk): 1 for rank in range(N) for chunk in range(N)}
    for step in range(2 * (N - 1) + 1):
        sent = {(rank, (rank - step) % N) for rank in range(N)} if step < 2 * (N - 1) else set()
        yield step, dict(held), sent
        before = dict(held)
        for rank, chunk in sent:
            right = (rank + 1) % N
            held[right, chunk] = before[rank, chunk] + (1 if step < N - 1 else 0)


def table(step, held, sent):
    x, y = 78 + 160 * (step % 4), 56 + 176 * (step // 4)
    yield text(x + 2 * SIZE, y - 22, "at the start" if not step else f"after step {step}", "strong")
    for rank in range(N):
        if not step % 4:
            yield text(x - 12, y + SIZE * (rank + 0.5), f"rank {rank}", "end")
        for chunk in range(N):
            parts = held[rank, chunk]
            fill = ORANGE if (rank, chunk) in sent else GREEN if parts == N else BLUE if parts > 1 else WHITE
            yield box(x + SIZE * chunk, y + SIZE * rank, SIZE, SIZE, str(parts), fill)
    if step % 4 != 3 and sent:
        yield line((x + 4 * SIZE + 14, y + 2 * SIZE), (x + 4 * SIZE + 44, y + 2 * SIZE), kind="to")


def legend():
    x, y = 540, 228
    for i, (fill, words) in enumerate(((ORANGE, "is sent next,\nto the rank below"), (GREEN, "full sum"),
                                       (BLUE, "sum of some"), (WHITE, "one rank's own"))):
        yield box(x, y + 33 * i, SIZE, SIZE, "", fill) + text(x + 34, y + 33 * i + 12, words, "start soft")
    yield text(352, 366, "a number says how many ranks are added up there", "soft")


if __name__ == "__main__":
    save(__file__, "A ring of four ranks, step by step",
         "Seven tables of four ranks by four chunks. Each cell says how many parts it holds. After three steps each "
         "rank has one chunk with all four; after three more, all chunks.", 386,
         *(part for state in states() for part in table(*state)), *legend())
