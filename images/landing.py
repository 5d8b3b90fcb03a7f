"""A result of the course in one picture: all-reduce over machines, predicted from two numbers of a link, and measured.

The points are the medians of records/cluster.json, the lines `costs` with α and B from the same record's pings.
"""
import json
import sys
from math import log10
from pathlib import Path
from statistics import median

import svg
from svg import text

ROOT = Path(svg.__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from d2l_helpers.distributed import costs  # noqa: E402

MB, SHORT, LONG = 10**6, 10**6, 4 * 10**6
LINE, DOT, INK, SOFT, GRID = "#1f5fb0", "#c05a00", "#1f2933", "#56616b", "#dcd8cd"
LEFT, RIGHT, TOP, FLOOR, WIDTH, HEIGHT = 52, 420, 84, 256, 560, 330


def drawing() -> str:
    runs = json.loads((ROOT / "records/cluster.json").read_text(encoding="utf8"))["runs"]
    pings, measured = ({case: median(times) for case, times in runs[key].items()} for key in ("links-2", "links-8"))
    alpha = pings["pings.ten 2 4"] / 20
    rate = 2 * (LONG - SHORT) / (pings[f"pings.ping 2 {LONG}"] - pings[f"pings.ping 2 {SHORT}"])
    ways = {"star": costs.star, "tree": costs.tree, "ring": costs.ring}
    points = {way: {n: measured[f"{way} {n} {MB}"] for n in (2, 4, 8)} for way in ways}
    lines = {way: {n: formula(n, MB).seconds(alpha, rate) for n in (2, 4, 8)} for way, formula in ways.items()}

    def x(n):
        return LEFT + 36 + (RIGHT - LEFT - 52) * (n.bit_length() - 2) / 2

    def y(seconds):
        return FLOOR - (FLOOR - TOP) * log10(seconds / 0.025) / log10(0.8 / 0.025)

    parts = [text(8, 18, "One megabyte added up over several machines, in ms", "start strong"),
             text(8, 48, f"Dots: measured. Lines: predicted from three pings,\n"
                         f"α = {alpha * 1e6:.0f} µs and B = {rate / 1e6:.1f} MB/s.", "start soft")]
    for ms in (50, 100, 200, 400):
        parts.append(f'<path class="grid" d="M{LEFT} {y(ms / 1e3):.1f}H{RIGHT}"/>'
                     + text(LEFT - 10, y(ms / 1e3), str(ms), "end soft"))
    for n in (2, 4, 8):
        parts.append(text(x(n), FLOOR + 14, f"{n} machines", "soft"))
    for way, line in lines.items():
        path = "L".join(f"{x(n):.1f} {y(seconds):.1f}" for n, seconds in line.items())
        parts.append(f'<path class="line" d="M{path}"/>')
        parts += (f'<circle cx="{x(n):.1f}" cy="{y(seconds):.1f}" r="5"/>' for n, seconds in points[way].items())
        parts.append(text(x(8) + 12, y(line[8]), f"{way}: {points[way][8] * 1e3:.0f} ms", "start strong"))
    ratio, foreseen = (each["star"][8] / each["ring"][8] for each in (points, lines))
    parts.append(text(8, HEIGHT - 22, f"With eight machines the ring is {ratio:.1f} times as fast\n"
                                      f"as the star. Counting on paper said {foreseen:.1f}.", "start"))
    return "\n".join(parts)


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(f"""<svg xmlns="http://www.w3.org/2000/svg" \
viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"
height="{HEIGHT}" role="img">
<title>A prediction of the course, and what was measured</title>
<desc>Time to add up one megabyte over two, four and eight machines by star, tree and ring. The predicted lines run \
through the measured dots: the star rises steeply, the tree less, the ring hardly at all.</desc>
<style>
path {{ fill: none }}
.grid {{ stroke: {GRID}; stroke-width: 1 }}
.line {{ stroke: {LINE}; stroke-width: 2.5; stroke-linejoin: round }}
circle {{ fill: {DOT} }}
text {{ fill: {INK}; text-anchor: middle; font: 15px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }}
.start {{ text-anchor: start }}
.end {{ text-anchor: end }}
.strong {{ font-weight: 600 }}
.soft {{ fill: {SOFT} }}
</style>
{drawing()}
</svg>
""", encoding="utf8")
