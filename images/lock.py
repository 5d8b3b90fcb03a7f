"""Draws images/lock.svg: two threads that pass one lock to each other.

To draw it again: python images/lock.py
"""
from svg import BLUE, GREEN, box, save, text

GREY, UNIT, LEFT, LANE = "#e4e4e2", 64, 96, 28  # pixels for a unit of time, where time starts, height of a lane


def panel(top, title, lanes):
    """Two lanes of bars (length, kind): Python with the lock, a product without it, or a wait for the lock."""
    yield text(18, top, title, "start strong")
    for number, bars in enumerate(lanes, 1):
        x, y = LEFT, top + 16 + (number - 1) * (LANE + 4)
        yield text(LEFT - 10, y + LANE / 2, f"thread {number}", "end soft")
        for length, kind in bars:
            fill = {"Python": GREEN, "product": BLUE, "wait": GREY}[kind]
            yield box(x, y, length * UNIT, LANE, kind if length >= 1 else "", fill)
            x += length * UNIT
    total = max(sum(length for length, _ in bars) for bars in lanes)
    yield text(LEFT + total * UNIT + 8, top + 16 + LANE + 2, f"{total:g}", "start strong")


def key(top):
    """What the bars without a word are."""
    for place, (words, fill) in enumerate({"Python, with the lock": GREEN, "product, without it": BLUE,
                                           "waits for the lock": GREY}.items()):
        x = LEFT + 190 * place
        yield box(x, top, 22, 14, "", fill)
        yield text(x + 30, top + 7, words, "start soft")


if __name__ == "__main__":
    half, turn = ((1, "Python"), (1, "product")), ((0.5, "Python"), (0.5, "wait"))
    loop, product = (*turn * 2, (0.5, "Python")), (1.5, "product")
    again = (1, "Python"), (0.5, "wait"), (0.5, "Python")  # who asks later waits for an interval first
    save(__file__, "Two threads and one lock",
         "Three panels with two lanes. Two Python loops take turns, and each waits while the other runs. In short "
         "jobs that are half product, the second thread starts one loop later, and then nobody waits. In long jobs "
         "the lock changes hands within the loops, which end an interval or two apart, and then both threads "
         "multiply. The totals are 8, 9 and 8.5; for the last the formula says 9.", 328,
         *panel(22, "Python only: the lock is never free, and two threads take as long as one after the other",
                [((2, "Python"), (2, "wait")) * 2, ((2, "wait"), (2, "Python")) * 2]),
         *panel(116, "Short jobs, half Python: while one thread multiplies, the other has the lock",
                [half * 4, ((1, "wait"), *half * 4)]),
         *panel(210, "Long jobs, half Python: loops end an interval or two apart, then both multiply (formula: 9)",
                [(*loop, product, *again, product),
                 ((0.5, "wait"), *loop, product, (0.5, "wait"), *again[::-1], product)]),
         *key(302))
