"""`make test` and `make check`: every part runs, then a table says what each took and found.

    suite.py check              ruff, the quick tests, the rules; no notebook is executed
    suite.py test [--all]       that, the slow tests, the pages, the site; of these only what changed since it passed
    suite.py test NAME…         only the rules and the execution of these pages
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import as_colab
import pages
import run

import d2l_helpers as d2l

TESTS = ("tests/helpers", "tests/tools", "tests/gpu", "tests/notebooks", "tests/exercises", "tests/instructors")
WORKERS = min(4, d2l.cores())  # for tests that measure nothing
COLAB_SECONDS = 120  # after so many no further page is begun
# What the outcome of a part depends on, besides the packages. The site's tests also depend on the built pages.
SLOW = ("d2l_helpers", "records", "tools", "tests", "instructors", "Makefile", "pyproject.toml")
SITE = ("theme", "tools/website.py", "tools/guide.py", "tools/course_tables.py", "tools/students.py", "tools/colab.py",
        "tools/offline.py", "tools/bench_site.py", "tests/site", "tests/conftest.py", "_config.yml", "pyproject.toml")


def digest(*places):
    """A hash of the files below some places, and the packages."""
    roots = [run.ROOT / place for place in places]
    files = pages.digest([path for root in roots for path in (root, *root.rglob("*"))], run.ROOT)
    return files + (run.ROOT / "requirements.txt").read_text(encoding="utf-8")


def ruff():
    """One test: the whole tree is clean."""
    clean = subprocess.call([sys.executable, "-m", "ruff", "check", "--quiet", "."], cwd=run.ROOT) == 0
    return int(clean), int(not clean), 0


def pytest(name, *arguments, workers=1):
    """(passed, failed, skipped) of a run of pytest, which shows its own progress; tests that measure get one worker."""
    report = run.BUILD / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *arguments]
    command += ["-n", str(workers)] if workers > 1 else []
    return counted(report, subprocess.call(command, cwd=run.ROOT))


def counted(report, status):
    """What pytest's report says; a run that broke off, or found nothing it was asked for, counts as a failure."""
    if not report.exists():
        return 0, 1, 0
    suite = ET.parse(report).find("testsuite").attrib
    every, skipped = int(suite["tests"]), int(suite["skipped"])
    failed = int(suite["failures"]) + int(suite["errors"])
    if status not in (0, 5) and not failed:
        failed, every = 1, every + 1
    return every - failed - skipped, failed, skipped


def website():
    """One test: the site can be built."""
    built = subprocess.call([sys.executable, "tools/website.py", "build"], cwd=run.ROOT) == 0
    return int(built), int(not built), 0


def slow(everything):
    """The slow tests, unless they have passed with the same files."""
    exercises = (f"chapters/{path.name}" for path in pages.listed() if path.stem.endswith("-exercises"))
    mark, now = run.MARKS / "slow", digest(*SLOW, *exercises)
    if not everything and mark.exists() and mark.read_text() == now:
        print("They passed before, and nothing that they depend on has changed.")
        return 0, 0, 0
    counts = pytest("slow", "-m", "slow and not gpu_pages", *TESTS)
    if not counts[1]:
        mark.write_text(now)
    return counts


def gpu_sections(everything):
    """The GPU sections of the pages, on a CPU that stands in for a GPU; of pages whose code has changed."""
    mark, around = run.MARKS / "gpu.json", digest("tests/gpu", "tools/gpu.py")
    now = {path.stem: hashlib.sha256(json.dumps([pages.made_from(pages.read(path)), around], sort_keys=True).encode()
                                     ).hexdigest() for path in pages.listed()}
    before = json.loads(mark.read_text()) if mark.exists() and not everything else {}
    due = [name for name, value in now.items() if before.get(name) != value]
    if not due:
        print("They passed before, and nothing that they depend on has changed.")
        return 0, 0, 0
    os.environ["D2L_GPU_PAGES"] = " ".join(due)
    counts = pytest("gpu", "-m", "gpu_pages", "tests/gpu/test_gpu_branches.py")
    if not counts[1]:
        mark.write_text(json.dumps(now))
    return counts


def on_colab(everything):
    """The pages as Colab runs them, except those that passed there (records/colab.json); some minutes at most."""
    try:
        return as_colab.try_all((), everything, limit=COLAB_SECONDS)
    except ValueError as problem:  # no such environment can be made here
        print(problem, flush=True)
        return (0, 1, 0) if os.environ.get("CI") == "true" else (0, 0, 1)


def site(everything):
    """The tests of the site: the files of all pages; in the browser only the pages that changed since they passed."""
    mark, html = run.MARKS / "site.json", run.BUILD / "html"
    built = {page.relative_to(html).as_posix(): hashlib.sha256(page.read_bytes()).hexdigest()
             for page in sorted(html.rglob("*.html"))}
    now = {"tests": digest(*SITE), "pages": built}
    before = json.loads(mark.read_text()) if mark.exists() and not everything else {}
    os.environ.pop("D2L_PAGES", None)
    if before.get("tests") == now["tests"]:
        changed = [page for page, value in now["pages"].items() if before["pages"].get(page) != value]
        print(f"In the browser: {', '.join(changed) or 'nothing, no page has changed since it passed'}")
        os.environ["D2L_PAGES"] = " ".join(changed)
    counts = pytest("site", "tests/site")
    if not counts[1]:
        mark.write_text(json.dumps(now))
    return counts


def parts(command, names, everything):
    """{title: what runs it}."""
    if names:
        os.environ["D2L_NAMES"] = " ".join(path.stem for path in pages.chosen(names))
        return {"rules of these pages": lambda: pytest("rules", "tests/notebooks/test_hygiene.py"),
                "these pages": lambda: run.test(names, everything)}
    quick = {"ruff": ruff, "quick tests and rules": lambda: pytest("quick", "-m", "not slow", *TESTS, workers=WORKERS)}
    others = {"slow tests": lambda: slow(everything), "GPU sections": lambda: gpu_sections(everything),
              "pages": lambda: run.test((), everything),
              "as on Colab": lambda: on_colab(everything),
              "site, built": website, "site, tests": lambda: site(everything)}
    return quick if command == "check" else quick | others


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "test"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="also what has passed before")
    options = parser.parse_args(arguments)

    def work():
        run.MARKS.mkdir(parents=True, exist_ok=True)
        rows, total = [("part", "seconds", "passed", "failed", "skipped")], (0, 0, 0)
        for title, part in parts(options.command, options.names, options.all).items():
            print(f"\n=== {title}", flush=True)
            begun = time.monotonic()
            counts = part()
            rows.append((title, f"{time.monotonic() - begun:.0f}", *map(str, counts)))
            total = tuple(map(sum, zip(total, counts, strict=True)))
        print("\n" + run.table(rows) + "\n")
        summary = f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else "")
        (run.BUILD / "summary").write_text(summary + "\n")
        print(summary, flush=True)
        return 1 if total[1] else 0

    return run.guarded(work)


if __name__ == "__main__":
    sys.exit(main())
