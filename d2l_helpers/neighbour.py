"""Busy processes on the same machine, to see what a measurement is worth when it is not alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .machine import cores

# A child works only while its parent lives, so that a killed kernel leaves nothing behind.
_BUSY = """
import os, sys
parent = int(sys.argv[1])
print("busy", flush=True)
while os.getppid() == parent:
    for i in range(100_000):
        pass
"""


@contextmanager
def noisy_neighbour(processes: int | None = None) -> Iterator[None]:
    """While the block runs, keep ``processes`` other processes busy; one for each core by default."""
    count = cores() if processes is None else processes
    if count < 1:
        raise ValueError(f"a neighbour needs at least one process, not {count}")
    command = [sys.executable, "-c", _BUSY, str(os.getpid())]
    children: list[subprocess.Popen] = []
    try:
        for _ in range(count):
            children.append(subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL))
        for child in children:
            child.stdout.readline()
        yield
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.wait()
            child.stdout.close()
