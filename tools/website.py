"""Builds, serves and pictures the site.

    python tools/website.py build        # into _build/html; does nothing if nothing changed
    python tools/website.py serve        # builds it, opens it, and builds again on a change
    python tools/website.py screenshot   # draws images/screenshot.png for the README

With `--edition instructor` the site has solutions and rubrics and goes to _build/instructor/html; without, it shows the
student edition (tools/students.py).

A build copies what _toc.yml names to _build/stage and runs Sphinx there, with the settings that Jupyter Book makes of
_config.yml and warnings as errors. It starts from nothing: neither a renamed page nor a warning can hide in leftovers.
"""
import argparse
import contextlib
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATIC_LEFTOVERS = ["vendor/fontawesome", "locales", "scripts/*.map", "styles/*.map"]  # no page loads these
WATCHED = ["*.yml", "*.md", "guide/*.*", "instructors/*.*", "chapters/*.ipynb", "theme/**/*.*",
           "images/*.svg"]  # by `serve`


class Problem(Exception):
    """A foreseeable thing: its text is all that the reader needs."""


# --- what goes into the book


def named(entry: dict) -> list:
    """The pages that a part of _toc.yml names, in their order."""
    below = [child for key in ("parts", "chapters", "sections") for child in entry.get(key) or []]
    return [entry[key] for key in ("root", "file") if key in entry] + [page for child in below for page in named(child)]


def gather(source: Path, edition: str = "student") -> dict:
    """All that the book is built from: {path in the book: its bytes}."""
    import students
    import yaml

    import guide

    paths = [source / "_config.yml", source / "_toc.yml", *source.glob("images/*.svg")]
    paths += (path for path in source.glob("theme/**/*.*") if path.is_file() and path.suffix != ".pyc")
    for path in paths[:2]:
        try:
            settings = dict(yaml.safe_load(path.read_text(encoding="utf8")))
        except FileNotFoundError:
            raise Problem(f"{path.name} is missing from {source}") from None
        except (yaml.YAMLError, TypeError, ValueError) as error:
            raise Problem(f"{path.name} is not valid YAML: {' '.join(str(error).split())}") from None
    for page in named(settings):
        found = [path for suffix in (".ipynb", ".md") if (path := source / (page + suffix)).is_file()]
        if not found:
            raise Problem(f"_toc.yml names {page}, but there is no {page}.ipynb or {page}.md")
        paths.append(found[0])
    paths += source.glob("guide/*.yml")
    files = {path.relative_to(source).as_posix(): path.read_bytes() for path in sorted(paths)}
    for name, content in files.items():
        try:
            list(json.loads(content)["cells"] if name.endswith(".ipynb") else "")
        except (ValueError, KeyError, TypeError) as error:
            raise Problem(f"{name} is not a notebook: {error}") from None
    try:
        return guide.written(students.staged(files, edition), source)
    except ValueError as error:
        raise Problem(str(error)) from None


# --- the build


def place(line: str, folder: Path) -> str:
    """`…/stage/chapters/x.ipynb:30005: WARNING: what` as `chapters/x.ipynb, cell 3, line 4: what`."""
    level = r"(WARNING|ERROR|CRITICAL): "
    match = re.match(rf"(?P<file>.*?\.(ipynb|md|html|py))(:(?P<line>\d+))?: {level}(?P<what>.*)", line)
    if not match:
        return re.sub("^" + level, "", line)
    where, number = match["file"].removeprefix(f"{folder}/"), int(match["line"] or 0)
    if where.endswith(".ipynb") and number >= 10000:  # MyST-NB counts ten thousand lines a cell, and starts at 2
        where += f", cell {number // 10000}, line {max(1, number % 10000 - 1)}"
    elif number:
        where += f", line {number}"
    return f"{where}: {match['what']}"


