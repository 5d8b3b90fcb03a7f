"""The tables to play with (theme/static/hardware.js): on a small book of their own, and on the lessons with them."""
import math

import pandas as pd
import pytest
from built import axe
from conftest import Visit, build, page, served, write_book

from d2l_helpers.hardware import facts, show_table

CEILINGS = pd.DataFrame(
    [
        ("this machine", "float32 FMA", 100, "GFLOP/s"), ("this machine", "float64 FMA", 50, "GFLOP/s"),
        ("this machine", "DRAM", 10, "GB/s"), ("this machine", "L2", 50, "GB/s"),
        ("H100 SXM", "bfloat16", 989, "TFLOP/s"), ("H100 SXM", "HBM3", 3.35, "TB/s"),
        ("no memory", "float32", 1, "TFLOP/s"),
    ],
    columns=["machine", "ceiling", "value", "unit"],
)
POINTS = pd.DataFrame(
    [("matmul", "this machine", 85.3, 100.0, 91.2), ("add", "this machine", 1 / 12, 0.83, 0.61),
     ("scale", "this machine", 0.09, 0.9, 0.65)],  # so near that their names must make way
    columns=["point", "machine", "intensity (FLOP/byte)", "predicted (GFLOP/s)", "measured (GFLOP/s)"],
)


def lesson(title: str, *tables: str) -> str:
    shown = [{"data": {"text/html": table, "text/plain": "table"}} for table in tables]
    cells = [{"source": "show()", "outputs": [{"output_type": "display_data", "metadata": {}, **it}]} for it in shown]
    return page(f"# {title}\n\nNumbers to play with.", *cells)


def plain(html_class: str, **columns) -> str:
    """A table as any DataFrame prints it, in a box of that class."""
    return f'<div class="{html_class}">{pd.DataFrame(columns).to_html(index=False)}</div>'


# Tables that a script must leave alone: a column or every number is missing, or the table itself.
LEFT_ALONE = [
    plain("latency-explorer", name=["a"], value=[1.0]),
    plain("latency-explorer", name=["a", "b"], value=["soon", ""], unit=["ns", "ns"]),
    plain("latency-explorer", name=["a"], value=[1.0], unit=["parsec"]),
    plain("latency-explorer", name=[], value=[], unit=[]),
    '<div class="latency-explorer"><table></table></div>',
    '<div class="latency-explorer"><p>no table</p></div>',
    plain("roofline-explorer", machine=["m"], ceiling=["DRAM"], value=[1.0]),
    plain("roofline-explorer", machine=["m", "m"], value=[1.0, 2.0], unit=["GB/s", "GFLOP/s"]),
    plain("roofline-explorer", machine=["m", "m"], ceiling=["DRAM", "FMA"], value=[1.0, 2.0], unit=["GB/s", "GOP"]),
    plain("roofline-explorer", point=["a"], machine=["m"], intensity=[1.0], measured=[2.0]),
]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of three lessons, built with the course's own theme: one with both tables twice, one with tables that
    no script can use, and one with a table that is just a table."""
    latencies = facts("latency")
    latencies["here"] = [1.1 if name == "L1 cache hit" else float("nan") for name in latencies.name]
    one = plain("latency-explorer", unit=["us"], Name=["only"], value=["1,500 ns"])  # other headings, units and order
    latency, roofline = show_table(latencies, explore="latency"), show_table(CEILINGS, POINTS, explore="roofline")
    ceilings = show_table(CEILINGS, explore="roofline")
    folder = write_book(tmp_path_factory.mktemp("book"), {
        "hardware": lesson("Hardware", latency.data, roofline.data, one, ceilings.data),
        "odd": lesson("Odd", *LEFT_ALONE),
        "measuring": lesson("Measuring", show_table(latencies).data),
    })
    result = build(folder)
    assert result.returncode == 0, result.stderr
    return folder / "_build/html"


@pytest.fixture(scope="module")
def address(book):
    """In place of the course's own site: `fresh_visit` opens pages of the small book."""
    yield from served(book)


