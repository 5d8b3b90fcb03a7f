"""Draws images/computer.svg, a computer's parts and the links between them.

To draw it again: python images/computer.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, line, save, text


def processor():
    for i in range(4):
        yield box(208 + 64 * i, 26, 56, 36, "DRAM", GREEN)
        yield line((236 + 64 * i, 62), (236 + 64 * i, 116), kind="both")
    yield text(442, 90, "memory channels", "start soft")
    yield box(226, 116, 212, 164, "", WHITE) + text(332, 136, "Processor", "strong")
    yield from (box(236 + 50 * i, 156, 42, 44, "core", ORANGE) for i in range(4))
    yield box(236, 216, 192, 44, "shared cache", BLUE)


def devices():
    for i, (y, device, lanes) in enumerate(((145, "NVMe SSD", 4), (251, "network card", 16))):
        yield box(24, y - 25, 110, 50, device, VIOLET) + line((134, y), (226, y), kind="both")
        yield text(180, y - 13, f"PCIe ×{lanes}", "soft")
        yield box(530, y - 25, 76, 50, f"GPU {i}", ORANGE) + line((438, y), (530, y), kind="both")
        yield text(484, y - 13, "PCIe ×16", "soft")
        yield line((606, y), (630, y), kind="both") + box(630, y - 25, 50, 50, "HBM", GREEN)
    yield line((568, 170), (568, 226), kind="both") + text(580, 198, "NVLink", "start soft")
    yield line((79, 276), (79, 328), kind="both") + text(90, 302, "Ethernet", "start soft")
    yield box(24, 328, 140, 50, "switch, and\nother computers", WHITE)
    yield line((332, 280), (332, 328), kind="both") + box(277, 328, 110, 50, "chipset", VIOLET)
    yield line((387, 353), (530, 353), kind="both") + text(459, 340, "SATA, USB, …", "soft")
    yield box(530, 328, 150, 50, "slow devices", VIOLET)


if __name__ == "__main__":
    save(__file__, "A computer's parts and links",
         "A processor with four cores and a shared cache stands in the middle. Four memory modules hang on channels "
         "of their own. Two GPUs, each with its own memory, an SSD and a network card hang on PCI Express; NVLink "
         "joins the GPUs directly, Ethernet leads to other computers. Slow devices hang on a chipset.",
         402, *processor(), *devices())
