"""Who is still running, for the tests that see to it that nobody is."""

import time

import psutil


def running(word: str) -> list[int]:
    """Processes with this word on their command line."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        if word in " ".join(process.info["cmdline"] or []) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process.info["pid"])
    return found


def wait_for(condition, limit: float = 60.0) -> None:
    """Return when the condition holds; fail after ``limit`` seconds."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