@pytest.fixture(scope="module")
def course_address(html):
    yield from served(html)


PAGE = "chapters/hardware.html"


@pytest.fixture
def latency(fresh_visit):
    """The page, and its first table of latencies."""
    there = fresh_visit(PAGE)
    yield there.tab.locator(".latency-explorer").first
    assert there.complaints == []


@pytest.fixture
def roofline(fresh_visit):
    there = fresh_visit(PAGE)
    yield there.tab.locator(".roofline-explorer").first
    assert there.complaints == []


def time_of(box, name: str) -> str:
    return box.locator(".bars li").filter(has_text=name).locator(".time").first.inner_text()


def test_only_a_page_with_such_a_table_loads_the_scripts(book):
    for script in ("hardware.js", "roofline.js"):
        loads = {page.name for page in book.rglob("*.html") if script in page.read_text(encoding="utf8")}
        assert loads == {"hardware.html", "odd.html"}


@pytest.mark.parametrize("width", [390, 1280])
def test_without_javascript_the_tables_stand(browser, address, width):
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    tab = context.new_page()
    tab.goto(f"{address}/{PAGE}")
    tables = tab.locator("article table")
    assert tables.count() == 5 and all(tables.nth(i).is_visible() for i in range(5))
    assert "140" in tables.nth(0).inner_text() and "HBM3" in tables.nth(1).inner_text()
    assert tab.locator("article .explorer, article details").count() == 0
    assert tab.locator("article .scroll > table.facts").count() == 4
    assert tab.locator("article .scroll > table.facts a[href^='https://']").count() == 32
    context.close()


def test_a_table_that_cannot_be_used_is_left_alone_in_silence(fresh_visit):
    there = fresh_visit("chapters/odd.html")
    boxes = there.tab.locator(".latency-explorer, .roofline-explorer")
    assert boxes.count() == len(LEFT_ALONE) and there.complaints == []
    assert there.tab.locator(".explorer, .latency-explorer details").count() == 0
    assert there.tab.locator("article table").first.is_visible()


def test_latencies_by_keyboard(latency):
    bars, said = latency.locator(".bars li"), latency.locator(".said")
    assert bars.count() == 32
    # 1.3 ns count as a second: 33 ns are 25 seconds, and 140 ms over three years.
    assert bars.nth(2).locator(".time").all_inner_texts() == ["1 second", "here 850 ms"]
    assert time_of(latency, "line not shared") == "25 seconds" and time_of(latency, "Netherlands") == "3.4 years"
    assert "If “L1 cache hit” took 1 second" in said.inner_text() and "3.4 years" in said.inner_text()
    slider = latency.get_by_label("took this long")
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "1 minute" and "took 1 minute" in said.inner_text()
    assert time_of(latency, "line not shared") == "25 minutes"
    slider.press("Home")
    assert time_of(latency, "256 MB memory reference, local") == "131 ns" and "In real time" in said.inner_text()
    slider.press("End")
    latency.get_by_label("If this").select_option(label="256 MB memory reference, local CPU")
    assert time_of(latency, "256 MB memory reference, local") == "1 day"
    assert latency.locator("li.chosen").inner_text().startswith("256 MB")


def test_times_are_said_as_one_says_them(fresh_visit):
    cases = {1e-9: "1 ns", 1.3e-6: "1.3 µs", 0.85: "850 ms", 1: "1 second", 59.6: "1 minute", 90: "1.5 minutes",
             86000: "1 day", 2629800 * 4.8: "4.8 months", 31557600 * 3.44: "3.4 years", 31557600 * 2951: "3,000 years"}
    assert fresh_visit(PAGE).tab.evaluate("times => times.map(t => words(t))", list(cases)) == list(cases.values())


