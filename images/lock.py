"""Draws images/lock.svg: two threads that pass one lock to each other.

To draw it again: python images/lock.py
"""
from svg import box, save, text

GREEN, BLUE, GREY = "#a6d8bb", "#a9c8ee", "#f3f1ec"  # strong enough to be told apart when a dark page inverts them
UNIT, LEFT, LANE = 33, 34, 24  # pixels for a unit of time, where time starts, height of a lane
WIDTH = 372  # narrow: a phone shows it whole


def panel(top, title, words, lanes):
    """Two lanes of bars (length, kind): Python with the lock, a product without it, or a wait for the lock."""
    yield text(18, top, title, "start strong")
    yield text(18, top + 2 * LANE + 28 + 8 * words.count("\n"), words, "start soft")
    for number, bars in enumerate(lanes, 1):
        x, y = LEFT, top + 12 + (number - 1) * (LANE + 4)
        yield text(LEFT - 8, y + LANE / 2, str(number), "end soft")
        for length, kind in bars:
            fill = {"Python": GREEN, "product": BLUE, "wait": GREY}[kind]
            yield box(x, y, length * UNIT, LANE, kind if length >= 2 else "", fill)
            x += length * UNIT
    total = max(sum(length for length, _ in bars) for bars in lanes)
    yield text(LEFT + total * UNIT + 8, top + 12 + LANE + 2, f"{total:g}", "start strong")


def key(top):
    """What the bars without a word are."""
    for x, words, fill in ((18, "Python", GREEN), (98, "product", BLUE), (182, "waits for the lock", GREY)):
        yield box(x, top, 16, 14, "", fill)
        yield text(x + 22, top + 7, words, "start")
    yield text(18, top + 32, "1 and 2: the threads. Bold: how long both take.", "start soft")


if __name__ == "__main__":
    half, turn = ((1, "Python"), (1, "product")), ((0.5, "Python"), (0.5, "wait"))
    loop, product = (*turn * 2, (0.5, "Python")), (1.5, "product")
    again = (1, "Python"), (0.5, "wait"), (0.5, "Python")  # who asks later waits for an interval first
    save(__file__, "Two threads and one lock",
         "Three panels with two lanes. Two Python loops take turns, and each waits while the other runs: 8 at once, 8 "
         "in a row. In short jobs that are half product, the second thread starts one loop later, and then nobody "
         "waits: 9 at once, 16 in a row. In long jobs the lock changes hands within the loops, which end an interval "
         "or two apart, and then both threads multiply: 8.5 at once, 12 in a row. The formula says 9.", 408,
         *key(16),
         *panel(76, "Python only", "In a row: 8. The lock is never free.",
                [((2, "Python"), (2, "wait")) * 2, ((2, "wait"), (2, "Python")) * 2]),
         *panel(180, "Short jobs: m = 4, p = q = 1",
                "m (p + q) + p = 9. In a row: 16. While one\nthread multiplies, the other has the lock.",
                [half * 4, ((1, "wait"), *half * 4)]),
         *panel(298, "Long jobs: m = 2, p = q = 1.5",
                "About m (2p + q) = 9. In a row: 12. The loops\nend almost together, then both multiply.",
                [(*loop, product, *again, product),
                 ((0.5, "wait"), *loop, product, (0.5, "wait"), *again[::-1], product)]), width=WIDTH)
