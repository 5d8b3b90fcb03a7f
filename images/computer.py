"""Draws images/computer.svg, a computer's parts and the links between them.

To draw it again: python images/computer.py
"""
from svg import BLUE, GREEN, ORANGE, VIOLET, WHITE, box, frame, line, save, text


def draw():
    cores = [box(268 + 44 * i, 170, 36, 30, "core", WHITE) for i in range(4)]
    memory = [box(256 + 50 * i, 26, 42, 44, "DRAM", GREEN) for i in range(4)]
    channels = [line((277 + 50 * i, 70), (277 + 50 * i, 140), kind="both") for i in range(4)]
    gpus = [box(520, y, 76, 60, f"GPU {i}", ORANGE) + box(612, y, 70, 60, "HBM", GREEN)
            + line((596, y + 30), (612, y + 30), kind="both") + line((452, 180 + 20 * i), (486, 180 + 20 * i),
            (486, y + 30), (520, y + 30), kind="both") for i, y in enumerate((100, 214))]
    return [
        *memory, *channels, text(244, 106, "memory\nchannels", "end soft"),
        box(252, 140, 200, 110, "", BLUE), text(352, 155, "Processor", "strong"), *cores,
        box(268, 210, 168, 28, "shared cache", WHITE),
        *gpus, line((558, 160), (558, 214), kind="both"), text(568, 187, "NVLink", "start soft"),
        text(492, 292, "PCI Express,\n16 lanes each", "start soft"),
        box(24, 132, 120, 44, "NVMe SSD", VIOLET), line((144, 154), (252, 154), kind="both"),
        text(198, 142, "4 lanes", "soft"),
        box(24, 214, 120, 44, "network card", VIOLET), line((144, 236), (252, 236), kind="both"),
        text(198, 224, "16 lanes", "soft"),
        line((84, 258), (84, 318), kind="both"), frame(24, 318, 250, 50, "Network"),
        text(149, 351, "a switch, and other computers"),
        line((352, 250), (352, 318), kind="both"), box(300, 318, 104, 50, "chipset", VIOLET),
        line((404, 343), (440, 343), kind="both"), box(440, 324, 150, 38, "disks, USB, clock", VIOLET),
    ]


if __name__ == "__main__":
    save(__file__, "A computer's parts and links",
         "A processor with four cores and a shared cache stands in the middle. "
         "Four memory modules hang on channels of their own. Two GPUs, each with its own memory, an SSD and a network "
         "card hang on PCI Express; NVLink joins the GPUs directly. Slow devices hang on a chipset.", 392, *draw())
