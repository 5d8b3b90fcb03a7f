"""Formulas as MathML, made when the book is built: no script, no font, and screen readers can read them.

A formula that cannot be translated is a warning with the formula and its place, so the build fails
(it runs with warnings as errors) and no reader meets raw TeX.
"""
import re
from functools import cache

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

log = logging.getLogger(__name__)


# latex2mathml lays out align*, and would print the marks of these others.
ENVIRONMENTS = re.compile(r"\\(begin|end)\{(aligned|split|align|gathered|gather\*?)\}")
# A function's name stands apart from its neighbours: n log n, not nlogn.
FUNCTION = r"<mi>(?:log|ln|exp|sin|cos|tan)</mi>"
FUNCTIONS = re.compile(rf"((?<!<msub>)(?<!<msup>){FUNCTION}|<msub>{FUNCTION}<m[in]>[^<]*</m[in]></msub>)(?=<m[infs])")
BEFORE = re.compile(rf"(?<=</m[in]>)({FUNCTION})(?!</m)")


@cache
def to_mathml(latex: str, display: str) -> str:
    """The formula as a <math> element. Raises ValueError with the reason if it cannot be translated."""
    braces = re.sub(r"\\[{}\\]", "", latex)
    if braces.count("{") != braces.count("}"):
        raise ValueError("a brace is missing")
    try:
        mathml = convert(ENVIRONMENTS.sub(r"\\\1{align*}", latex), display=display)
    except Exception as error:  # latex2mathml raises a class of its own for each mistake
        raise ValueError(re.sub(r"(?<!^)([A-Z])", r" \1", type(error).__name__).lower()) from error
    # A command it does not know comes back as a name with its backslash; a stray & comes back as it is.
    unknown = re.search(r">\s*(\\[A-Za-z]+|&(?=<))", mathml)
    if unknown:
        raise ValueError(f"it does not know {unknown[1]} here")
    space = '<mspace width="0.17em"/>'
    return FUNCTIONS.sub(rf"\1{space}", BEFORE.sub(rf"{space}\1", mathml))


def render(writer, node, display: str) -> str:
    latex = node.astext()
    try:
        return to_mathml(latex, display)
    except ValueError as error:
        log.warning("this formula cannot be shown as MathML (%s): %s", error, latex, location=node)
        return f"<code>{writer.encode(latex)}</code>"


def visit_inline(writer, node):
    writer.body.append(f'<span class="math">{render(writer, node, "inline")}</span>')
    raise SkipNode


def visit_display(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(render(writer, node, "block"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