def test_a_screen_reader_hears_one_sentence_after_a_drag(latency):
    heard = latency.locator("[role=status]")
    assert heard.text_content() == latency.locator(".said").text_content()
    latency.page.wait_for_timeout(800)
    heard.evaluate("e => { window.said = 0; new MutationObserver(() => said++).observe(e, {childList: true}); }")
    for _ in range(3):
        latency.get_by_label("took this long").press("ArrowRight")
    assert latency.page.evaluate("said") == 0
    latency.page.wait_for_function("said > 0", timeout=5000)
    assert "took 1 day" in heard.text_content() and latency.page.evaluate("said") == 1


def test_the_sources_stay_within_reach(latency):
    link = latency.locator("details a").first
    assert not link.is_visible()
    latency.locator("summary").press("Enter")
    assert link.is_visible() and link.get_attribute("href").startswith("https://")


def test_on_paper_the_tables_are_open_and_the_controls_gone(latency):
    latency.page.emulate_media(media="print")
    latency.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert latency.locator("details a").first.is_visible()
    assert not latency.get_by_label("took this long").is_visible() and latency.locator(".said").is_visible()


def test_roofline_by_keyboard(roofline):
    said, rows = roofline.locator(".said"), roofline.locator(".explorer tbody tr")
    assert not rows.first.is_visible()  # folded, since it is long
    roofline.locator(".explorer summary").press("Enter")
    assert rows.first.is_visible()
    assert rows.count() == 3  # this machine from two memories, the H100 from one, and none without memory
    text = said.inner_text().replace("\xa0", " ")  # at 1 FLOP/byte
    assert "10 GFLOP/s from DRAM (memory-bound, 10 % of its peak); 50 GFLOP/s from L2" in text
    cells = rows.nth(2).inner_text().replace("\xa0", " ").split("\t")
    assert cells == ["H100 SXM", "HBM3", "3.35 TFLOP/s", "0.34 %"]
    slider = roofline.get_by_label("Arithmetic intensity")
    for _ in range(4):
        slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2 FLOP/byte"
    text = said.inner_text().replace("\xa0", " ")
    assert "20 GFLOP/s from DRAM" in text and "100 GFLOP/s from L2 (compute-bound: float32 FMA)" in text
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "4,096 FLOP/byte"
    assert rows.nth(2).inner_text().replace("\xa0", " ").endswith("989 TFLOP/s\t100 %")
    roofline.get_by_label("Machine", exact=True).select_option(label="H100 SXM")
    assert "H100 SXM attains at most 989 TFLOP/s from HBM3" in said.inner_text().replace("\xa0", " ")


def test_roofline_by_pointer_says_which_point_is_near(roofline):
    slider, dot = roofline.get_by_label("Arithmetic intensity"), roofline.locator("circle.point").first
    roofline.locator(".picture").scroll_into_view_if_needed()
    at = dot.bounding_box()
    roofline.page.mouse.move(at["x"] + 3, at["y"] + 3)
    roofline.page.mouse.down()
    assert slider.get_attribute("aria-valuetext") in ("76.11 FLOP/byte", "90.51 FLOP/byte")  # the steps about 85.3
    said = roofline.locator(".said").inner_text().replace("\xa0", " ")
    assert "Near there: “matmul”, measured 91.2 GFLOP/s of 100 GFLOP/s predicted." in said
    roofline.page.mouse.move(at["x"] - 3000, at["y"])
    roofline.page.mouse.up()
    assert slider.input_value() == "-6"
    roofline.page.mouse.move(at["x"], at["y"])  # no button is down
    assert slider.input_value() == "-6"


