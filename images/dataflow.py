"""Draws images/dataflow.svg, the flow of data through `fancy_func`. To draw it again: python images/dataflow.py

    def fancy_func(a, b, c, d):
        e = add(a, b)
        f = add(c, d)
        g = add(e, f)
        return g

The figure stands on a card of its own, so it reads the same on a light and on a dark page.
"""
from pathlib import Path

INK, PAPER, EDGE = "#1f2933", "#fbfaf7", "#d9d4c7"
INPUT, SUM = "#dbe7f3", "#f6dfc4"  # what is given, and what is computed
RADIUS = 24
NODES = {  # name: (x, y, colour)
    "a": (60, 50, INPUT), "b": (60, 126, INPUT), "c": (60, 202, INPUT), "d": (60, 278, INPUT),
    "e": (240, 88, SUM), "f": (240, 240, SUM), "g": (420, 164, SUM),
}
ARROWS = ["ae", "be", "cf", "df", "eg", "fg"]
CODE = {"e": "e = add(a, b)", "f": "f = add(c, d)", "g": "g = add(e, f)"}


def arrow(start: str, end: str) -> str:
    """A line from the rim of one circle to just before the rim of the other."""
    (x1, y1, _), (x2, y2, _) = NODES[start], NODES[end]
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    x1, y1, x2, y2 = x1 + dx * RADIUS, y1 + dy * RADIUS, x2 - dx * (RADIUS + 9), y2 - dy * (RADIUS + 9)
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" marker-end="url(#head)"/>'


def node(name: str) -> str:
    x, y, colour = NODES[name]
    circle = f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{colour}"/>'
    letter = f'<text class="name" x="{x}" y="{y + 6}">{name}</text>'
    code = f'<text class="code" x="{x}" y="{y + RADIUS + 20}">{CODE[name]}</text>' if name in CODE else ""
    return circle + letter + code


def draw() -> str:
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 328" width="500" height="328" role="img">
<title>The flow of data through fancy_func</title>
<desc>a and b are added to e, c and d are added to f, and e and f are added to g.</desc>
<defs>
<marker id="head" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 10 5 0 10z" fill="{INK}"/>
</marker>
</defs>
<style>
circle, line {{ stroke: {INK}; stroke-width: 1.5 }}
text {{ fill: {INK}; text-anchor: middle }}
.name {{ font: italic 19px Georgia, "Times New Roman", serif }}
.code {{ font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
</style>
<rect x="0.5" y="0.5" width="499" height="327" rx="10" fill="{PAPER}" stroke="{EDGE}"/>
{chr(10).join(arrow(*pair) for pair in ARROWS)}
{chr(10).join(node(name) for name in NODES)}
</svg>
"""


if __name__ == "__main__":
    target = Path(__file__).with_suffix(".svg")
    target.write_text(draw(), encoding="utf8")
    print(f"drew {target.name}")
