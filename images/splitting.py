"""Draws images/splitting.svg, three ways to split a network over two devices: python images/splitting.py"""
import svg

WAYS = (  # and what crosses, of a batch b and layers of width w
    ("by layers", "activations at the cut: b × w"), ("by channels", "sums of activations: b × w"),
    ("by data", "sums of gradients: w × w"),
)
LEFT, PANEL, SIDE, HEIGHT, STEP = 24, 224, 208, 30, 52  # of a panel: where, how far apart, how wide; of a layer


def layers(x: float, width: float, colour: str, names: dict[int, str]) -> str:
    """Boxes for layers from below, 1 to 4, with arrows between neighbours."""
    y = {n: 232 - STEP * (n - 1) for n in names}
    middle = x + width / 2
    up = [svg.line((middle, y[n]), (middle, y[n + 1] + HEIGHT), kind="to") for n in names if n + 1 in names]
    return "".join(up + [svg.box(x, y[n], width, HEIGHT, names[n], colour) for n in names])


def batch(x: float, width: float, words: str, colour: str = svg.WHITE) -> str:
    """The batch below, and its arrow into layer 1."""
    arrow = svg.line((x + width / 2, 288), (x + width / 2, 262), kind="to")
    return svg.box(x, 288, width, HEIGHT, words, colour) + arrow


def exchange(x1: float, x2: float, y: float) -> str:
    return svg.line((x1, y), (x2, y), kind="both")


def by_layers(x: float) -> list[str]:
    lower = layers(x + 8, 92, svg.BLUE, {1: "layer 1", 2: "layer 2"})
    upper = layers(x + 108, 92, svg.ORANGE, {3: "layer 3", 4: "layer 4"})
    cut = svg.line((x + 54, 180), (x + 54, 143), (x + 108, 143), kind="both")
    return [lower, upper, cut, batch(x + 8, 92, "the batch")]


def by_channels(x: float) -> list[str]:
    parts = []
    for left, colour in ((x + 8, svg.BLUE), (x + 116, svg.ORANGE)):
        parts += [layers(left, 84, colour, {n: f"½ of {n}" for n in range(1, 5)}), batch(left, 84, "the batch")]
    return parts + [exchange(x + 92, x + 116, y) for y in (195, 91)]  # after layers 2 and 4


def by_data(x: float) -> list[str]:
    parts = []
    for left, colour, words in ((x, svg.BLUE, "first half"), (x + 116, svg.ORANGE, "second half")):
        parts += [layers(left, 92, colour, {n: f"layer {n}" for n in range(1, 5)}), batch(left, 92, words)]
    return parts + [exchange(x + 92, x + 116, y) for y in (91, 143, 195, 247)]


def main() -> None:
    parts = []
    for place, ((title, what), draw) in enumerate(zip(WAYS, (by_layers, by_channels, by_data), strict=True)):
        x = LEFT + PANEL * place
        parts += [svg.text(x + SIDE / 2, 30, title, "strong"), svg.text(x + SIDE / 2, 50, what, "soft"), *draw(x)]
    parts += [
        svg.box(236, 338, 16, 14, fill=svg.BLUE), svg.text(260, 345, "device 0", "start"),
        svg.box(356, 338, 16, 14, fill=svg.ORANGE), svg.text(380, 345, "device 1", "start"),
    ]
    svg.save(
        __file__, "Three ways to split a network over two devices",
        "By layers: device 0 holds layers 1 and 2, device 1 layers 3 and 4, and activations, batch times width, cross "
        "the cut. By channels: each device holds half of every layer, and sums of activations are made after layers "
        "2 and 4. By data: each device holds every layer and takes half of the batch, and the gradients of every "
        "layer, width times width, are added.",
        366, *parts,
    )


if __name__ == "__main__":
    main()