def test_the_drawing_agrees_with_the_numbers(roofline):
    """The dots of the slider lie on the highlighted roofs, each point where the table has it; no names meet."""
    names = roofline.locator("svg text.point")
    assert names.count() == 0  # at 1 FLOP/byte no point is near
    slider = roofline.get_by_label("Arithmetic intensity")
    for _ in range(14):
        slider.press("ArrowLeft")
    assert sorted(names.all_text_contents()) == ["add", "scale"]
    margin = roofline.locator("svg path.tie ~ text").all_text_contents()
    assert {"this machine", "H100 SXM"} <= set(margin)
    found = roofline.evaluate("""box => {
        const svg = box.querySelector("svg"), centre = (c) => [+c.getAttribute("cx"), +c.getAttribute("cy")];
        const roofs = [...svg.querySelectorAll("path.chosen")];
        const nearest = ([x, y], path) => Math.min(...Array.from({length: 2001}, (_, i) => {
            const at = path.getPointAtLength(path.getTotalLength() * i / 2000);
            return Math.hypot(at.x - x, at.y - y);
        }));
        const words = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
        return {
            off: [...svg.querySelectorAll("circle.now")].map((dot, i) => nearest(centre(dot), roofs[i])),
            points: [...svg.querySelectorAll("circle.point")].map(centre),
            flat: roofs[0].getPointAtLength(roofs[0].getTotalLength()).y,
            collide: words.filter((a, i) => words.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1
                && a.top < b.bottom - 4 && b.top < a.bottom - 4)).length,
        };
    }""")
    assert len(found["off"]) == 2 and max(found["off"]) < 0.5 and found["collide"] == 0
    (matmul, add, _), flat = found["points"], found["flat"]  # 91.2 and 0.61 of 100 GFLOP/s; 85.3 and 1/12 FLOP/byte
    assert (matmul[1] - flat) / (add[1] - flat) == pytest.approx(math.log(91.2 / 100) / math.log(0.61 / 100), abs=1e-6)
    assert 0 < matmul[0] - add[0]


def test_two_of_a_kind_do_not_meet(fresh_visit):
    tab = fresh_visit(PAGE).tab
    ids = tab.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids)) and tab.locator(".explorer").count() == 4
    first, second = tab.locator(".roofline-explorer").all()
    before = second.locator(".said").inner_text()
    first.get_by_label("Arithmetic intensity").press("End")
    assert second.locator(".said").inner_text() == before != first.locator(".said").inner_text()
    other = tab.locator(".latency-explorer").nth(1)
    assert other.locator(".said").inner_text() == "If “only” took 1 second."
    other.get_by_label("took this long").press("Home")
    assert time_of(other, "only") == "1.5 µs" and other.locator(".legend").count() == 0


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible_and_in_its_column(fresh_visit, width, scheme):
    check(fresh_visit(PAGE, width=width, scheme=scheme, until="networkidle"))


def check(there):
    """No complaint, nothing from outside, no page that scrolls sideways, no small print, and nothing for axe."""
    tab = there.tab
    assert tab.locator(".explorer").count() == tab.locator(".latency-explorer, .roofline-explorer").count() > 0
    there.open_details()
    assert tab.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert tab.evaluate("""() => [...document.querySelectorAll(".explorer *")].filter(e => !e.closest(".scroll, .axis")
        && e.getBoundingClientRect().right > e.closest(".explorer").getBoundingClientRect().right).length""") == 0
    small = tab.evaluate("""() => [...document.querySelectorAll(".explorer svg text, .explorer span, .explorer td")]
        .filter(e => parseFloat(getComputedStyle(e).fontSize) < 11.5).length""")
    assert small == 0 and there.complaints == []
    assert [url for url in there.asked if not url.startswith((there.address, "data:"))] == []
    assert axe(tab, ".latency-explorer, .roofline-explorer") == []


@pytest.mark.parametrize("name", ["chapters/hardware.html", "chapters/roofline.html"])
def test_the_lessons_tables_can_be_played_with(browser, course_address, name):
    there = Visit(browser, course_address, name, width=390, until="networkidle")
    check(there)
    slider, said = there.tab.locator(".explorer input[type=range]").first, there.tab.locator(".explorer .said").first
    before = said.inner_text()
    slider.press("ArrowRight")
    assert said.inner_text() != before
    there.close()
