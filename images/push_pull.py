"""Draws images/push_pull.svg: servers with keys and clocks, workers that push and pull.

To draw it again: python images/push_pull.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, line, save, text

CLOCKS = (7, 9, 8, 7)


def server(x, name, keys):
    yield box(x, 24, 250, 108, "", WHITE) + text(x + 125, 40, name, "strong")
    for i, (key, fill) in enumerate(keys):
        yield box(x + 20 + 110 * i, 56, 100, 26, key, fill)
    yield text(x + 20, 112, "clocks", "start soft")
    yield from (box(x + 78 + 40 * i, 100, 34, 22, str(clock), BLUE) for i, clock in enumerate(CLOCKS))


def workers():
    for i, clock in enumerate(CLOCKS):
        x = 46 + 160 * i
        for server_x, shift in ((177, 0), (527, 1)):
            above, below = server_x - 51 + 34 * i, x + 40 + 36 * shift
            yield line((below, 246), (above - 6, 132), kind="to")
            yield line((above + 8, 132), (below + 14, 246), kind="to")
        yield box(x, 246, 132, 44, f"worker {i}\nstep {clock}", GREEN)


if __name__ == "__main__":
    save(__file__, "Push and pull",
         "Two servers, each with two keys and one clock a worker. Four workers at steps 7, 9, 8 and 7; arrows go up to "
         "push gradients and down to pull values.", 340,
         *server(52, "server 0", (("W1", ORANGE), ("W2", VIOLET))),
         *server(402, "server 1", (("b1", ORANGE), ("b2", VIOLET))), *workers(),
         text(352, 318, "up: push(key, gradient)     down: pull(key)", "soft"))
