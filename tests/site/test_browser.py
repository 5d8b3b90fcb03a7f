"""What a reader's browser makes of every page."""
import gzip
import re

import pytest
from built import axe, soup
from conftest import Visit

WEIGHT_LIMIT = 400_000  # bytes of a whole page, compressed as a web server sends it


def test_no_complaint_and_nothing_from_outside(visit, page):
    there = visit(page)
    assert there.complaints == []
    outside = [url for url in there.asked if not url.startswith((there.address, "data:", "blob:"))]
    assert outside == [], "the page asks for things that are not part of the site"
    assert [r.url for r in there.responses if r.status >= 400 and not r.url.endswith("404.html")] == []


def test_every_image_loads_and_says_what_it_shows(visit, page):
    images = visit(page).tab.evaluate(
        """() => [...document.querySelectorAll("main article img, main .bd-article-container article svg image")].map(
            i => ({src: i.getAttribute("src"), alt: i.getAttribute("alt") || "", width: i.naturalWidth}))"""
    )
    for image in images:
        where, alt = image["src"].rsplit("/", 1)[-1], image["alt"].strip()
        assert image["width"] > 0, f"{where} does not load"
        assert alt, f"{where} has no alt text"
        path = re.search(r"\.(png|svg|jpe?g|gif|webp)$|^\S*/\S*$|_images/", alt, re.I)
        assert not path, f"{where} has a path as alt text: {alt}"
        assert len(alt.split()) >= 3, f"{where} has an alt text of less than three words: {alt}"


def test_weight(visit, page):
    there = visit(page)
    weights = {r.url: len(gzip.compress(r.body())) for r in there.responses if r.ok}
    total = sum(weights.values())
    heaviest = sorted(weights.items(), key=lambda item: -item[1])[:3]
    assert total < WEIGHT_LIMIT, f"{total // 1000} kB, most of it {heaviest}"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_does_not_scroll_sideways(visit, page, width):
    there = visit(page, width=width)
    there.open_details()
    wide = there.tab.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} pixels too wide at {width}: " + str(
        there.tab.evaluate(
            """() => [...document.querySelectorAll("main *")]
                .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("pre, .scroll, div.math"))
                .slice(0, 5).map(e => e.tagName + "." + e.className)"""
        )
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(visit, page, scheme):
    there = visit(page, scheme=scheme)
    there.tab.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme, timeout=5000)
    there.open_details("article")
    # Names, roles and the order of headings are the same in the dark; colours are not.
    grave = [fault for fault in axe(there.tab, only_contrast=scheme == "dark") if fault[1] in ("serious", "critical")]
    assert not grave, "\n".join(map(str, grave))


def test_the_check_of_contrast_finds_what_is_pale(visit, html):
    tab = visit("index.html").tab
    assert axe(tab, "article", only_contrast=True) == []
    tab.evaluate("""document.querySelector("article")
        .insertAdjacentHTML("beforeend", "<p id=pale style=color:#ccc>Pale</p>")""")
    assert [fault[0] for fault in axe(tab, "article", only_contrast=True)] == ["color-contrast"]
    tab.evaluate("document.getElementById('pale').remove()")


def test_skip_link(visit, page):
    tab = visit(page).tab
    tab.evaluate("document.activeElement.blur(); getSelection().collapse(document.body, 0); scrollTo(0, 0)")
    tab.keyboard.press("Tab")
    focused = "document.activeElement"
    reached = tab.evaluate(f"{focused}.textContent")
    assert reached == "Skip to main content", f"the first Tab reaches {reached!r}, not the skip link"
    tab.wait_for_function(f"{focused}.getBoundingClientRect().top >= 0", timeout=3000)  # it slides into view
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate(f"!!{focused}.closest('#main-content')"), "after the skip link, Tab is not in the main content"


def a_word_of(html, lesson) -> str:
    """The longest word of the lesson's headings: no other page's headings have it, where that is possible."""
    def words(path):
        headings = " ".join(h.get_text() for name in ("h1", "h2") for h in soup(path).article.find_all(name))
        return set(re.findall(r"[A-Za-z]{6,}", headings))

    others = set().union(*(words(path) for path in (html / "chapters").glob("*.html") if path != html / lesson))
    own = words(html / lesson)
    return max(sorted(own - others) or sorted(own), key=len)


@pytest.fixture(scope="module")
def search_page(browser, address):
    there = Visit(browser, address, "search.html")
    yield there.tab
    there.close()


def test_search_finds_the_lesson(search_page, address, html, lesson):
    word = a_word_of(html, lesson)
    search_page.goto(f"{address}/search.html?q={word}")
    search_page.wait_for_selector("#search-results ul.search li a", timeout=10_000)
    search_page.wait_for_function("!document.querySelector('#search-summary')?.textContent.includes('Searching')")
    results = search_page.locator("#search-results ul.search li a")
    found = results.evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert any(link.split("#")[0].split("?")[0].endswith(lesson) for link in found), f"{word!r} finds only {found}"


def test_an_unknown_address_gets_the_404_page_with_its_looks(fresh_visit):
    there = fresh_visit("no/such/page.html")
    assert there.tab.inner_text("h1") == "Page not found"
    assert [r.url for r in there.responses if r.status >= 400] == [f"{there.address}/no/such/page.html"]
    there.tab.click("article a >> nth=0")
    assert there.tab.inner_text("h1") == "Computational Performance"


def test_dark_and_light_can_be_chosen(fresh_visit, html):
    tab = fresh_visit("index.html").tab
    colours = set()
    for _ in range(3):
        tab.click("button.theme-switch-button")
        colours.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_menu_on_a_phone(fresh_visit, html):
    tab = fresh_visit("index.html", width=390).tab
    lesson = tab.locator(".bd-sidebar-primary a[href*='chapters/']").first
    assert not lesson.is_visible()
    tab.click("button.primary-toggle")
    lesson.wait_for(state="visible", timeout=3000)
