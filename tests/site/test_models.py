"""The models to play with (theme/static/models.js): each computes what the course's Python computes."""
import json
import random
import re

import pytest
from built import ROOT, axe
from conftest import Visit

from d2l_helpers import Overlap
from d2l_helpers.distributed import costs

PAGE = "guide/explore.html"
BOXES = ("queue", "overlap", "allreduce", "memory")


@pytest.fixture(scope="module")
def tab(browser, address):
    there = Visit(browser, address, PAGE, until="networkidle")
    yield there.tab
    assert there.complaints == []
    there.close()


def close(found: dict, expected: dict):
    assert found == {name: pytest.approx(value, rel=1e-9) for name, value in expected.items()}


def test_the_queue_is_that_of_the_lesson(tab):
    """The formula is the lesson's own code; the lanes, laid out task by task, end when it says."""
    notebook = json.loads((ROOT / "chapters/asynchrony.ipynb").read_text(encoding="utf8"))
    code = next(text for cell in notebook["cells"] if (text := "".join(cell["source"])).startswith("def model(n, t1"))
    chance = random.Random(1)
    for _ in range(30):
        n, t1, t2, t3 = chance.randint(1, 9), chance.randint(1, 9), chance.randint(1, 9), chance.randint(0, 5)
        lesson = {"t3": t3}
        exec(code, lesson)
        expected = {"each": lesson["model"](n, t1, t2, every=1), "once": lesson["model"](n, t1, t2, every=n)}
        close(tab.evaluate("a => queueTimes(...a)", [n, t1, t2, t3]), expected)
        for kind, each in (("each", True), ("once", False)):
            lanes = tab.evaluate("a => queueLanes(...a)", [n, t1, t2, t3, each])
            assert lanes[-1]["wait"][1] == expected[kind]
            assert all(a["compute"][1] <= b["compute"][0] for a, b in zip(lanes, lanes[1:], strict=False))


def test_the_overlap_is_that_of_the_module(tab):
    for first, second, both in ((10, 6, 12), (10, 6, 9.6), (10, 6, 9.4), (10, 6, 16.7), (10, 6, 17), (3, 3, 6)):
        ideal, serial = max(first, second), first + second
        there = Overlap(None, ideal, serial, both, ideal / both, 0, 0)
        found = tab.evaluate("a => overlapOf(...a)", [first, second, both])
        assert found["verdict"] == there.verdict and found["efficiency"] == pytest.approx(there.efficiency)
        assert (found["ideal"], found["serial"]) == (ideal, serial)
        assert found["saved"] == pytest.approx((serial - both) / min(first, second))


def test_the_all_reduce_is_that_of_the_module(tab):
    chance = random.Random(2)
    for n in (2, 3, 4, 5, 8, 13, 64, 1000, 4096):
        size, alpha, rate = (10 ** chance.uniform(*span) for span in ((2, 10), (-7, -3), (7, 11)))
        pieces = costs.best_pieces(n, size, alpha, rate)
        ways = {"star": costs.star(n, size), "tree": costs.tree(n, size), "ring": costs.ring(n, size),
                "double tree": costs.double_tree(n, size, pieces), "in the network": costs.in_network(n, size)}
        close(tab.evaluate("a => allReduce(...a)", [n, size, alpha, rate]),
              {way: cost.seconds(alpha, rate) for way, cost in ways.items()})


def test_the_memory_is_that_of_the_drawing(tab):
    """images/zero_stages.svg: bytes of a parameter on each of four ranks."""
    drawn = re.findall(r">([\d.]+)</text>", (ROOT / "images/zero_stages.svg").read_text(encoding="utf8"))
    found = tab.evaluate("memoryOf(1, 4, LAYOUTS['bfloat16 with float32 copies'])")
    assert [f"{value:g}" for value in found.values()] == drawn == ["16", "7", "5.5", "4"]
    plain = tab.evaluate("memoryOf(1e9, 10, LAYOUTS['float32 throughout'])")
    close(plain, {"DDP": 16e9, "stage 1": 8.8e9, "stage 2": 5.2e9, "stage 3": 1.6e9})


@pytest.mark.parametrize("name", BOXES)
def test_by_keyboard(tab, name):
    box = tab.locator(f".{name}-explorer")
    slider, said = box.locator("input[type=range]").first, box.locator(".said")
    before = said.inner_text()
    slider.press("Home")
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    assert said.inner_text() != before and slider.get_attribute("aria-valuetext")
    assert box.locator("details table").count() == 1 and not box.locator("details table").is_visible()


@pytest.mark.parametrize("name", BOXES)
def test_every_control_has_a_name_and_every_stop_a_sentence(tab, name):
    """At the ends of all sliders nothing is missing: no NaN, no infinity, no undefined."""
    box = tab.locator(f".{name}-explorer")
    for key in ("Home", "End"):
        for slider in box.locator("input[type=range]").all():
            slider.press(key)
            assert not re.search("NaN|Infinity|undefined", box.locator(".explorer").inner_text())
    assert axe(tab, f".{name}-explorer") == []


@pytest.mark.parametrize("width", [390, 1280])
def test_without_javascript_the_tables_stand(browser, address, width):
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    tab = context.new_page()
    tab.goto(f"{address}/{PAGE}")
    for name in BOXES:
        assert tab.locator(f".{name}-explorer table").is_visible()
    assert tab.locator(".explorer").count() == 0
    context.close()
