"""What makes the finished pages light: one style sheet, one script, and smaller figures.

- The theme's style sheets become one, without the rules and the variables that no page of this site can use.
- Its scripts become one, asked for at the page's end, so that it does not share the line with what is drawn first.
- Figures of cells become lossless WebP, a third of their size, with their measures, so that nothing moves.
"""
import hashlib
import io
import re
from pathlib import Path

import tinycss2
from bs4 import BeautifulSoup
from PIL import Image

KEPT = {"documentation_options.js", "searchtools.js", "language_data.js", "searchindex.js", "hardware.js",
        "roofline.js", "models.js"}           # the first differs in name only; the others are for few pages
DROPPED = {"design-tabs.js"}                 # no page has tabs; a test says so
ADDED = {"made-by", "scroll", "upload", "term"}  # classes that page.py writes into the finished pages
STATES = {"active", "collapse", "collapsed", "collapsing", "disabled", "fade", "hide", "show", "showing"}
WORD = re.compile(r"[\w-]+")
VALUE = r"""(?:"[^"]*"|'[^']*'|url\([^"')]*\)|[^;{}"'])*"""  # of a declaration: what is quoted holds anything
CLASS = re.compile(r"[.#]((?:[\w-]|\\.)+)")  # .name or #name in a selector


def local(page: Path, link: str) -> Path:
    return (page.parent / link.split("?")[0]).resolve()


# --- style sheets


def used(selector: str, words: set) -> bool:
    """Whether every class and id of the selector stands somewhere in the site; what it excludes need not."""
    named = CLASS.findall(re.sub(r":not\([^)]*\)", "", selector))
    return all(name.replace("\\", "") in words for name in named)


