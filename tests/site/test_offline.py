"""tools/offline.py and tools/bench_site.py: the site in one file, as one document, without a server; links; figures."""
import contextlib
import sys
import zipfile

import bench_site
import offline
import pytest
from bs4 import BeautifulSoup
from built import HTML, SOURCE


def test_the_zip_holds_the_site(html, tmp_path):
    first = offline.make_zip(SOURCE)
    with zipfile.ZipFile(first) as archive:
        names = archive.namelist()
    assert f"{offline.NAME}/index.html" in names and f"{offline.NAME}/searchindex.js" in names
    again = first.read_bytes()
    assert offline.make_zip(SOURCE).read_bytes() == again, "the same site gives another file"


def test_as_commands_they_build_the_site_first(html, monkeypatch, capsys):
    """The site is there and up to date; what only measures is left out."""
    figures = {"kilobytes": 1, "requests": 1, "paint": 1, "shift": 0}
    monkeypatch.setattr(bench_site, "bare", lambda source: html)
    monkeypatch.setattr(bench_site, "measure", lambda builds, *_: {"index.html": dict.fromkeys(builds, figures)})
    monkeypatch.setattr(offline, "check_links", lambda addresses: [])
    for main, command in ((offline.main, "zip"), (offline.main, "links"), (bench_site.main, "index.html")):
        monkeypatch.setattr(sys, "argv", ["command", command, "--source", str(SOURCE)])
        with contextlib.suppress(SystemExit):
            main()
    said = capsys.readouterr().out
    assert said.count("The site is") == 3 and f"{offline.NAME}.zip (" in said and "0 dead" in said
    assert "largest paint 1.00 s (bare: 1.00 s, 1.0 times)" in said


def test_one_page_leads_on_inside(html):
    names = offline.order(SOURCE)
    soup = BeautifulSoup(offline.one_page(SOURCE, names), "html.parser")
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert len(ids) == len(set(ids)) and len(soup.find_all("article")) == len(names)
    inside = [link["href"][1:] for link in soup.select("article a[href^='#']")]
    assert len(inside) > 100 and not set(inside) - set(ids)
    assert not [link["href"] for link in soup.select("article a[href]") if not link["href"].startswith(("#", "http"))]
    assert all((html / image["src"]).is_file() for image in soup.select("img[src]") if ":" not in image["src"])


def test_the_pdf_has_pages(html, browser):
    target = offline.make_pdf(SOURCE, ["index.html", "guide/paths.html"], browser)
    assert target.read_bytes().startswith(b"%PDF-") and not (HTML / "one-page.html").exists()
    target.unlink()


def test_on_paper_each_page_has_its_title_alone_and_in_the_book(html, browser):
    place = html / "two-pages.html"
    place.write_text(offline.one_page(SOURCE, ["index.html", "guide/paths.html"]), encoding="utf8")
    tab, heights = browser.new_page(), {}
    tab.emulate_media(media="print")
    try:
        for page in (place, html / "index.html", html / "chapters/measuring.html"):
            tab.goto(page.as_uri())
            heights[page.stem] = tab.evaluate("[...document.querySelectorAll('h1')].map(title => title.offsetHeight)")
    finally:
        place.unlink()
        tab.close()
    assert list(map(len, heights.values())) == [2, 1, 1] and min(sum(heights.values(), [])) > 20, heights


@pytest.mark.parametrize("name", ["index.html", "chapters/measuring.html", "guide/explore.html"])
def test_a_page_opened_as_a_file_is_whole(browser, html, name):
    tab = browser.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("requestfailed", lambda request: errors.append(request.url))
    tab.goto((html / name).as_uri(), wait_until="load")
    assert tab.evaluate("getComputedStyle(document.querySelector('.bd-article')).fontFamily").startswith("Charter")
    assert tab.evaluate("[...document.querySelectorAll('article img')].every(image => image.naturalWidth)")
    assert errors == []
    tab.close()


def test_search_works_from_files(browser, html):
    tab = browser.new_page()
    tab.goto((html / "search.html").as_uri() + "?q=roofline")
    tab.wait_for_selector("#search-results ul.search li a", timeout=10_000)
    assert "roofline" in tab.locator("#search-results ul.search").inner_text().lower()
    tab.close()


def test_links_are_asked_once_and_in_turns(monkeypatch):
    asked, slept = [], []
    monkeypatch.setattr(offline.time, "sleep", slept.append)
    answers = {"https://a.org/1": (200, ""), "https://a.org/2": (404, "Not Found"), "https://b.org/": (403, "No"),
               "https://c.org/": (0, "no such host")}
    found = offline.check_links({address: ["x.html"] for address in answers},
                                asking=lambda address: asked.append(address) or answers[address])
    assert asked == ["https://a.org/1", "https://b.org/", "https://c.org/", "https://a.org/2"]
    assert [entry["url"] for entry in found if entry["wrong"]] == ["https://a.org/2", "https://c.org/"]
    assert max(slept) > 0.5  # the second question to the same host waits
    assert offline.report(found).endswith("4 addresses, 2 dead")


def test_no_address_of_the_placeholder_is_asked(html):
    addresses = offline.outside(SOURCE)
    assert len(addresses) > 100 and not [address for address in addresses if "/OWNER/" in address]


def test_the_bench_names_what_is_not_met():
    ours = {"kilobytes": 251, "requests": 20, "paint": 1.0, "shift": 0.0}
    text = bench_site.table({"index.html": {"ours": ours, "bare": {**ours, "paint": 6.5}}})
    assert "6.5 times" in text and text.count("NOT met") == 1 and "kilobytes 251, wanted at most 250" in text
