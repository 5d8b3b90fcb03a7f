"""The site without a server, and its links to others.

    python tools/offline.py zip     # _build/computational-performance.zip: unpack it, open index.html
    python tools/offline.py pdf     # _build/computational-performance.pdf: all pages, printed by Chromium
    python tools/offline.py links   # asks every address outside once, politely, and writes _build/links.json

Each builds the site first, if it has changed.
"""
import argparse
import contextlib
import json
import posixpath
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections import defaultdict
from pathlib import Path
from urllib.parse import urlsplit

import website
import yaml

NAME = "computational-performance"
PAUSE = 1.0          # seconds between two requests to the same host
AGENT = {"User-Agent": "Mozilla/5.0 (compatible; course link check)"}
ALIVE = {401, 403, 405, 406, 418, 429, 503}  # the host is there and does not like to be asked by a program
BOOK = """<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="{style}"><style>
body {{ background: #fff; overflow: visible; }} article {{ break-before: page; padding: 0 !important; }}
header {{ font: 14pt Georgia, serif; text-align: center; padding-top: 90mm; }}
pre, table, img, math {{ max-width: 100%; }} pre {{ white-space: pre-wrap !important; }}
.scroll, div.math {{ overflow: visible !important; }} .scroll > img {{ min-width: 0 !important; }}
.scroll > table.status, .scroll > table.facts {{ min-width: 0 !important; font-size: 7pt !important; }}
h1, h2, h3, summary {{ break-after: avoid; }}
.cell_input, .cell_output :is(pre, table), figure, img {{ break-inside: avoid; }}
</style></head><body><header><p style="font-size: 30pt">{title}</p><p>{count} pages of a site, as one book</p>
<p style="font-size: 9pt">{copyright}</p></header>
<main class="bd-main"><div class="bd-content" style="display: block">{articles}</div></main></body></html>
"""


def order(source: Path) -> list:
    """The pages of the site in the order of _toc.yml."""
    return [f"{name}.html" for name in website.named(yaml.safe_load((source / "_toc.yml").read_text(encoding="utf8")))]


