"""Draws images/lock.svg: two threads that pass one lock to each other.

To draw it again: python images/lock.py
"""
from svg import BLUE, GREEN, box, save, text

GREY, UNIT, LEFT, LANE = "#e4e4e2", 34, 34, 24  # pixels for a unit of time, where time starts, height of a lane
WORDS = 392  # where the words beside the lanes start: the lanes are narrow, and a phone shows them whole


def panel(top, title, words, lanes):
    """Two lanes of bars (length, kind): Python with the lock, a product without it, or a wait for the lock."""
    yield text(18, top, title, "start strong")
    yield text(WORDS, top + 14 + LANE, words, "start soft")
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
    yield text(WORDS, top + 7, "In each panel: threads 1 and 2.", "start soft")


if __name__ == "__main__":
    half, turn = ((1, "Python"), (1, "product")), ((0.5, "Python"), (0.5, "wait"))
    loop, product = (*turn * 2, (0.5, "Python")), (1.5, "product")
    again = (1, "Python"), (0.5, "wait"), (0.5, "Python")  # who asks later waits for an interval first
    save(__file__, "Two threads and one lock",
         "Three panels with two lanes. Two Python loops take turns, and each waits while the other runs. In short "
         "jobs that are half product, the second thread starts one loop later, and then nobody waits. In long jobs "
         "the lock changes hands within the loops, which end an interval or two apart, and then both threads "
         "multiply. The totals are 8, 9 and 8.5; for the last the formula says 9.", 312,
         *key(16),
         *panel(54, "Python only", "The lock is never free: two threads take\nas long as one after the other.",
                [((2, "Python"), (2, "wait")) * 2, ((2, "wait"), (2, "Python")) * 2]),
         *panel(142, "Short jobs, half Python", "While one thread multiplies,\nthe other has the lock.",
                [half * 4, ((1, "wait"), *half * 4)]),
         *panel(230, "Long jobs, half Python",
                "The loops end an interval or two apart,\nthen both multiply. The formula says 9.",
                [(*loop, product, *again, product),
                 ((0.5, "wait"), *loop, product, (0.5, "wait"), *again[::-1], product)]))
