"""What the site tests share: the built site, a server for it, and a browser. They build nothing: `make site` does."""
import os
import threading

import pytest
from built import FLAGS, HTML, lessons, pages, site_tool


def pytest_generate_tests(metafunc):
    # Without a site there is one case, "(no site)", which `html` below fails with the reason.
    for name, found in (("page", pages), ("lesson", lessons)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, found() or ["(no site)"])


@pytest.fixture(scope="session")
def html():
    if not (HTML / "index.html").is_file():
        pytest.fail(f"There is no site to test at {HTML}. Build it first: make site", pytrace=False)
    return HTML


@pytest.fixture(scope="session")
def address(html):
    """The address of a server of the built site, without the last slash."""
    server = site_tool.server_for(html, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    """Chromium. Where there is none, the tests are skipped with a loud line, and fail in CI."""
    path = site_tool.find_browser()
    if not path:
        reason = "NO BROWSER: the pages were NOT tested. Install one: apt-get install chromium"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


class Visit:
    """One page, opened in a fresh browser window, with all it asked for and complained of."""

    def __init__(self, browser, address, page, width=1280, scheme="light"):
        self.address, self.complaints, self.asked, self.responses = address, [], [], []
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.tab = self.context.new_page()
        self.tab.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.on("response", lambda response: self.responses.append(response))
        self.tab.goto(f"{address}/{page}", wait_until="networkidle")

    def close(self):
        self.context.close()


@pytest.fixture(scope="session")
def visits(browser, address):
    """The pages opened so far, each once for a width and a scheme."""
    opened = {}
    yield opened
    for visit in opened.values():
        visit.close()


@pytest.fixture
def visit(browser, address, visits):
    """visit(page, width=…, scheme=…): a page that is open already, or is opened now. For tests that only look."""

    def look_at(page, **options):
        key = (page, options.get("width", 1280), options.get("scheme", "light"))
        if key not in visits:
            visits[key] = Visit(browser, address, *key)
        return visits[key]

    return look_at


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
