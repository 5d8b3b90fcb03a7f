"""Draws images/roles.svg: the three roles of MXNet's distributed store, and what goes between them.

To draw it again: python images/roles.py
"""
from svg import GREEN, ORANGE, SOFT, VIOLET, box, line, save, text

WIDE, HIGH = 168, 92                # of a worker and of a server
LEFT, RIGHT, MIDDLE = 42, 494, 352  # where workers begin, where servers do, and the middle of the card
ABOVE, BELOW = 86, 226              # the tops of the two rows
NEAR, APART = 18, 16                # from an edge to the first arrow, and from a push to its pull
BUS = 36                            # the height of the scheduler's lines


def pair(left, right):
    """A push to the right, and below it a pull back."""
    push, pull = ((LEFT + WIDE, left), (RIGHT, right)), ((RIGHT, right + APART), (LEFT + WIDE, left + APART))
    return line(*push, kind="to") + line(*pull, kind="to")


def arrows():
    high, low = ABOVE + NEAR, BELOW + HIGH - NEAR - APART     # the level pairs
    upper, lower = ABOVE + HIGH - NEAR - APART, BELOW + NEAR  # the ends of the crossing ones
    yield pair(high, high) + pair(upper, lower) + pair(lower, upper) + pair(low, low)
    for y in (high, low):
        yield text(MIDDLE, y - 11, "push") + text(MIDDLE, y + APART + 11, "pull")
    for start, end in ((upper, lower), (lower, upper)):
        slope, far = (end - start) / (RIGHT - LEFT - WIDE), 50  # from the box where an arrow starts to its word
        yield text(LEFT + WIDE + far, start + slope * far - 15, "push")
        yield text(RIGHT - far, end - slope * far + APART + 15, "pull")


def scheduler():
    low = BELOW + HIGH / 2
    for x, side in ((LEFT, -1), (RIGHT, 1)):  # the lower row is reached from outside
        middle, edge = x + WIDE / 2, x + WIDE * (side > 0)
        yield (f'<path d="M{MIDDLE} {BUS}H{edge + 20 * side}V{low:g}H{edge}M{middle:g} {BUS}V{ABOVE}" '
               f'style="stroke:{SOFT};stroke-width:1"/>')
        yield text((middle + MIDDLE + 64 * side) / 2, BUS - 11, "who is there", "soft")
    yield box(MIDDLE - 64, BUS - 18, 128, 36, "scheduler", VIOLET)


def processes():
    for i, (y, keys) in enumerate(((ABOVE, "a, c"), (BELOW, "b, d"))):
        yield box(LEFT, y, WIDE, HIGH, f"worker {i}\ncomputes gradients", ORANGE)
        yield box(RIGHT, y, WIDE, HIGH, f"server {i}\nkeys {keys}\nkeeps sums or weights", GREEN)


if __name__ == "__main__":
    save(__file__, "Scheduler, servers and workers",
         "Two workers on the left, two servers on the right: server 0 with the keys a and c, server 1 with b and d. "
         "Each worker pushes gradients to each server, and pulls sums or weights back. The scheduler, above them, has "
         "a line to all four: it knows who is there.",
         366, *scheduler(), *arrows(), *processes(),
         text(MIDDLE, 343, "dist_sync: a server answers when all have pushed; dist_async: at once", "soft"))
