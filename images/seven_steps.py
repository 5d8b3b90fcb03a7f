"""Draws images/seven_steps.svg: three machines with four GPUs each and one server; a gradient's way in seven steps.

To draw it again: python images/seven_steps.py
"""
from svg import BLUE, GREEN, ORANGE, box, line, save, text


def machine(x, name):
    middle = x + 106
    for shift, kind in ((-24, "up"), (24, "down")):
        top, bottom = (middle + shift, 104), (352 + (middle - 352) * 0.28 + shift / 2, 60)
        yield line(*((top, bottom) if kind == "up" else (bottom, top)), kind="to")
    yield box(x, 84, 212, 236, fill="none", kind="frame")
    yield text(middle - 62, 152, "3", "strong") + text(middle + 62, 152, "6", "strong")
    yield line((middle - 40, 178), (middle - 40, 138), kind="to")
    yield line((middle + 40, 138), (middle + 40, 178), kind="to")
    yield box(middle - 52, 104, 104, 34, "CPU", GREEN)
    yield box(middle - 52, 178, 104, 34, "GPU 0", ORANGE)
    for i in range(3):
        left = x + 12 + 66 * i
        aim = middle - 34 + 34 * i
        yield line((left + 22, 258), (aim - 6, 212), kind="to") + line((aim + 8, 212), (left + 36, 258), kind="to")
        yield box(left, 258, 56, 34, f"GPU {i + 1}", ORANGE)
    yield text(x + 22, 232, "2", "strong") + text(x + 190, 232, "7", "strong")
    yield text(x + 40, 306, "1", "strong") + text(x + 52, 306, "make gradients", "start")
    yield text(middle, 334, name, "soft")


if __name__ == "__main__":
    save(__file__, "Seven steps of a push over several machines",
         "Three machines, each with a CPU and four GPUs, and one server above. Arrows with numbers go up from the GPUs "
         "to GPU 0, to the CPU and to the server, and the same way down again.", 352,
         *machine(20, "machine 0"), *machine(246, "machine 1"), *machine(472, "machine 2"),
         box(272, 20, 160, 40, "server: adds, updates", BLUE),
         *(text(x, y, "4", "strong") for x, y in ((180, 68), (320, 74), (499, 104))),
         *(text(x, y, "5", "strong") for x, y in ((205, 104), (384, 74), (524, 68))))
