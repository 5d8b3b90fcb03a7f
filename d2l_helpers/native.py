"""Compile probes.c on the spot, call its loops, and hand out memory for them.

Python's own steps would hide a nanosecond, so the loops are in C. The machine's C compiler makes them
once a process, in a temporary folder that is gone afterwards. Where there is none, Numba compiles the
same loops from ``fallback``. 64-bit Linux and macOS only.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import lru_cache, wraps
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

MIB = 1024**2
_FLAGS = "-std=gnu11 -O2 -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast -fPIC -shared -pthread".split()


@lru_cache
def library():
    """What holds the compiled loops (a C library, else the module ``fallback``) or None, and a line that says which."""
    made, line = _compile()
    if made:
        return made, f"compiler: {line}"
    try:
        fallback = import_module(".fallback", __package__) if os.name == "posix" else None
    except ImportError:  # also Numba's own complaint about a NumPy that is too new for it
        fallback = None
    if not fallback:
        return None, f"compiler: {line}, nor Numba in its place; the probes of processor and memory are left out"
    name = f"Numba {version('numba')}"
    return fallback, f"compiler: {line}: {name} compiles the probes instead; left out: {fallback.LEFT_OUT}"


def _compile():
    """The library that the C compiler made, and its name; or None and what is wrong."""
    path = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if path is None or os.name != "posix" or ctypes.sizeof(ctypes.c_long) != 8:
        return None, "no C compiler for 64-bit Linux or macOS found"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "probes.so")
        source = Path(__file__).with_name("probes.c")
        for extra in ([], ["-DPLAIN"]):  # an old compiler knows fewer instructions
            command = [path, *_FLAGS, *extra, str(source), "-o", str(target)]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode == 0:
                said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.splitlines()
                return ctypes.CDLL(str(target)), said[0] if said else path
    reason = next((line for line in made.stderr.splitlines() if "error" in line), "no message")
    return None, f"{Path(path).name} failed ({reason.split(': ', 1)[-1]})"


def compiler() -> str:
    """One line: which C compiler made the probes, or Numba in its place, or what is missing."""
    return library()[1]


def call(name: str, *arguments: int) -> float:
    function = getattr(library()[0], name)
    if isinstance(library()[0], ctypes.CDLL):
        function.restype = ctypes.c_double
        arguments = tuple(map(ctypes.c_long, arguments))
    return function(*arguments)


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


def needs(name: str, empty):
    """A probe that returns a new ``empty()`` where no loop ``name`` was compiled."""

    def wrap(probe):
        @wraps(probe)
        def run(*args, **options):
            return probe(*args, **options) if hasattr(library()[0], name) else empty()

        return run

    return wrap
