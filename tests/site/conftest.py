"""What the site tests share: the built site, a small book of their own, servers, and a browser."""
import functools
import gzip
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest
import website
from built import HTML, PLAIN_CODE, ROOT, axe, lessons, pages

CHANGED = os.environ.get("D2L_PAGES")  # tools/suite.py names the pages that have changed since all of this passed


def pytest_generate_tests(metafunc):
    # Without a site there is one case, "(no site)", which `html` below fails with the reason.
    for name, found in (("page", pages), ("lesson", lessons)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found() or ["(no site)"])


def pytest_collection_modifyitems(config, items):
    """Where only some pages have changed: their files and all links, and in the browser these pages."""
    if CHANGED is None:
        return
    kept, left = [], []
    for item in items:
        values = set(getattr(getattr(item, "callspec", None), "params", {}).values())
        in_files = item.path.name == "test_files.py"
        (kept if in_files or values & set(CHANGED.split()) else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


@pytest.fixture(scope="session")
def html():
    """The course's site. No test builds it: `make site` does."""
    if not (HTML / "index.html").is_file():
        pytest.fail(f"There is no site to test at {HTML}. Build it first: make site", pytrace=False)
    return HTML


def served(folder):
    with website.server_for(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def address(html):
    """The address of a server of the course's site, without the last slash."""
    yield from served(html)


@pytest.fixture(scope="session")
def browser():
    """Chromium. Where there is none, the tests are skipped with a loud line, and fail in CI."""
    try:
        with website.browser() as chromium:
            yield chromium
    except website.Problem as problem:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"THE PAGES WERE NOT TESTED. {problem}")


# --- a book of the tests' own: the course's settings and theme, and the pages that a test gives


def page(*cells, **metadata) -> str:
    """A notebook. A text is a cell of markdown; a dict is a code cell, with what differs from an empty one."""
    made = [{"id": f"c{i}", "metadata": {}, **({"cell_type": "markdown", "source": cell} if isinstance(cell, str) else
             {"cell_type": "code", "execution_count": 1, "outputs": [], **cell})} for i, cell in enumerate(cells)]
    metadata = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}, **metadata}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def write_book(folder, chapters: dict):
    for name, text in chapters.items():
        (folder / "chapters").mkdir(parents=True, exist_ok=True)
        (folder / f"chapters/{name}.ipynb").write_text(text)
    shutil.copytree(ROOT / "theme", folder / "theme", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "index.md").write_text("# Start\n\nSee the chapters.\n")
    files = "".join(f"      - file: chapters/{name}\n" for name in chapters)
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nparts:\n  - caption: All\n    chapters:\n{files}")
    return folder


def build(folder):
    command = [sys.executable, str(ROOT / "tools/website.py"), "build", "--source", str(folder)]
    return subprocess.run(command, capture_output=True, text=True)


# --- a page in the browser


class Visit:
    """One page in a window of its own, with all it asked for and complained of."""

    def __init__(self, browser, address, page, width=1280, scheme="light", until="load", script=""):
        self.address, self.complaints, self.asked, self.responses = address, [], [], []
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme,
                                           reduced_motion="reduce")  # half-way through a fade contrast is low
        self.context.add_init_script(script)
        self.tab = self.context.new_page()
        self.tab.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.on("response", lambda response: self.responses.append(response))
        self.tab.goto(f"{address}/{page}", wait_until=until)

    def open_details(self, where=""):
        """Open what is folded."""
        self.tab.evaluate("where => document.querySelectorAll(where).forEach(d => d.open = true)", f"{where} details")
        self.settle()

    def settle(self):
        """Wait until the page has been drawn anew, and what watches its size has seen it."""
        self.tab.evaluate("() => new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def close(self):
        self.context.close()


SHIFT = """window.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(e => { window.shift += e.value; }))
    .observe({type: "layout-shift", buffered: true});"""
IMAGES = """() => [...document.querySelectorAll("main article img, main .bd-article-container article svg image")].map(
    i => ({src: i.getAttribute("src"), alt: i.getAttribute("alt") || "", width: i.naturalWidth}))"""
OVERFLOW = """() => [document.scrollingElement.scrollWidth - document.documentElement.clientWidth,
    [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1
        && !e.closest("pre, .scroll, div.math")).slice(0, 5).map(e => e.tagName + "." + e.className)]"""


class Look:
    """All that the tests ask of a page, from one visit: at 1280 in light and in dark, then at 390 pixels."""

    def __init__(self, browser, address, page):
        there = Visit(browser, address, page, until="networkidle", script=SHIFT)
        self.address, self.complaints, self.asked = address, there.complaints, there.asked
        self.failed = [r.url for r in there.responses if r.status >= 400 and not r.url.endswith("404.html")]
        self.weights = {r.url: len(gzip.compress(r.body())) for r in there.responses if r.ok}
        self.images, self.shift = there.tab.evaluate(IMAGES), there.tab.evaluate("window.shift")
        self.skip = self.skipped(there.tab)
        there.open_details()
        self.overflow = {1280: there.tab.evaluate(OVERFLOW)}
        self.faults = {"light": axe(there.tab, others=False)}
        there.tab.emulate_media(color_scheme="dark", reduced_motion="reduce")
        there.tab.wait_for_function("document.documentElement.dataset.theme === 'dark'", timeout=5000)
        there.settle()
        self.faults["dark"] = axe(there.tab, others=False)  # names and roles are the same in the dark
        there.tab.evaluate(PLAIN_CODE)
        self.faults["light"] += axe(there.tab, contrast=False)
        there.tab.set_viewport_size({"width": 390, "height": 900})
        there.settle()
        self.overflow[390] = there.tab.evaluate(OVERFLOW)
        self.faults["390"] = axe(there.tab)
        there.close()

    def skipped(self, tab):
        """What the first Tab reaches, and whether the one after Enter is in the main content."""
        tab.evaluate("document.activeElement.blur(); getSelection().collapse(document.body, 0); scrollTo(0, 0)")
        tab.keyboard.press("Tab")
        reached = tab.evaluate("document.activeElement.textContent")
        tab.wait_for_function("document.activeElement.getBoundingClientRect().top >= 0", timeout=3000)  # it slides in
        tab.keyboard.press("Enter")
        tab.keyboard.press("Tab")
        return reached, tab.evaluate("!!document.activeElement.closest('#main-content')")


@pytest.fixture(scope="session")
def look(browser, address):
    """look(page): what was seen on it, in the one visit that all tests of the page share."""
    return functools.cache(lambda page: Look(browser, address, page))


@pytest.fixture
def fresh_visit(browser, address):
    """The same, in a window of its own. For tests that press and click."""
    opened = []

    def open_page(page, **options):
        opened.append(Visit(browser, address, page, **options))
        return opened[-1]

    yield open_page
    for one in opened:
        one.close()