def make_zip(source: Path) -> Path:
    """The site in one file. Its times are fixed, so that the same site gives the same file."""
    html, target = source / "_build/html", source / f"_build/{NAME}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in html.rglob("*") if path.is_file() and path.name != ".buildinfo"):
            info = zipfile.ZipInfo(f"{NAME}/{path.relative_to(html).as_posix()}", (2026, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, path.read_bytes())
    return target


def one_page(source: Path, names: list) -> str:
    """The articles of these pages as one document: ids and links bear their page's name, so that all lead on inside."""
    from bs4 import BeautifulSoup

    html, articles, style = source / "_build/html", [], ""
    config = yaml.safe_load((source / "_config.yml").read_text(encoding="utf8"))
    for name in names:
        soup = BeautifulSoup((html / name).read_text(encoding="utf8"), "html.parser")
        article = soup.select_one("article")
        style = style or soup.select_one("link[rel=stylesheet]")["href"].replace("../", "")
        for tag in article.find_all(id=True):
            tag["id"] = f"{key(name)}--{tag['id']}"
        for link in article.find_all("a", href=True):
            path, _, anchor = link["href"].partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if "headerlink" in (link.get("class") or []):
                link.decompose()
            elif target in names:
                link["href"] = f"#{key(target)}--{anchor}" if anchor else f"#{key(target)}"
            elif ":" not in path:  # a file to download: paper has none
                del link["href"]
        for image in article.find_all("img", src=True):
            if ":" not in image["src"]:
                image["src"] = posixpath.normpath(posixpath.join(posixpath.dirname(name), image["src"]))
        article["id"] = key(name)
        articles.append(str(article))
    return BOOK.format(title=config["title"], copyright=config["copyright"], count=len(names), style=style,
                       articles="\n".join(articles))


def key(name: str) -> str:
    return name.removesuffix(".html").replace("/", "-")


def make_pdf(source: Path, names: list | None = None, running=None) -> Path:
    """The whole book as one PDF, printed by Chromium (`running`, where one is) from one page: with an outline, and
    links that lead on inside."""
    html, target = source / "_build/html", source / f"_build/{NAME}.pdf"
    place = html / "one-page.html"
    place.write_text(one_page(source, names or order(source)), encoding="utf8")
    footer = ("<div style='font: 8px sans-serif; width: 100%; text-align: center; color: #555'>"
              "<span class=pageNumber></span></div>")
    try:
        own = website.browser() if running is None else contextlib.nullcontext(running)
        with website.server_for(html, 0) as server, own as chromium:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page = chromium.new_page(color_scheme="light")
            page.goto(f"http://127.0.0.1:{server.server_port}/{place.name}", wait_until="networkidle", timeout=300_000)
            page.pdf(path=target, format="A4", print_background=True, outline=True, tagged=True,
                     display_header_footer=True, header_template="<span></span>", footer_template=footer,
                     margin={"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"})
            page.close()
            server.shutdown()
    finally:
        place.unlink()
    return target


def outside(source: Path) -> dict:
    """{address: the pages that link to it}, without anchors."""
    from bs4 import BeautifulSoup

    html, found = source / "_build/html", defaultdict(set)
    for path in sorted(html.rglob("*.html")):
        for link in BeautifulSoup(path.read_text(encoding="utf8"), "html.parser").select("a[href^=http]"):
            if "/OWNER/" not in link["href"]:
                found[link["href"].split("#")[0]].add(path.relative_to(html).as_posix())
    return {address: sorted(pages) for address, pages in sorted(found.items())}


def ask(address: str, timeout: float = 20) -> tuple:
    """(status or 0, what is wrong, in words) for one address; the head first, then the whole."""
    said = (0, "no answer")
    for method in ("HEAD", "GET"):
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=AGENT, method=method),
                                        timeout=timeout) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as error:
            said = error.code, error.reason
        except (OSError, ValueError) as error:
            said = 0, str(getattr(error, "reason", error))
    return said


def check_links(addresses: dict, asking=ask, pause: float = PAUSE) -> list:
    """One entry for each address: {"url", "status", "wrong", "pages"}. Hosts take turns, so that none is hurried."""
    by_host = defaultdict(list)
    for address in addresses:
        by_host[urlsplit(address).netloc].append(address)
    found, last = [], {}
    while by_host:
        for host in list(by_host):
            time.sleep(max(0.0, pause - (time.monotonic() - last.get(host, -pause))))
            address = by_host[host].pop(0)
            status, why = asking(address)
            last[host] = time.monotonic()
            wrong = "" if 200 <= status < 400 or status in ALIVE else f"{status} {why}".strip()
            found.append({"url": address, "status": status, "wrong": wrong, "pages": addresses[address]})
            if not by_host[host]:
                del by_host[host]
    return sorted(found, key=lambda entry: entry["url"])


def report(found: list) -> str:
    bad = [entry for entry in found if entry["wrong"]]
    lines = [f"{entry['url']}: {entry['wrong']} (on {', '.join(entry['pages'])})" for entry in bad]
    return "\n".join([*lines, f"{len(found)} addresses, {len(bad)} dead"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["zip", "pdf", "links"])
    parser.add_argument("--source", type=lambda path: Path(path).resolve(), default=website.ROOT, metavar="DIR")
    args = parser.parse_args()
    try:
        website.build(args.source)
        if args.command == "links":
            found = check_links(outside(args.source))
            (args.source / "_build/links.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf8")
            print(report(found) + ", in _build/links.json")
            sys.exit(any(entry["wrong"] for entry in found))
        target = {"zip": make_zip, "pdf": make_pdf}[args.command](args.source)
        print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")
    except website.Problem as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
