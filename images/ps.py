"""Draws images/ps.svg: three places at which four GPUs can add up their gradients.

To draw it again: python images/ps.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, frame, grid, line, save, text

SHARES = (BLUE, GREEN, ORANGE, VIOLET)


def panel(x, name, place, says):
    """Four GPUs and a CPU on a switch; the sum is formed at ``place``."""
    yield frame(x, 20, 214, 262, name)
    yield box(x + 67, 118, 80, 30, "switch", WHITE)
    cpu = place == "CPU"
    yield line((x + 107, 84), (x + 107, 118), kind="both" if cpu else "")
    yield box(x + 77, 50, 60, 34, "CPU", ORANGE if cpu else WHITE)
    for i in range(4):
        left = x + 10 + 50 * i
        home = place == f"GPU {i}"
        arrow = "" if place == "GPU 0" and not home and not i else "both"
        yield line((left + 22, 200), (x + 77 + 20 * i, 148), kind=arrow)
        yield box(left, 200, 44, 34, f"GPU {i}", ORANGE if home else BLUE)
        if place == "all":
            yield grid(left + 2, 238, 4, 1, 10, WHITE, marked={(i, 0)})
    yield text(x + 107, 266, says, "soft")


if __name__ == "__main__":
    save(__file__, "Where to add up",
         "Three panels. In each, four GPUs and a CPU are joined by a switch. First, all gradients go to GPU 0 and the "
         "sum comes back. Second, they go to the CPU. Third, each GPU adds up its own quarter of all gradients.", 302,
         *panel(20, "At GPU 0", "GPU 0", "one link: 3 in, 3 out"),
         *panel(245, "At the CPU", "CPU", "one link: 4 in, 4 out"),
         *panel(470, "A quarter at each", "all", "every link: ¾ in and out, twice"))