def run_sphinx(stage: Path, html: Path) -> list:
    """Builds the book in `stage` into `html`. Returns the complaints, in clear lines."""
    jupyter_book = Path(sys.executable).with_name("jupyter-book")  # it writes Sphinx's conf.py
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-d", stage.with_name("doctrees"), "-q", "--no-color"]
    env = {**os.environ, "PYTHONPATH": str(stage / "theme")}
    for command in ([jupyter_book, "config", "sphinx", stage], [*sphinx, "-W", "--keep-going", stage, html]):
        done = subprocess.run(command, cwd=stage, env=env, text=True, capture_output=True)
        if done.returncode:
            lines = [place(line, stage) for line in done.stderr.splitlines() if line.strip()]
            return lines or [f"{Path(command[0]).name} ended with {done.returncode}"]
    return []


def folder(source: Path, edition: str = "student") -> Path:
    """Where an edition is built: each in its own place, so that none shows what the other has."""
    return source / "_build" / ("instructor" if edition == "instructor" else "")


def offer_downloads(source: Path, folder: Path):
    """The notebooks behind the pages' buttons: those that run by upload, with the helper module inside."""
    import colab

    names = [path.stem for path in folder.glob("*.ipynb")]
    for name, notebook in colab.editions(names, source):
        (folder / f"{name}.ipynb").write_text(colab.pages.canonical(notebook), encoding="utf-8")


