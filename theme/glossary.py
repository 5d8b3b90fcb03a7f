"""A term's first use in a lesson links to the glossary. guide/glossary.yml names the terms; no notebook changes.

Only running text counts: no heading, no code, no table, no link, and nothing that a cell printed.
"""
import re
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes

PAGE = "guide/glossary"
ELSEWHERE = (nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.table, nodes.math,
             nodes.math_block, nodes.raw, nodes.image, nodes.caption)


@cache
def terms(source: str) -> dict:
    """{a word for it: the term's anchor on the page}, for all terms and what else they are called."""
    file = Path(source) / "guide/glossary.yml"
    entries = yaml.safe_load(file.read_text(encoding="utf8")) if file.is_file() else []
    return {word: "term-" + re.sub(r"[^a-z0-9]+", "-", entry["term"].lower()).strip("-")
            for entry in entries for word in [entry["term"], *entry.get("also", [])]}


@cache
def pattern(source: str):
    words = sorted(terms(source), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, words))})(?![\w-])", re.I) if words else None


def in_text(node) -> bool:
    """Whether this text is part of a sentence: in a paragraph, and in nothing that has its own meaning."""
    paragraph, parent = False, node.parent
    while parent is not None:
        if isinstance(parent, ELSEWHERE) or "cell_output" in parent.get("classes", []):
            return False
        paragraph |= isinstance(parent, nodes.paragraph)
        parent = parent.parent
    return paragraph


def link_terms(app, doctree, docname):
    words, match = terms(app.srcdir.as_posix()), pattern(app.srcdir.as_posix())
    if not docname.startswith("chapters/") or match is None or PAGE not in app.env.all_docs:
        return
    lower, seen = {word.lower(): anchor for word, anchor in words.items()}, set()
    spelt = {word.lower() for word in words if word[1:] != word[1:].lower()}  # ZeRO is not zero
    address = app.builder.get_relative_uri(docname, PAGE)
    for text in list(doctree.findall(nodes.Text)):
        if not in_text(text):
            continue
        parts, at, plain = [], 0, text.astext()
        for found in match.finditer(plain):
            anchor = lower[found[1].lower()]
            if anchor in seen or (found[1].lower() in spelt and found[1] not in words):
                continue
            seen.add(anchor)
            link = nodes.reference("", found[1], refuri=f"{address}#{anchor}", internal=True, classes=["term"])
            parts += [nodes.Text(plain[at:found.start()]), link]
            at = found.end()
        if parts:
            text.parent.replace(text, [part for part in [*parts, nodes.Text(plain[at:])] if part.astext()])


def setup(app):
    app.connect("doctree-resolved", link_terms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
