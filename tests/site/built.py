"""The built site: where it is, its pages, and the tool that built it."""
import functools
import os
from pathlib import Path

import website
from axe_playwright_python import __file__ as axe_module
from bs4 import BeautifulSoup

ROOT = website.ROOT
HTML = Path(os.environ.get("SITE_HTML", ROOT / "_build" / "html"))  # the variable: to try the tests on another build
SOURCE = HTML.parent.parent
OLD = "chapter_computational-performance"  # the book's addresses, which only lead on


def pages() -> list:
    """Every page of the built site, as its address below the root."""
    every = (path.relative_to(HTML) for path in HTML.rglob("*.html"))
    return sorted(path.as_posix() for path in every if path.parts[0] not in ("_static", OLD))


def lessons() -> list:
    return [page for page in pages() if page.startswith("chapters/")]


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf8"), "html.parser")


# One element of each look: of all text with this colour, ground, size and weight the contrast is the same. A page of
# code has thousands of words in a dozen looks, and axe takes a millisecond and more for each element.
LOOKS = """(root) => {
  const looks = new Map(), grounds = new Map();
  const ground = (e) => {
    if (!e) return "";
    if (!grounds.has(e)) {
      const {backgroundColor: colour, backgroundImage: image, opacity} = getComputedStyle(e);
      const own = /^rgba.*, 0\\)$/.test(colour) && image === "none" ? "" : colour + image;
      grounds.set(e, (own || ground(e.parentElement)) + (opacity === "1" ? "" : e.className + opacity));
    }
    return grounds.get(e);
  };
  for (const e of document.querySelectorAll(root + " *")) {
    const words = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!words && !e.matches("input, select, textarea") || !e.checkVisibility({visibilityProperty: true})) continue;
    const {color, fontSize, fontWeight} = getComputedStyle(e);
    const look = [color, fontSize, fontWeight, ground(e), e.closest("[disabled]") ? "disabled" : ""].join();
    if (!looks.has(look)) looks.set(look, e);
  }
  return [...looks.values()];
}"""


# Colours of code are thousands of elements that nothing but contrast can be wrong with.
PLAIN_CODE = "document.querySelectorAll('article pre').forEach(pre => pre.replaceChildren(pre.textContent))"


def axe(tab, root: str = "body", contrast: bool = True, others: bool = True) -> list:
    """What axe finds wrong below `root` on an open page: (rule, how grave, what is wrong, where)."""
    if not tab.evaluate("!!window.axe"):
        tab.evaluate((Path(axe_module).parent / "axe.min.js").read_text(encoding="utf8"))
    options, found = {"resultTypes": ["violations"]}, []
    if contrast:
        found += tab.evaluate(f"([root, options]) => axe.run({{include: ({LOOKS})(root)}}, options)",
                              [root, {**options, "runOnly": ["color-contrast"]}])["violations"]
    if others:  # and what axe does not look for unasked: the words that are seen are in the name
        options["rules"] = {"color-contrast": {"enabled": False}, "label-content-name-mismatch": {"enabled": True}}
        found += tab.evaluate("([root, options]) => axe.run(root === 'body' ? document : root, options)",
                              [root, options])["violations"]
    return [(v["id"], v["impact"], v["help"], [node["html"][:160] for node in v["nodes"][:3]]) for v in found]