def slim(rules: list, words: set) -> str:
    """The rules as text, without comments and without what no page uses."""
    parts = []
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [part.strip() for part in split(rule.prelude)]
            kept = [part for part in selectors if used(part, words)]
            body = squeeze(tinycss2.serialize(rule.content))
            if kept and body:
                parts.append(f"{','.join(kept)}{{{body}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inner = slim(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), words)
            if inner:
                parts.append(f"@{rule.at_keyword} {tinycss2.serialize(rule.prelude).strip()}{{{inner}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword not in ("charset", "font-face", "import"):
            content = "{" + squeeze(tinycss2.serialize(rule.content)) + "}" if rule.content is not None else ";"
            parts.append(f"@{rule.at_keyword} {tinycss2.serialize(rule.prelude).strip()}{content}")
    return "\n".join(parts)


def names_in(pages: dict, scripts: list) -> set:
    """All that a class or an id of the site can be: what stands in an attribute, and what a script may write.

    Bootstrap's script speaks of all its components; of those, only what the pages have begins to count.
    """
    words = {word for soup in pages.values() for tag in soup.find_all() for value in tag.attrs.values()
             for word in WORD.findall(value if isinstance(value, str) else " ".join(value))}  # fmt: skip
    for soup in pages.values():
        words.update(*(WORD.findall(script.string or "") for script in soup.find_all("script")))
    said = {path.name: set(WORD.findall(path.read_text(encoding="utf8"))) for path in scripts}
    parts = said.pop("bootstrap.js", set())
    words |= ADDED.union(STATES, *said.values())
    return words | {name for name in parts if name.removeprefix("bs-").split("-")[0] in words}


def without_unread(css: str, elsewhere: str) -> str:
    """The style sheet without variables that nobody reads; one that only such a one read goes with it."""
    read = {*re.findall(r"var\(\s*(--[\w-]+)", css), *re.findall(r"--[\w-]+", elsewhere)}
    shorter = re.sub(rf"(?<=[{{;])\s*(--[\w-]+)\s*:{VALUE};?", lambda found: found[0] * (found[1] in read), css)
    if shorter != css:
        return without_unread(shorter, elsewhere)
    return re.sub(r"[^{};]+\{\}\n?", "", css)  # rules that had nothing else


def split(prelude: list) -> list:
    """The selectors of a rule: a comma between them, not one within brackets."""
    parts = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        elif token.type != "comment":
            parts[-1].append(token)
    return [tinycss2.serialize(part) for part in parts]


def squeeze(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if "url(" in text or '"' in text or "'" in text:  # what is quoted stays as it is
        return text.strip()
    return re.sub(r"\s*([:;{},])\s*", r"\1", re.sub(r"\s+", " ", text)).strip(" ;")


def one_style(sheets: list, words: set, elsewhere: str, folder: Path) -> Path:
    text = []
    for sheet, rules in [pair for one in sheets for pair in parsed(one)]:
        css = slim(rules, words)
        to_here = sheet.parent.relative_to(folder).as_posix()  # addresses in it start at its own folder
        text.append(re.sub(r"url\((['\"]?)(?!['\"]|data:|https?:|#|/)", rf"url(\1{to_here}/", css))
    return written(folder, "site", ".css", without_unread("\n".join(text), elsewhere))


def parsed(sheet: Path) -> list:
    """[(file, its rules)]: what a sheet imports, then itself."""
    rules = tinycss2.parse_stylesheet(sheet.read_text(encoding="utf8"), skip_comments=True, skip_whitespace=True)
    found = []
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword == "import":
            link = re.search(r"""(?:url\()?["']?([^"')\s]+)""", tinycss2.serialize(rule.prelude).strip())[1]
            found += parsed(local(sheet, link))
    return [*found, (sheet, rules)]


def written(folder: Path, name: str, suffix: str, text: str) -> Path:
    """A file whose name changes with its text, so that a browser may keep it."""
    path = folder / f"{name}.{hashlib.sha256(text.encode()).hexdigest()[:10]}{suffix}"
    path.write_text(text, encoding="utf8")
    return path


# --- pages


def shared(pages: dict, tag: str, attribute: str) -> list:
    """What the pages load, once each, in their order."""
    found = {}
    for path, soup in pages.items():
        for element in soup.find_all(tag):
            link = element.get(attribute)
            if link and (tag == "script" or "stylesheet" in (element.get("rel") or [])) and ":" not in link:
                found.setdefault(local(path, link))
    return [path for path in found if path.is_file()]


def lighten(folder: Path, pages: dict):
    """Write all pages, {path below `folder`: its tree}, with one style sheet and one script."""
    scripts = shared(pages, "script", "src")
    together = [path for path in scripts if path.name not in KEPT | DROPPED]
    words = names_in(pages, scripts)
    elsewhere = "".join(path.read_text(encoding="utf8") for path in [*pages, *scripts])
    static = (folder / "_static").resolve()
    style = one_style(shared(pages, "link", "href"), words, elsewhere, static)
    options = next((path for path in scripts if path.name == "documentation_options.js"), None)
    order = ([options] if options else []) + together
    script = written(static, "site", ".js", "\n;\n".join(
        re.sub(r"(?m)^//# sourceMappingURL=.*$", "", path.read_text(encoding="utf8")) for path in order))
    for path, soup in pages.items():
        root = "../" * len(path.relative_to(folder).parts[:-1])
        if path.name == "404.html":  # served at any address: its links start at the site's root
            root = soup.find("link", rel="stylesheet")["href"].split("_static")[0]
        sheets = [link for link in soup.find_all("link") if "stylesheet" in (link.get("rel") or [])]
        if not sheets:
            path.write_text(str(soup), encoding="utf8")
            continue
        sheets[0].insert_before(soup.new_tag("link", rel="stylesheet", href=f"{root}_static/{style.name}"))
        soup.body.append(soup.new_tag("script", src=f"{root}_static/{script.name}", defer="defer"))
        for link in sheets:
            link.decompose()
        for tag in soup.find_all("script"):
            name = tag.get("src", "").split("?")[0].rsplit("/", 1)[-1]
            if name in {path.name for path in order} | DROPPED or "OPTIONS.pagename" in (tag.string or ""):
                tag.decompose()
            elif name in KEPT:
                tag["defer"] = "defer"
                soup.body.append(tag.extract())  # after the one script, and in their order
        pictures(soup, path)
        path.write_text(str(soup), encoding="utf8")
    tidy(folder, "".join(path.read_text(encoding="utf8") for path in pages))


# --- figures


def pictures(soup: BeautifulSoup, page: Path):
    """Each figure with its measures; those below the first are fetched when the reader comes near."""
    for image in soup.select("article img"):
        link = image.get("src", "")
        if link.startswith("data:") or ":" in link:
            continue
        path = local(page, link)
        smaller = path.with_suffix(".webp")
        if path.suffix == ".png" and (smaller.is_file() or path.is_file()):
            if not smaller.is_file():
                smaller.write_bytes(webp(path))
            if smaller.stat().st_size < (path.stat().st_size if path.is_file() else float("inf")):
                image["src"] = link.rsplit(".", 1)[0] + ".webp"
                path = smaller
        if path.suffix in (".png", ".webp") and "width" not in image.attrs:
            image["width"], image["height"] = Image.open(path).size
        image["decoding"] = "async"


def webp(path: Path) -> bytes:
    """The same picture, pixel for pixel, on white where it is transparent."""
    picture = Image.open(path).convert("RGBA")
    ground = Image.new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture.getchannel("A"))
    with io.BytesIO() as target:
        ground.save(target, "WEBP", lossless=True, method=4)
        return target.getvalue()


def tidy(folder: Path, text: str):
    """What no page loads any more: replaced figures, and the parts of the one style sheet and the one script."""
    for path in [*(folder / "_images").glob("*.png"), *(folder / "_static").rglob("*.*")]:
        if path.suffix in (".png", ".css", ".js", ".html", ".map") and path.name not in text:
            path.unlink()
