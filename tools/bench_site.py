"""How light the site is, beside a bare Jupyter Book build of the same pages: bench_site.py [PAGE…]

Chromium on a throttled line (1.6 Mbit/s, 150 ms) and a processor a quarter as fast, a fresh window for each visit. The
two builds take turns, page by page, so that a slow minute of the machine is slow for both; medians of some visits.
Written into _build/bench_site.json. Run it on a machine with nothing else to do: it says how busy it was.
"""
import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
from pathlib import Path

import website
import yaml

PAGES = ["index.html", "chapters/measuring.html", "chapters/roofline.html", "chapters/asynchrony.html"]
LINE = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
SLOWER = 4  # times
GOALS = {"kilobytes": 250, "requests": 20, "shift": 0.005}
WATCH = """window.paint = 0; window.shift = 0;
new PerformanceObserver(list => list.getEntries().forEach(e => { window.paint = e.startTime; }))
    .observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(e => { window.shift += e.value; }))
    .observe({type: "layout-shift", buffered: true});"""


def bare(source: Path) -> Path:
    """The same pages by Jupyter Book as it comes: its own extensions, theme and scripts; built once for each source."""
    folder = source / "_build/bare"
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in website.gather(source).items():
        if name.split("/")[0] not in ("theme", "_config.yml"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    config = {"title": "Bare", "only_build_toc_files": True, "execute": {"execute_notebooks": "off"},
              "parse": {"myst_enable_extensions": ["colon_fence", "dollarmath", "amsmath"]}}
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf8")
    command = [Path(sys.executable).with_name("jupyter-book"), "build", "-q", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    html = folder / "_build/html"
    if not (html / "index.html").is_file():
        raise website.Problem(f"The bare build failed: {done.stderr.strip().splitlines()[-1:] or done.returncode}")
    return html


def visit(chromium, address: str) -> dict:
    """One visit with an empty cache: kB as sent compressed, requests, seconds to the largest paint, layout shift."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(WATCH)
    tab, answers = context.new_page(), []
    tab.on("response", lambda answer: answers.append(answer))
    session = context.new_cdp_session(tab)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", LINE)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    tab.goto(address, wait_until="networkidle", timeout=120_000)
    own = [answer for answer in answers if answer.ok and answer.url.startswith(address.split("/", 3)[0])]
    found = {"kilobytes": sum(len(gzip.compress(answer.body())) for answer in own) / 1000, "requests": len(answers),
             "paint": tab.evaluate("window.paint") / 1000, "shift": tab.evaluate("window.shift")}
    context.close()
    return found


def measure(builds: dict, pages: list, times: int) -> dict:
    """{page: {build: {figure: median}}}; the builds take turns."""
    found = {page: {name: [] for name in builds} for page in pages}
    with website.browser() as chromium:
        servers = {name: website.server_for(folder, 0) for name, folder in builds.items()}
        for server in servers.values():
            threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for _ in range(times):
                for page in pages:
                    for name, server in servers.items():
                        found[page][name].append(visit(chromium, f"http://127.0.0.1:{server.server_port}/{page}"))
        finally:
            for server in servers.values():
                server.shutdown()
                server.server_close()
    return {page: {name: {key: statistics.median(one[key] for one in visits) for key in visits[0]}
                   for name, visits in by.items()} for page, by in found.items()}


def table(found: dict) -> str:
    lines = []
    for page, by in found.items():
        ours, other = by["ours"], by["bare"]
        lines.append(f"{page}: {ours['kilobytes']:.0f} kB in {ours['requests']:.0f} requests (bare: "
                     f"{other['kilobytes']:.0f} in {other['requests']:.0f}); largest paint {ours['paint']:.2f} s "
                     f"(bare: {other['paint']:.2f} s, {other['paint'] / max(ours['paint'], 1e-9):.1f} times); shift "
                     f"{ours['shift']:.3f} (bare: {other['shift']:.3f})")
        lines += [f"   NOT met: {key} {ours[key]:g}, wanted at most {limit:g}"
                  for key, limit in GOALS.items() if ours[key] > limit]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", default=PAGES)
    parser.add_argument("--source", type=lambda path: Path(path).resolve(), default=website.ROOT)
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args()
    try:
        website.build(args.source)
        builds = {"ours": args.source / "_build/html", "bare": bare(args.source)}
        busy = os.getloadavg()[0]
        found = measure(builds, args.pages, args.times)
        print(table(found))
        print(f"load of the machine: {busy:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} cores")
        record = {"line": LINE, "processor": f"1/{SLOWER}", "times": args.times, "load": busy, "pages": found}
        (args.source / "_build/bench_site.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    except website.Problem as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