def build(source: Path, edition: str = "student"):
    started, out, files = time.perf_counter(), folder(source, edition), gather(source, edition)
    html, record = out / "html", out / "site.sha256"
    makers = ("website", "students", "course_tables", "guide", "colab", "pages")
    others = [ROOT / "requirements.txt", *(ROOT / f"tools/{name}.py" for name in makers),
              *(ROOT / "records").glob("*.json"),
              *(path for path in (ROOT / "d2l_helpers").rglob("*.*") if path.suffix != ".pyc")]  # in the downloads
    now = hashlib.sha256(repr([*files.items(), *(path.read_bytes() for path in sorted(others))]).encode()).hexdigest()
    if (html / "index.html").is_file() and record.is_file() and record.read_text() == now:
        return print(f"The site is up to date: {html / 'index.html'}")
    record.unlink(missing_ok=True)
    print(f"Building the site: {sum(name.endswith(('.ipynb', '.md')) for name in files)} pages", flush=True)
    for name in ("stage", "new", "doctrees", "jupyter_execute"):
        shutil.rmtree(out / name, ignore_errors=True)
    for name, content in files.items():
        (out / "stage" / name).parent.mkdir(parents=True, exist_ok=True)
        (out / "stage" / name).write_bytes(content)
    if complaints := run_sphinx(out / "stage", out / "new"):
        raise Problem("\n  ".join(["The site was not built:", *complaints]))
    for path in (path for pattern in STATIC_LEFTOVERS for path in (out / "new/_static").glob(pattern)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if edition == "student":
        offer_downloads(source, out / "new/_sources/chapters")
    shutil.rmtree(html, ignore_errors=True)
    (out / "new").rename(html)  # at once: nobody meets half of a site
    record.write_text(now)
    print(f"The site is built, in {time.perf_counter() - started:.0f} s: {html / 'index.html'}", flush=True)


# --- looking at it

RELOAD = b"""<script>let built; setInterval(async () => {
  const now = await fetch("/-/built").then((answer) => answer.text(), () => built);
  if (built && built !== now) location.reload(); else built = now; }, 1000);</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder quietly; an unknown address gets the site's own 404 page. What `serve` shows reloads itself."""

    def log_message(self, *args):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def do_GET(self):
        built, page = getattr(self.server, "built", None), Path(self.translate_path(self.path))
        page = page / "index.html" if page.is_dir() else page
        if built and (self.path == "/-/built" or page.suffix == ".html" and page.is_file()):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(str(built).encode() if self.path == "/-/built" else page.read_bytes() + RELOAD)
        else:
            super().do_GET()

    def send_error(self, code, message=None, explain=None):
        page = Path(self.directory, "404.html")
        if code == 404 and page.is_file():
            self.error_message_format = page.read_text(encoding="utf8").replace("%", "%%")
        super().send_error(code, message, explain)


def server_for(folder: Path, port: int, tries: int = 1):
    """A server of `folder` on this machine only. A port that is taken gives way to the next."""
    handler = functools.partial(Handler, directory=str(folder))
    for candidate in range(port, port + tries):
        with contextlib.suppress(OSError):
            return http.server.ThreadingHTTPServer(("127.0.0.1", candidate), handler)
    raise Problem(f"No free port from {port} to {port + tries - 1}. Name another with --port.")


def watch(args, server):
    """Builds again whenever a file of the book has changed and then kept still for a moment."""

    def look():
        with contextlib.suppress(OSError):  # gone between the two: an editor is writing
            return {path: path.stat().st_mtime_ns for name in WATCHED for path in args.source.glob(name)}

    shown = last = look()
    while True:
        time.sleep(0.5)
        before, last = last, look()
        if last == before != shown:
            shown = last
            try:
                build(args.source, args.edition)
                server.built += 1
            except (Problem, OSError) as problem:
                print(problem, flush=True)


def serve(args):
    build(args.source, args.edition)
    with server_for(folder(args.source, args.edition) / "html", args.port, tries=50) as server:
        server.built = time.time()  # the open page asks for it each second, and loads again when it changes
        print(f"The site is at http://127.0.0.1:{server.server_port}/  (it follows your edits; Ctrl-C ends)")
        if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
            threading.Timer(0.3, webbrowser.open, [f"http://127.0.0.1:{server.server_port}/"]).start()
        threading.Thread(target=watch, args=[args, server], daemon=True).start()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    print("\nStopped.")


@contextlib.contextmanager
def browser():
    """Chromium, without a screen and without calls home. Its sandbox does not work for root."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        raise Problem("There is no browser here: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, chromium_sandbox=os.geteuid() != 0,
                                              args=["--disable-gpu", "--disable-quic", "--disable-sync"])
        yield chromium
        chromium.close()


CARD = """<body style="margin: 0; display: grid; place-content: center; background: #fffefb; font: 600 40px serif">
<p style="margin: 0 0 12px">Computational Performance</p><style>svg {{ width: 860px; height: auto }}</style>{picture}"""


def screenshot(args):
    from PIL import Image

    build(args.source)
    target, (address, _, anchor) = args.source / "images/screenshot.png", args.page.partition("#")
    preview = args.source / "theme/static/preview.png"
    with server_for(folder(args.source) / "html", 0) as server, browser() as chromium:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"http://127.0.0.1:{server.server_port}/{address}", wait_until="networkidle")
        if anchor:  # an address with an anchor scrolls before the figures have their height
            page.evaluate("id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", anchor)
            page.wait_for_timeout(300)
        page.screenshot(path=target)
        card = chromium.new_page(viewport={"width": 1200, "height": 630})  # what a shared link shows
        card.set_content(CARD.format(picture=(args.source / "images/landing.svg").read_text(encoding="utf8")))
        card.screenshot(path=preview)
        server.shutdown()
    # Flat colours: a palette makes the file much smaller and shows no difference.
    for drawn in (target, preview):
        Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(drawn, optimize=True)
        print(f"Drew {drawn} ({drawn.stat().st_size // 1024} KB)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["build", "serve", "screenshot"])
    parser.add_argument("--source", type=lambda path: Path(path).resolve(), default=ROOT, metavar="DIR",
                        help="folder with _config.yml and _toc.yml (default: the course)")
    parser.add_argument("--edition", choices=["student", "instructor"], default="student",
                        help="instructor: with solutions and rubrics, in _build/instructor/html")
    parser.add_argument("--port", type=int, default=8000, help="serve: the first port to try (default 8000)")
    parser.add_argument("--page", default="chapters/measuring.html", help="screenshot: the page, with its #anchor")
    args = parser.parse_args()
    try:
        if args.command == "build":
            build(args.source, args.edition)
        else:
            {"serve": serve, "screenshot": screenshot}[args.command](args)
    except Problem as problem:
        sys.exit(str(problem))
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed here. `make book` installs all that is needed, into .venv.")
    except OSError as error:
        sys.exit(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "))


if __name__ == "__main__":
    main()
