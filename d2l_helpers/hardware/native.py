"""Compile probes.c on the spot, call its loops, and hand out memory for them.

Python's own steps would hide a nanosecond, so the loops are in C. The machine's C compiler makes them once a
process, in a temporary folder that is gone afterwards. 64-bit Linux and macOS only.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

MIB = 1024**2
SOURCE = Path(__file__).with_name("probes.c")
FLAGS = "-std=gnu11 -O2 -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=fast -fPIC -shared -pthread".split()
REASONS = {
    -1: "the system gives no more threads",
    -2: "a thread waited too long for another one",
    -3: "the loop's own count came out wrong",
    -4: "the system gives no more memory",
    -5: "the loopback interface is not there",
    -6: "a message was lost on the loopback",
}


class ProbeFailed(RuntimeError):
    """A probe could not measure; the message says why, in one line."""


@lru_cache
def library() -> tuple[ctypes.CDLL | None, str]:
    """The compiled loops and the compiler's name; or None and what is wrong, in one line."""
    path = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if path is None or os.name != "posix" or ctypes.sizeof(ctypes.c_long) != 8:
        return None, "no C compiler for 64-bit Linux or macOS found"
    try:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, "probes.so")
            for extra in ([], ["-DPLAIN"]):  # an old compiler knows fewer instructions
                complaint = _run([path, *FLAGS, *extra, str(SOURCE), "-o", str(target)])[1]
                if not complaint:
                    break
            else:
                return None, complaint
            if made := _load(target):
                return made, (_run([path, "--version"])[0].splitlines() or [path])[0]
            parent = Path(folder).parent
            return None, f"the temporary folder {parent} forbids execution: set TMPDIR to one that allows it"
    except OSError as error:
        return None, f"no temporary folder to compile in ({error.strerror or error}): set TMPDIR to one"


def _run(command: list[str]) -> tuple[str, str]:
    """What a command printed, and what it complained of: empty where it went well."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", f"{name} did not run ({type(error).__name__})"
    if done.returncode == 0:
        return done.stdout, ""
    lines = done.stderr.splitlines() or [f"exit status {done.returncode}"]
    reason = next((line for line in lines if "error" in line), lines[0])
    return done.stdout, f"{name} failed ({reason.split(': ', 1)[-1]})"


def _load(target: Path) -> ctypes.CDLL | None:
    """The library; from a copy in memory where its folder is mounted noexec; None where that is forbidden too."""
    try:
        return ctypes.CDLL(str(target))
    except OSError:
        if not hasattr(os, "memfd_create"):
            return None
    try:
        with open(os.memfd_create("probes"), "wb", buffering=0) as memory:
            memory.write(target.read_bytes())
            return ctypes.CDLL(f"/proc/self/fd/{memory.fileno()}")
    except OSError:
        return None


def compiler() -> str:
    """One line: which C compiler made the probes, or what is missing."""
    made, line = library()
    return f"compiler: {line}" if made else f"compiler: {line}; the probes of processor and memory cannot run here"


def missing() -> str:
    """What keeps the probes of processor and memory from running here, in one line; empty where nothing does."""
    made, line = library()
    return "" if made else line


def call(name: str, *arguments: int) -> float:
    """The loop ``name`` of probes.c with these whole numbers.

    Raises:
        ProbeFailed: there is no compiled loop, or it could not measure. Its threads have ended.
    """
    made, line = library()
    if made is None:
        raise ProbeFailed(line)
    function = getattr(made, name)
    function.restype = ctypes.c_double
    value = function(*map(ctypes.c_long, arguments))
    if not value >= 0:
        raise ProbeFailed(f"the probe {name} could not measure: {REASONS.get(value, value)}")
    return value


@contextmanager
def borrow(size: int, huge: bool = True) -> Iterator[int]:
    """Address of ``size`` bytes of zeros, on huge pages where Linux grants them.

    Raises:
        ProbeFailed: so much memory is not to be had.
    """
    size = -(-size // (2 * MIB)) * 2 * MIB
    address = int(call("grab", size, huge))
    try:
        yield address
    finally:
        call("release", address, size)
