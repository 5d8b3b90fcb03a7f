"""Formulas as MathML, made when the book is built: no script, no font, and screen readers can read them.

docutils converts them. A formula that it cannot convert is a warning with the formula and its place, so the build
fails (it runs with warnings as errors) and no reader meets raw TeX.
"""
import re

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

log = logging.getLogger(__name__)
PAIRS = [("{", "}"), (r"\left", r"\right"), (r"\begin", r"\end")]
# A function's name stands apart from a letter, number or bracket beside it: n log n, not nlogn.
FUNCTION = re.compile(r"((?:(?<![\\A-Za-z])[A-Za-z]|[\d)}])\s*)?"
                      r"(\\(?:log|ln|exp|sin|cos|tan)(?:_\w|_\{\w+\})?)(?=\s*([\w\\])?)")


def to_mathml(latex: str, as_block: bool) -> str:
    """The formula as a <math> element. Raises ValueError with the reason if it cannot be converted."""
    marks = re.findall(r"\\[A-Za-z]+|\\.|[{}]", latex)
    for opening, closing in PAIRS:  # docutils closes what stands open, and says nothing
        if marks.count(opening) != marks.count(closing):
            raise ValueError(f"a {opening} or {closing} is missing")
    spaced = FUNCTION.sub(lambda m: (m[1] + r"\," if m[1] else "") + m[2] + (r"\," if m[3] else ""), latex)
    try:
        lines = tex2mathml(spaced, as_block).splitlines()
    except AttributeError:  # its tree has no table there
        raise ValueError(r"an & or \\ stands outside of an environment") from None
    return "".join(line.strip() for line in lines).replace(">'<", ">\N{PRIME}<")


def render(writer, node, as_block: bool) -> str:
    try:
        return to_mathml(node.astext(), as_block)
    except ValueError as error:  # docutils' own are ValueErrors too
        reason = str(error).rstrip(".")
        log.warning("this formula cannot be shown as MathML (%s): %s", reason, node.astext(), location=node)
        return f"<code>{writer.encode(node.astext())}</code>"


def visit_inline(writer, node):
    writer.body.append(f'<span class="math">{render(writer, node, False)}</span>')
    raise SkipNode


def visit_display(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math") + render(writer, node, True))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
