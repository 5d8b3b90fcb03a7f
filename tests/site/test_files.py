"""What can be checked in the built files without a browser."""
import functools
import json
import re
from collections import Counter
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import students
import yaml
from built import OLD, ROOT, SOURCE, pages, soup


@functools.cache
def ids(path) -> list:
    return [tag["id"] for tag in soup(path).find_all(id=True)]


def test_title_language_and_description(html, page):
    head = soup(html / page)
    assert head.html["lang"] == "en"
    assert head.title.get_text(strip=True), "the page has no title"
    assert "Computational Performance" in head.title.get_text(), "the title does not name the course"
    if page not in ("404.html", "search.html"):
        description = head.find("meta", attrs={"name": "description"})
        assert description and len(description["content"]) >= 50, "the page has no description of 50 characters"


def test_one_main_heading(html, page):
    assert len(soup(html / page).select("h1")) == 1


def test_no_id_twice(html, page):
    twice = [name for name, count in Counter(ids(html / page)).items() if count > 1]
    assert not twice, f"ids that stand twice: {twice}"


def test_links_and_anchors_resolve(html, page):
    broken = []
    for tag in soup(html / page).find_all(["a", "link", "img", "script", "source"]):
        link = tag.get("href") or tag.get("src")
        if not link:
            continue
        parts = urlsplit(urljoin(f"http://site/{page}", link))
        if parts.netloc != "site" or parts.scheme not in ("http", "https"):
            continue
        target = unquote(parts.path).strip("/") or "index.html"
        if not (html / target).is_file():
            broken.append(f"{link}: no such file")
        elif parts.fragment and target.endswith(".html"):
            if unquote(parts.fragment) not in ids(html / target):
                broken.append(f"{link}: no such place on {target}")
    assert not broken, "\n".join(broken)


def test_nothing_is_loaded_from_outside(html, page):
    loading = "script[src], img[src], iframe[src], link[rel~=stylesheet], link[rel~=preload], link[rel~=icon]"
    loaded = [tag.get("src") or tag.get("href") for tag in soup(html / page).select(loading)]
    assert not [link for link in loaded if re.match(r"(https?:)?//", link)]


def test_colab_opens_this_lesson_or_says_how(html, lesson):
    """Until the course has an address, the button leads to none: it offers the file and a line of how to upload it."""
    repository = yaml.safe_load((SOURCE / "_config.yml").read_text())["repository"]
    links = [link["href"] for link in soup(html / lesson).select("a[href*='colab.research.google.com/github']")]
    if "/OWNER/" in repository["url"]:
        help = soup(html / lesson).select_one("#colab-help")
        download = help.select_one("a[download]")["href"]
        assert links == [] and "Upload" in help.get_text() and ((html / lesson).parent / download).is_file()
        assert soup(html / lesson).select_one("button.btn-colab")["popovertarget"] == "colab-help"
        return
    owner = repository["url"].removeprefix("https://github.com/")
    source = lesson.replace(".html", ".ipynb")
    place = source.replace("chapters/", "colab/")  # what .github/workflows/publish.yml puts there
    expected = f"https://colab.research.google.com/github/{owner}/blob/{place}"
    assert links == [expected]
    assert (SOURCE / source).is_file(), f"Colab would open {source}, and there is no such file"


def test_the_machine_is_named(html, lesson):
    line = soup(html / lesson).find("p", class_="made-by")
    assert line, f"{lesson} does not say which machine made its outputs: make outputs"
    assert "Python\N{NO-BREAK SPACE}3." in line.get_text()


def test_the_machine_leads_to_its_line_of_the_status(html, lesson):
    """The link checker finds out whether the line is there."""
    link = soup(html / lesson).select_one("p.made-by a")
    assert link["href"] == f"../guide/status.html#{lesson.split('/')[-1].removesuffix('.html')}"


def test_one_style_and_one_script_for_all(html, page):
    """What no page can use is left out; tabs are, so no page may have any."""
    head = soup(html / page)
    assert [link["href"].split("/")[-1][:5] for link in head.select("link[rel=stylesheet]")] == ["site."]
    assert not [tag["src"] for tag in head.select("script[src]") if not tag.has_attr("defer")]
    assert not head.select(".sd-tab-set")


def test_the_books_addresses_lead_on(html):
    sections = yaml.safe_load((ROOT / "guide/from-d2l.yml").read_text(encoding="utf8"))
    for name in [section["old"] for section in sections if "old" in section] + ["index"]:
        old = html / OLD / f"{name}.html"
        to = soup(old).find("link", rel="canonical")["href"]
        assert (old.parent / to).is_file() and to in soup(old).find("meta", attrs={"http-equiv": "refresh"})["content"]


def test_a_shared_link_says_what_the_page_is(html, lesson):
    tags = {tag["property"]: tag["content"] for tag in soup(html / lesson).select("meta[property^='og:']")}
    assert tags["og:title"] == soup(html / lesson).h1.get_text().rstrip("#") and len(tags["og:description"]) > 50
    assert tags["og:site_name"] == "Computational Performance"


def test_terms_link_to_the_glossary_once(html, lesson):
    links = [link["href"] for link in soup(html / lesson).select("a.term")]
    assert len(links) == len(set(links)) and len(links) >= 1
    assert all(link.startswith("../guide/glossary.html#term-") for link in links)
    assert not soup(html / lesson).find("a", class_="term", string="zero"), "a number is not ZeRO"


def test_the_download_is_the_notebook(html, lesson):
    (link,) = soup(html / lesson).select("a.btn-ipynb")
    notebook = (html / lesson).parent / link["href"]
    assert json.loads(notebook.read_text())["nbformat"] == 4


def test_no_source_is_published_but_the_pages(html):
    """What is kept out of a page must not be found beside it."""
    sources = {path.relative_to(html / "_sources").with_suffix(".html").as_posix()
               for path in (html / "_sources").rglob("*") if path.is_file()}
    assert sources <= set(pages()), f"published without a page: {sources - set(pages())}"


def test_no_answer_is_on_the_site(html):
    """Of solutions, hidden tests, model answers and rubrics no line is on a page, in its download or in the search."""
    index, found = (html / "searchindex.js").read_text(encoding="utf8"), []
    for path in sorted((SOURCE / "chapters").glob("*-exercises.ipynb")):
        source = students.pages.read(path)
        kept = "\n".join(students.expected(cell) for cell in source.cells)
        lines = {line.strip() for cell in source.cells for line in cell.source.split("\n")}
        secret = [line for line in lines if len(line) >= 20 and line not in kept]
        assert secret, f"{path.name} has no answers to look for"
        page, download = html / f"chapters/{path.stem}.html", html / f"_sources/chapters/{path.name}"
        shown = [soup(page).get_text(), index, "\n".join(cell.source for cell in students.pages.read(download).cells)]
        found += [f"{path.name}: {line}" for line in secret if any(line in text for text in shown)]
    assert not found


def test_every_formula_was_translated(html, page):
    for formula in soup(html / page).find_all("math"):
        text = formula.get_text()
        assert "\\" not in text and "&" not in text, f"TeX in a formula: {text}"
    assert not soup(html / page).select("span.math > code, div.math > code")


@pytest.mark.parametrize("needed", ["index.html", "search.html", "404.html", "searchindex.js"])
def test_the_site_is_whole(html, needed):
    assert (html / needed).is_file()
