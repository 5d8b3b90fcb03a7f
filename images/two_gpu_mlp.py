"""Draws images/two_gpu_mlp.svg, a training step of a two-layer network on a CPU and two GPUs.

To draw it again: python images/two_gpu_mlp.py. The lesson on parallelism runs this graph, and draws it from its tasks.
The figure stands on a card of its own, so it reads the same on a light and on a dark page.
"""
from itertools import pairwise
from pathlib import Path

INK, PAPER, EDGE = "#1f2933", "#fbfaf7", "#d9d4c7"
ROWS = {  # device: (label, top and bottom of its band)
    "A": ("device A", 16, 96), "host": ("host", 108, 248), "B": ("device B", 260, 340),
}
COMPUTE, MESSAGE, HOST = "#dbe7f3", "#f6dfc4", "#d9ece2"  # the kinds of work, as in the lesson's time lines
KINDS = {"split": MESSAGE, "send": MESSAGE, "sum": HOST, "update": HOST}
CHAIN = ("split", "forward 1", "forward 2", "loss", "backward 2", "backward 1")
LEFT, STEP, WIDTH, HEIGHT = 131, 92, 75, 42  # of the first box's centre, between columns, of a box


def build() -> tuple[dict, list]:
    """The tasks, name: (x, y), and the arrows between them."""
    middle = {"A": 56, "B": 300}
    nodes, arrows = {}, []
    for device, y in middle.items():
        for column, stage in enumerate(CHAIN):
            nodes[f"{stage} {device}"] = LEFT + STEP * column, y
        arrows += [(f"{a} {device}", f"{b} {device}") for a, b in pairwise(CHAIN)]
    for layer, column, y in ((2, 5, 142), (1, 6, 214)):
        nodes[f"sum {layer}"] = LEFT + STEP * column, y
        nodes[f"update {layer}"] = LEFT + STEP * (column + 1.25), y
        arrows.append((f"sum {layer}", f"update {layer}"))
        for device in middle:
            nodes[f"send {layer} {device}"] = LEFT + STEP * (column + 2), middle[device]
            arrows += [(f"backward {layer} {device}", f"sum {layer}"), (f"update {layer}", f"send {layer} {device}")]
    return nodes, arrows


def rim(x: float, y: float, dx: float, dy: float, gap: float) -> tuple[float, float]:
    """Where a line from the centre of a box towards (dx, dy) leaves it, ``gap`` further on."""
    reach = min((WIDTH / 2) / abs(dx) if dx else 9e9, (HEIGHT / 2) / abs(dy) if dy else 9e9)
    length = (dx * dx + dy * dy) ** 0.5
    return x + dx * reach + gap * dx / length, y + dy * reach + gap * dy / length


def arrow(start: tuple, end: tuple) -> str:
    dx, dy = end[0] - start[0], end[1] - start[1]
    (x1, y1), (x2, y2) = rim(*start, dx, dy, 0), rim(*end, -dx, -dy, 7)
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" marker-end="url(#head)"/>'


def box(name: str, x: float, y: float) -> str:
    words = name.removesuffix(" A").removesuffix(" B").split()  # the number of a layer has a line of its own
    left, top, colour = x - WIDTH / 2, y - HEIGHT / 2, KINDS.get(words[0], COMPUTE)
    return (f'<rect class="task" x="{left:g}" y="{top:g}" width="{WIDTH}" height="{HEIGHT}" rx="7" fill="{colour}"/>'
            + "".join(f'<text x="{x:g}" y="{y + 5 + 16 * (i - (len(words) - 1) / 2):g}">{word}</text>'
                      for i, word in enumerate(words)))


def draw() -> str:
    nodes, arrows = build()
    width, height = LEFT + STEP * 8 + 60, 356
    bands = "\n".join(
        f'<rect class="band" x="12" y="{top}" width="{width - 24}" height="{bottom - top}" rx="8"/>'
        f'<text class="device" x="22" y="{(top + bottom) / 2 + 5:g}">{label}</text>'
        for label, top, bottom in ROWS.values()
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"
role="img">
<title>A training step of a two-layer network on a CPU and two GPUs</title>
<desc>Each GPU takes half of the batch through split, forward 1, forward 2, loss, backward 2 and backward 1.
For each layer the CPU adds the two gradients as soon as both are there, updates the weights, and sends them to both.
Layer 2 comes first: it is added, updated and sent while the GPUs still compute backward 1.</desc>
<defs>
<marker id="head" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 10 5 0 10z" fill="{INK}"/>
</marker>
</defs>
<style>
.task, line {{ stroke: {INK}; stroke-width: 1.3 }}
.band {{ fill: none; stroke: {EDGE}; stroke-dasharray: 4 4 }}
text {{ fill: {INK}; text-anchor: middle; font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }}
.device {{ text-anchor: start; font-weight: 600 }}
</style>
<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10" fill="{PAPER}" stroke="{EDGE}"/>
{bands}
{chr(10).join(arrow(nodes[a], nodes[b]) for a, b in arrows)}
{chr(10).join(box(name, *node) for name, node in nodes.items())}
</svg>
"""


if __name__ == "__main__":
    target = Path(__file__).with_suffix(".svg")
    target.write_text(draw(), encoding="utf8")
    print(f"drew {target.name}")
