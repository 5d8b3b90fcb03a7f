"""What a reader's browser makes of every page."""
import io
import re

import pytest
from built import axe, lessons, soup
from conftest import Visit

WEIGHT_LIMIT = 250_000  # bytes of a whole page, compressed as a web server sends it
REQUEST_LIMIT = 20
SHIFT_LIMIT = 0.005     # of the layout, as browsers count it


def test_no_complaint_and_nothing_from_outside(look, page):
    there = look(page)
    assert there.complaints == []
    outside = [url for url in there.asked if not url.startswith((there.address, "data:", "blob:"))]
    assert outside == [], "the page asks for things that are not part of the site"
    assert there.failed == []


def test_every_image_loads_and_says_what_it_shows(look, page):
    for image in look(page).images:
        where, alt = image["src"].rsplit("/", 1)[-1], image["alt"].strip()
        assert image["width"] > 0, f"{where} does not load"
        assert alt, f"{where} has no alt text"
        path = re.search(r"\.(png|svg|jpe?g|gif|webp)$|^\S*/\S*$|_images/", alt, re.I)
        assert not path, f"{where} has a path as alt text: {alt}"
        assert len(alt.split()) >= 3, f"{where} has an alt text of less than three words: {alt}"


def test_weight_and_number_of_requests(look, page):
    weights = look(page).weights
    total, heaviest = sum(weights.values()), sorted(weights.items(), key=lambda item: -item[1])[:3]
    assert total <= WEIGHT_LIMIT, f"{total // 1000} kB, most of it {heaviest}"
    assert len(weights) <= REQUEST_LIMIT, f"{len(weights)} requests: {sorted(weights)}"


def test_nothing_moves_when_the_page_loads(look, page):
    assert look(page).shift <= SHIFT_LIMIT


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_does_not_scroll_sideways(look, page, width):
    wide, what = look(page).overflow[width]
    assert wide <= 0, f"{wide} pixels too wide at {width}: {what}"


@pytest.mark.parametrize("state", ["light", "dark", "390"])
def test_accessible(look, page, state):
    assert not look(page).faults[state], "\n".join(map(str, look(page).faults[state]))


def test_skip_link(look, page):
    reached, inside = look(page).skip
    assert reached == "Skip to main content", f"the first Tab reaches {reached!r}, not the skip link"
    assert inside, "after the skip link, Tab is not in the main content"


def test_the_check_of_contrast_finds_what_is_pale(fresh_visit, html):
    tab = fresh_visit("index.html", until="networkidle").tab
    assert axe(tab, "article", others=False) == []
    tab.evaluate("""document.querySelector("article")
        .insertAdjacentHTML("beforeend", "<p id=pale style=color:#ccc>Pale</p>")""")
    assert [fault[0] for fault in axe(tab, "article", others=False)] == ["color-contrast"]


def test_the_check_of_names_finds_words_that_are_not_in_them(fresh_visit, html):
    tab = fresh_visit("index.html", until="networkidle").tab
    tab.evaluate("""document.querySelector("article")
        .insertAdjacentHTML("beforeend", "<button aria-label='Go away'>Come here</button>")""")
    assert [fault[0] for fault in axe(tab, "article", contrast=False)] == ["label-content-name-mismatch"]


def test_figures_in_the_dark_have_no_white_plate(fresh_visit, html):
    """The corner of a figure has the colour of the page around it."""
    from PIL import Image

    lesson = next(page for page in lessons() if "_images/" in (html / page).read_text(encoding="utf8"))
    there = fresh_visit(lesson, scheme="dark", until="networkidle")
    figure = there.tab.locator(".cell_output img").first
    figure.scroll_into_view_if_needed()
    with io.BytesIO(figure.screenshot()) as file:
        corner = Image.open(file).convert("RGB").getpixel((3, 3))
    assert max(corner) < 60, f"{lesson}: a figure's ground is {corner} in the dark"


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


def found_by(search_page, address, word) -> list:
    """The addresses that a search lists, once it has listed all: they come one after the other."""
    search_page.goto(f"{address}/search.html?q={word}")
    search_page.wait_for_function("document.querySelector('.search-summary')?.textContent.includes('finished')",
                                  timeout=20_000)
    results = search_page.locator("#search-results ul.search li a")
    return results.evaluate_all("links => links.map(link => link.getAttribute('href'))")


def test_search_finds_the_lesson(search_page, address, html, lesson):
    word = a_word_of(html, lesson)
    found = found_by(search_page, address, word)
    assert any(link.split("#")[0].split("?")[0].endswith(lesson) for link in found), f"{word!r} finds only {found}"


@pytest.mark.parametrize("word, where", [("evaluate_accuracy_gpus", "guide/api.html"),
                                         ("ThreadPoolExecutor", "chapters/"), ("straggler", "guide/glossary.html")])
def test_search_finds_code_and_terms(search_page, address, word, where):
    assert any(where in link for link in found_by(search_page, address, word))


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
