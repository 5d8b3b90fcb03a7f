"""Compile probes.c on the spot, call its loops, and hand out memory for them.

Python's own steps would hide a nanosecond, so the loops are in C. The machine's C compiler makes them
once a process, in a temporary folder that is gone afterwards. 64-bit Linux and macOS only.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import lru_cache, wraps
from pathlib import Path

MIB = 1024**2
_FLAGS = "-std=gnu11 -O2 -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast -fPIC -shared -pthread".split()
LEFT_OUT = "the probes written in C are left out"


@lru_cache
def library():
    """The compiled loops or None, and the line that says which."""
    path = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if path is None or os.name != "posix" or ctypes.sizeof(ctypes.c_long) != 8:
        return None, f"compiler: no C compiler for 64-bit Linux or macOS found; {LEFT_OUT}"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "probes.so")
        source = Path(__file__).with_name("probes.c")
        for extra in ([], ["-DPLAIN"]):  # an old compiler knows fewer instructions
            command = [path, *_FLAGS, *extra, str(source), "-o", str(target)]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode == 0:
                said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.splitlines()
                return ctypes.CDLL(str(target)), f"compiler: {said[0] if said else path}"
    reason = next((line for line in made.stderr.splitlines() if "error" in line), "no message")
    return None, f"compiler: {Path(path).name} failed ({reason.split(': ', 1)[-1]}); {LEFT_OUT}"


def compiler() -> str:
    """One line: which C compiler made the probes, or what is missing."""
    return library()[1]


def call(name: str, *arguments: int) -> float:
    function = getattr(library()[0], name)
    function.restype = ctypes.c_double
    return function(*map(ctypes.c_long, arguments))


@contextmanager
def borrow(size: int, huge: bool = True):
    """Address of ``size`` bytes, on huge pages where Linux grants them."""
    size = -(-size // (2 * MIB)) * 2 * MIB
    if not (address := int(call("grab", size, huge))):
        raise MemoryError(f"no {size // MIB} MiB for a probe")
    try:
        yield address
    finally:
        call("release", address, size)


def needs_c(empty):
    """A probe that returns a new ``empty()`` where there is no compiler."""

    def wrap(probe):
        @wraps(probe)
        def run(*args, **options):
            return probe(*args, **options) if library()[0] else empty()

        return run

    return wrap
