"""What drawings of this folder share: a card of paper with boxes, words and arrows, as SVG.

The card reads the same on a light and on a dark page. It is 704 wide, as wide as the page shows a drawing
at least (on a phone in a box that scrolls), so letters are never smaller than they are here.
"""
from html import escape
from pathlib import Path

# Blue: a cache, or what is given. Green: a memory. Orange: what computes, or is computed. Violet: controls, connects.
INK, SOFT, PAPER, EDGE = "#1f2933", "#56616b", "#fbfaf7", "#d9d4c7"
BLUE, ORANGE, GREEN, VIOLET, WHITE = "#dbe7f3", "#f6dfc4", "#d9ece2", "#e9e0f2", "#ffffff"
WIDTH, LINE = 704, 16  # of the card, and from one line of words to the next


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words around a point, or from it (kind "start") or up to it ("end"); a newline starts a line of its own."""
    lines = words.split("\n")
    top = y + 4.5 - LINE * (len(lines) - 1) / 2
    place = f' class="{kind}"' if kind else ""
    return "".join(
        f'<text{place} x="{x:g}" y="{top + LINE * i:g}">{escape(words)}</text>' for i, words in enumerate(lines))


def box(x: float, y: float, width: float, height: float, words: str = "", fill: str = BLUE, kind: str = "") -> str:
    """A box by its upper left corner, with words in its middle."""
    place = f' class="{kind}"' if kind else ""
    shape = f'<rect{place} x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" fill="{fill}"/>'
    return shape + (text(x + width / 2, y + height / 2, words) if words else "")


def frame(x: float, y: float, width: float, height: float, words: str) -> str:
    """A dashed frame around boxes, with its name in the upper left corner."""
    return box(x, y, width, height, fill="none", kind="frame") + text(x + 9, y + 14, words, "start strong")


def line(*points: tuple[float, float], kind: str = "") -> str:
    """A line through points. Kind "to" ends in an arrow, "both" has one at each end, "fast" is thick."""
    ends = {"to": ' marker-end="url(#to)"', "both": ' marker-start="url(#to)" marker-end="url(#to)"',
            "fast": ' class="fast"'}.get(kind, "")
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path d="M{path}"{ends}/>'


def grid(x: float, y: float, columns: int, rows: int, size: float, fill: str, marked=()) -> str:
    """Square cells; those in ``marked``, as (column, row), are orange."""
    width, height = columns * size, rows * size
    cells = "".join(f'<rect x="{x + c * size:g}" y="{y + r * size:g}" width="{size:g}" height="{size:g}" '
                    f'fill="{ORANGE}"/>' for c, r in marked)
    inner = "".join([f"M{x + c * size:g} {y:g}v{height:g}" for c in range(1, columns)]
                    + [f"M{x:g} {y + r * size:g}h{width:g}" for r in range(1, rows)])
    ground = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>'
    return ground + cells + (f'<path d="{inner}"/>' if inner else "")


def save(script: str, title: str, description: str, height: float, *parts: str, width: float = WIDTH) -> None:
    """Write the drawing beside its script, under the same name. One that is narrower fits a phone as it is."""
    target = Path(script).with_suffix(".svg")
    body = "\n".join(parts)
    target.write_text(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"
height="{height}" role="img">
<title>{escape(title)}</title>
<desc>{escape(description)}</desc>
<defs>
<marker id="to" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
<path d="M0 0 10 5 0 10z" style="fill:{INK};stroke:none"/>
</marker>
</defs>
<style>
rect, path, circle {{ stroke: {INK}; stroke-width: 1.2 }}
path {{ fill: none }}
.card {{ stroke: {EDGE} }}
.frame {{ stroke: {SOFT}; stroke-dasharray: 4 4 }}
text {{ fill: {INK}; text-anchor: middle; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }}
.start {{ text-anchor: start }}
.end {{ text-anchor: end }}
.strong {{ font-weight: 600 }}
.soft {{ fill: {SOFT} }}
.fast {{ stroke-width: 4 }}
</style>
<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10" fill="{PAPER}"/>
{body}
</svg>
""", encoding="utf8")
    print(f"drew {target.name}")
