"""Builds, serves and pictures the site.

    python tools/site.py build        # into _build/html; does nothing if nothing changed
    python tools/site.py serve        # serves it on this machine and opens it
    python tools/site.py screenshot   # draws images/screenshot.png for the README

A build copies what _toc.yml names to _build/stage and runs Jupyter Book's Sphinx there, with
warnings as errors. It always starts from nothing: four pages take seconds, and a page that was
renamed, or a warning that only a first build would show, cannot hide in leftovers.
"""
import argparse
import contextlib
import functools
import hashlib
import http.server
import importlib.util
import io
import json
import os
import re
import shutil
import sys
import threading
import time
import webbrowser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
STATIC_LEFTOVERS = ["vendor/fontawesome", "locales", "scripts/*.map", "styles/*.map"]  # no page loads these


class Problem(Exception):
    """A foreseeable thing: its text is all that the reader needs."""


# --- what goes into the book ---------------------------------------------------------------


def read_yaml(path: Path):
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise Problem(f"{path.name} is missing from {path.parent}") from None
    except yaml.YAMLError as error:
        raise Problem(f"{path.name} is not valid YAML: {' '.join(str(error).split())}") from None


def walk(entry, pages: list, drop=lambda name: False):
    """Collects the pages below `entry`, and removes those that `drop` names, with what hangs under them."""
    for key in ("parts", "chapters", "sections"):
        entry[key] = [child for child in entry.get(key) or [] if not drop(child.get("file", ""))]
        for child in entry[key]:
            if "file" in child:
                pages.append(child["file"])
            walk(child, pages, drop)
        if not entry[key] or (key == "parts" and not any(part["chapters"] for part in entry[key])):
            del entry[key]


def is_mxnet(page: str) -> bool:
    return PurePosixPath(page).stem.endswith("-mxnet")


def unlink(text: str, gone: set) -> str:
    """Turns markdown links to pages that are left out into their words."""

    def words(match):
        target = PurePosixPath(match["target"].split("#")[0])
        return match["words"] if target.stem in gone and target.suffix in ("", ".ipynb", ".md", ".html") else match[0]

    return re.sub(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)[^)]*\)", words, text)


def staged_page(path: Path, gone: set) -> str:
    text = path.read_text(encoding="utf8")
    if path.suffix == ".md":
        return unlink(text, gone)
    try:
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = unlink("".join(cell["source"]), gone)
    except (ValueError, KeyError, TypeError) as error:
        raise Problem(f"{path.name} is not a notebook: {error}") from None
    return json.dumps(notebook)


def stage(source: Path, target: Path, without_mxnet: bool) -> list:
    """Fills `target` with the book's source. Returns the pages."""
    import yaml

    toc = read_yaml(source / "_toc.yml")
    read_yaml(source / "_config.yml")
    everything, pages = [], [toc["root"]]
    walk(toc, everything)
    walk(toc, pages, is_mxnet if without_mxnet else lambda page: False)
    gone = {PurePosixPath(page).name for page in everything} - {PurePosixPath(page).name for page in pages}
    if gone:
        print(f"Without MXNet: the site leaves out {', '.join(sorted(gone))}.")

    shutil.rmtree(target, ignore_errors=True)
    for page in pages:
        found = [path for suffix in (".ipynb", ".md") if (path := source / (page + suffix)).is_file()]
        if not found:
            raise Problem(f"_toc.yml names {page}, but there is no {page}.ipynb or {page}.md")
        copy = target / found[0].relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(staged_page(found[0], gone), encoding="utf8")
    (target / "_toc.yml").write_text(yaml.safe_dump(toc, sort_keys=False), encoding="utf8")
    shutil.copy(source / "_config.yml", target)
    shutil.copytree(source / "theme", target / "theme", ignore=shutil.ignore_patterns("__pycache__"))
    if (source / "images").is_dir():
        shutil.copytree(source / "images", target / "images", ignore=shutil.ignore_patterns("*.py", "screenshot.*"))
    return pages


