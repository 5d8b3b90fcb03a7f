"""The addresses of the site: old ones that lead on, what a shared link shows, and the map for search engines.

A picture beside a shared link, and the map, need the whole address of the site: `baseurl` in _config.yml.
"""
import html
from pathlib import Path

import yaml

OLD = "chapter_computational-performance"
MOVED = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Moved: {title}</title>
<meta name="robots" content="noindex"><link rel="canonical" href="{to}">
<meta http-equiv="refresh" content="0; url={to}"></head>
<body><main><h1>Moved</h1><p>This is now at <a href="{to}">{title}</a>.</p></main></body></html>
"""
PREVIEW = "_static/preview.png"


def redirects(source: Path) -> dict:
    """{old page: where it leads to}: the book's names for the sections, from guide/from-d2l.yml."""
    file = source / "guide/from-d2l.yml"
    sections = yaml.safe_load(file.read_text(encoding="utf8")) if file.is_file() else []
    found = {f"{OLD}/{part['old']}.html": f"chapters/{part['here'][0].split('#')[0]}.html"
             for part in sections if "old" in part}
    return found | {f"{OLD}/index.html": "guide/from-d2l.html"} if found else {}


def shared(soup, name: str, base: str, site: str):
    """What is shown where somebody shares a link to this page."""
    title, said = soup.find("h1"), soup.find("meta", attrs={"name": "description"})
    if not title or not soup.head:
        return
    words = title.get_text().rstrip("#").strip()
    tags = {"og:type": "website", "og:site_name": site, "og:title": words,
            "og:description": said["content"] if said else ""}
    if base:
        tags |= {"og:url": base + name, "og:image": base + PREVIEW,
                 "og:image:alt": "Time of an all-reduce over machines: predicted lines through measured dots"}
        soup.head.append(soup.new_tag("meta", attrs={"name": "twitter:card", "content": "summary_large_image"}))
    for key, content in tags.items():
        if content:
            soup.head.append(soup.new_tag("meta", attrs={"property": key, "content": content}))


def write(folder: Path, names: list, titles: dict, base: str, source: Path):
    """The pages that lead on, and, where the site has an address, its map."""
    for old, new in redirects(source).items():
        if (folder / new).is_file():
            place = folder / old
            place.parent.mkdir(exist_ok=True)
            place.write_text(MOVED.format(to=f"../{new}", title=html.escape(titles.get(new, new))), encoding="utf8")
    if base:
        links = "".join(f"<url><loc>{html.escape(base + name)}</loc></url>\n" for name in names)
        (folder / "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            f"{links}</urlset>\n", encoding="utf8")
        (folder / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n", encoding="utf8")
