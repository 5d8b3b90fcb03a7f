"""Draws images/push_pull.svg: servers with keys and clocks, workers that push and pull.

To draw it again: python images/push_pull.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, line, save, text

CLOCKS, SLACK = (7, 9, 8, 7), 1


def server(x, name, keys):
    yield box(x, 24, 250, 108, "", WHITE) + text(x + 125, 40, name, "strong")
    for i, (key, fill) in enumerate(keys):
        yield box(x + 20 + 110 * i, 56, 100, 26, key, fill)
    yield text(x + 20, 112, "clocks", "start soft")
    yield from (box(x + 78 + 40 * i, 100, 34, 22, str(clock), BLUE) for i, clock in enumerate(CLOCKS))


def workers():
    for i, clock in enumerate(CLOCKS):
        x, waits = 46 + 160 * i, clock - SLACK > min(CLOCKS)
        for server_x, shift in ((177, 0), (527, 1)):
            above, below = server_x - 51 + 34 * i, x + 44 + 44 * shift
            yield line((below, 246), (above, 132), kind="to" if waits else "both")
        yield box(x, 246, 132, 44, f"worker {i}\nclock {clock}" + ": waits" * waits, WHITE if waits else GREEN)


if __name__ == "__main__":
    save(__file__, "Push and pull",
         "Two servers, each with two keys and one clock a worker. Four workers with clocks 7, 9, 8 and 7; arrows go up "
         "to push gradients and down to answer pulls. With slack 1 the worker with clock 9 gets no answer.", 340,
         *server(52, "server 0", (("W1", ORANGE), ("W2", VIOLET))),
         *server(402, "server 1", (("b1", ORANGE), ("b2", VIOLET))), *workers(),
         text(352, 318, "slack 1 · up: push(key, gradient) · down: the answer to pull(key)", "soft"))