def fingerprint(folder: Path) -> str:
    """Changes when a staged file, this program or a version of the book's tools does."""
    from importlib.metadata import version

    digest = hashlib.sha256(Path(__file__).read_bytes())
    for name in ("jupyter-book", "sphinx", "sphinx-book-theme", "myst-nb", "latex2mathml"):
        digest.update(f"{name} {version(name)} ".encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


# --- the build -----------------------------------------------------------------------------


def place(line: str, folder: Path) -> str:
    """`…/stage/chapters/x.ipynb:30005: WARNING: what` as `chapters/x.ipynb, cell 3, line 4: what`."""
    level = r"(WARNING|ERROR|CRITICAL): "
    match = re.match(rf"(?P<file>.*?\.(ipynb|md|html|py))(:(?P<line>\d+))?: {level}(?P<what>.*)", line)
    if not match:
        return re.sub("^" + level, "", line)
    where = match["file"].removeprefix(f"{folder}/")
    number = int(match["line"] or 0)
    if where.endswith(".ipynb") and number >= 10000:  # MyST-NB counts ten thousand lines a cell, and starts at 2
        where += f", cell {number // 10000}, line {max(1, number % 10000 - 1)}"
    elif number:
        where += f", line {number}"
    return f"{where}: {match['what']}"


def run_sphinx(folder: Path, out: Path) -> list:
    """One Jupyter Book build. Returns what it complained of, in clear lines."""
    from jupyter_book.sphinx import build_sphinx
    from sphinx.util.console import strip_colors

    sys.path.insert(0, str(folder / "theme"))
    complaints = io.StringIO()
    with contextlib.redirect_stderr(complaints), contextlib.redirect_stdout(io.StringIO()):
        result = build_sphinx(
            folder, out, path_config=folder / "_config.yml", doctreedir=out.parent / "doctrees",
            confoverrides={"latex_individualpages": False, "external_toc_path": str(folder / "_toc.yml")},
            noconfig=True, freshenv=True, force_all=True, quiet=True, warningiserror=True, keep_going=True,
        )
    lines = [place(line, folder) for line in strip_colors(complaints.getvalue()).splitlines() if line.strip()]
    if result and not lines:
        lines = [f"the build failed: {result}"]
    return lines if result else []


def tidy(html: Path):
    """Removes what no page loads, most of it the theme's."""
    for pattern in STATIC_LEFTOVERS:
        for path in (html / "_static").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def build(args):
    started = time.perf_counter()
    source, out = args.source.resolve(), (args.source / "_build").resolve()
    without_mxnet = args.without_mxnet or importlib.util.find_spec("mxnet") is None
    pages = stage(source, out / "stage", without_mxnet)
    html, record = out / "html", out / "site.sha256"
    now = fingerprint(out / "stage")
    if (html / "index.html").is_file() and record.is_file() and record.read_text() == now:
        print(f"The site is up to date: {html / 'index.html'}")
        return
    record.unlink(missing_ok=True)
    for name in ("html", "doctrees", "jupyter_execute"):
        shutil.rmtree(out / name, ignore_errors=True)
    print(f"Building the site: {len(pages)} pages", flush=True)
    complaints = run_sphinx(out / "stage", html)
    if complaints:
        shutil.rmtree(html, ignore_errors=True)  # better no site than half of one
        raise Problem("\n  ".join(["The site was not built:", *complaints]))
    tidy(html)
    record.write_text(now)
    print(f"The site is built, in {time.perf_counter() - started:.0f} s: {html / 'index.html'}")


# --- looking at it -------------------------------------------------------------------------


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder quietly; an unknown address gets the site's own 404 page."""

    def log_message(self, *args):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_error(self, code, message=None, explain=None):
        page = Path(self.directory, "404.html")
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def server_for(folder: Path, port: int, tries: int = 1):
    """A server of `folder` on this machine only. A port that is taken gives way to the next."""
    handler = functools.partial(Handler, directory=str(folder))
    for candidate in range(port, port + tries):
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", candidate), handler)
        except OSError:
            continue
    raise Problem(f"No free port from {port} to {port + tries - 1}. Name another with --port.")


def built_site(source: Path) -> Path:
    html = source.resolve() / "_build" / "html"
    if not (html / "index.html").is_file():
        raise Problem("There is no site yet. Build it first: make site")
    return html


def has_screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve(args):
    with server_for(built_site(args.source), args.port, tries=50) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"The site is at {address}  (Ctrl-C ends)", flush=True)
        if has_screen() and not args.no_browser:
            threading.Timer(0.3, webbrowser.open, [address]).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    print("\nStopped.")


def find_browser():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


BROWSER_FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync""".split()


def screenshot(args):
    from PIL import Image
    from playwright.sync_api import sync_playwright

    browser = find_browser()
    if not browser:
        raise Problem("A screenshot needs Chromium: apt-get install chromium")
    server = server_for(built_site(args.source), 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    target = args.source / "images" / "screenshot.png"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=BROWSER_FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        address, _, anchor = args.page.partition("#")
        page.goto(f"http://127.0.0.1:{server.server_port}/{address}", wait_until="networkidle")
        if anchor:  # an address with an anchor scrolls before the figures have their height
            page.evaluate("id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", anchor)
            page.wait_for_timeout(300)
        page.screenshot(path=target)
        chromium.close()
    server.shutdown()
    # Flat colours: a palette makes the file much smaller and shows no difference.
    Image.open(target).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"Drew {target} ({target.stat().st_size // 1024} KB)")


def main():
    parser = argparse.ArgumentParser(description="Builds, serves and pictures the site.")
    commands = parser.add_subparsers(required=True, metavar="command")
    for run, text in [
        (build, "build the site into _build/html"),
        (serve, "serve the built site on this machine and open it"),
        (screenshot, "draw images/screenshot.png from the built site"),
    ]:
        command = commands.add_parser(run.__name__, help=text, description=text)
        command.set_defaults(run=run)
        command.add_argument("--source", type=Path, default=ROOT, metavar="DIR",
                             help="folder with _config.yml and _toc.yml (default: the course)")
        if run is build:
            command.add_argument("--without-mxnet", action="store_true",
                                 help="leave the MXNet pages out, as where MXNet does not run")
        if run is serve:
            command.add_argument("--port", type=int, default=8000, help="first port to try (default 8000)")
            command.add_argument("--no-browser", action="store_true", help="print the address only")
        if run is screenshot:
            command.add_argument("--page", default="chapters/measuring.html#", help="page to picture, with its #anchor")
    args = parser.parse_args()
    try:
        args.run(args)
    except Problem as problem:
        sys.exit(str(problem))
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed here. `make book` installs all that is needed, into .venv.")
    except OSError as error:
        sys.exit(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "))


if __name__ == "__main__":
    main()
