"""Draws images/data_parallel.svg, a step of data-parallel training on two devices: python images/data_parallel.py"""
import svg

ROWS = ((0, 62, svg.BLUE, "first half"), (1, 226, svg.ORANGE, "second half"))  # device, top, colour, share
BOX, HIGH = 104, 52


def chain(top: float, colour: str, share: str) -> list[str]:
    """One device's way from its share of the batch to its gradient."""
    y = top + HIGH / 2
    boxes = ((140, f"{share}\nof the batch", svg.WHITE), (276, "loss,\nown weights", colour), (412, "gradient", colour))
    parts = [svg.box(x, top, BOX, HIGH, words, fill) for x, words, fill in boxes]
    return parts + [svg.line((x + BOX, y), (x + BOX + 32, y), kind="to") for x in (140, 276)]


def main() -> None:
    parts = [svg.box(24, 144, 84, HIGH, "batch", svg.WHITE)]
    parts += [svg.box(412, 144, BOX, HIGH, "sum over\nall devices", svg.GREEN)]
    for device, top, colour, share in ROWS:
        parts += [svg.frame(128, top - 28, 558, HIGH + 42, f"device {device}"), *chain(top, colour, share)]
        inner, outer = (top + HIGH, 144) if device == 0 else (top, 144 + HIGH)
        parts.append(svg.line((464, inner), (464, outer), kind="to"))
        parts.append(svg.line((108, 170), (118, 170), (118, top + HIGH / 2), (140, top + HIGH / 2), kind="to"))
        parts.append(svg.box(566, top, BOX, HIGH, "update of\nown weights", colour))
        parts.append(svg.line((516, 170), (618, 170), (618, inner), kind="to"))
    svg.save(
        __file__, "A step of data-parallel training on two devices",
        "The batch is split in two. Each device computes the loss and the gradient of its half with its own copy of "
        "the "
        "weights. The gradients are added, and each device updates its own copy with the sum.",
        316, *parts,
    )


if __name__ == "__main__":
    main()
