"""`make test` and `make check`: every part runs, then a table says what each took and found.

    suite.py check              ruff, the quick tests, the rules; no notebook is executed
    suite.py test [--all]       that, the slow tests, the pages that changed (all: every page), the site
    suite.py test NAME…         only the rules and the execution of these pages
"""
import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pages
import run

TESTS = ("tests/helpers", "tests/tools", "tests/notebooks")


def ruff():
    """One test: the whole tree is clean."""
    clean = subprocess.call([sys.executable, "-m", "ruff", "check", "--quiet", "."], cwd=run.ROOT) == 0
    return int(clean), int(not clean), 0


def pytest(name, *arguments):
    """(passed, failed, skipped) of a run of pytest, which shows its own progress."""
    report = run.BUILD / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *arguments]
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


def parts(command, names, everything):
    """{title: what runs it}."""
    if names:
        os.environ["D2L_NAMES"] = " ".join(path.stem for path in pages.chosen(names))
        return {"rules of these pages": lambda: pytest("rules", "tests/notebooks/test_hygiene.py"),
                "these pages": lambda: run.test(names, everything)}
    quick = {"ruff": ruff, "quick tests and rules": lambda: pytest("quick", "-m", "not slow", *TESTS)}
    slow = {"slow tests": lambda: pytest("slow", "-m", "slow", *TESTS), "pages": lambda: run.test((), everything),
            "site, built": website, "site, tests": lambda: pytest("site", "tests/site")}
    return quick if command == "check" else quick | slow


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "test"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true", help="also the pages that have passed before")
    options = parser.parse_args(arguments)

    def work():
        run.BUILD.mkdir(exist_ok=True)
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
