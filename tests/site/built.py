"""The built site: where it is, its pages, and the tool that built it."""
import importlib.util
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HTML = Path(os.environ.get("SITE_HTML", ROOT / "_build" / "html"))  # the variable: to try the tests on another build
SOURCE = HTML.parent.parent

spec = importlib.util.spec_from_file_location("site_tool", ROOT / "tools" / "site.py")
site_tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site_tool)

FLAGS = [  # of Chromium: no screen, no sandbox, and no calls home
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


def pages() -> list:
    """Every page of the built site, as its address below the root."""
    return sorted(path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html") if "_static" not in path.parts)


def lessons() -> list:
    return [page for page in pages() if page.startswith("chapters/")]
