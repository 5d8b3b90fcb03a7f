"""A probe of storage: a file, read past the page cache."""

from __future__ import annotations

import mmap
import os
import tempfile
import time
from pathlib import Path

MIB = 1024**2


def _in_memory(folder: str | Path) -> bool:
    """Whether Linux says that a folder's file system is one of memory; such a one may allow direct reads too."""
    device = os.stat(folder).st_dev
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    kinds = {line.split()[2]: line.partition(" - ")[2].split()[0] for line in mounts}
    return kinds.get(f"{os.major(device)}:{os.minor(device)}") in ("tmpfs", "ramfs")


def storage(folder: str | Path | None = None, size: int = 64 * MIB) -> dict[str, float | str]:
    """Read a file of random bytes back without the page cache: MB/s in 1 MiB pieces, µs for 4 KiB anywhere.

    ``folder``: that of temporary files by default, or the current one where those are kept in memory. Key
    ``"how"`` says how the cache was avoided, or why it could not be: then nothing else is reported. The file
    is deleted.
    """
    try:
        folder = folder or (os.getcwd() if _in_memory(tempfile.gettempdir()) else tempfile.gettempdir())
        if _in_memory(folder):
            return {"how": "left out: this folder lies in memory (tmpfs), so there is no storage to read"}
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            for _ in range(size // MIB):
                file.write(os.urandom(MIB))
            file.flush()
            os.fsync(file.fileno())
            return _read(file.name, size)
    except OSError as error:
        return {"how": f"left out: no file of {size // MIB} MiB could be written ({error.strerror or error})"}


def _read(name: str, size: int) -> dict[str, float | str]:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_DIRECT)
    except (AttributeError, OSError):
        return {"how": "left out: this file system does not let a program read past the page cache"}
    places = [int.from_bytes(os.urandom(4), "big") % (size // 4096) * 4096 for _ in range(400)]
    small = []
    try:
        with mmap.mmap(-1, MIB) as buffer, memoryview(buffer) as whole, whole[:4096] as page:
            start = time.perf_counter()
            for place in range(0, size, MIB):
                os.preadv(fd, [whole], place)
            sequential = size / (time.perf_counter() - start) / 1e6
            for place in places:
                start = time.perf_counter()
                os.preadv(fd, [page], place)
                small.append(time.perf_counter() - start)
    except OSError:
        return {"how": "left out: this file system opens a file for direct reads and then refuses them"}
    finally:
        os.close(fd)
    middle = sorted(small)[len(small) // 2]
    found = {"sequential (MB/s)": sequential, "random 4 KiB (µs)": middle * 1e6, "reads a second": 1 / middle}
    return {"how": "O_DIRECT", **found}
