"""Probes of what hangs on the processor: a file's storage and the GPU. ``probes`` passes them on."""

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
    folder = folder or (os.getcwd() if _in_memory(tempfile.gettempdir()) else tempfile.gettempdir())
    if _in_memory(folder):
        return {"how": "left out: this folder lies in memory (tmpfs), so there is no storage to read"}
    with tempfile.NamedTemporaryFile(dir=folder) as file, mmap.mmap(-1, MIB) as buffer:
        for _ in range(size // MIB):
            file.write(os.urandom(MIB))
        file.flush()
        os.fsync(file.fileno())
        try:
            fd, how = os.open(file.name, os.O_RDONLY | os.O_DIRECT), "O_DIRECT"
        except (AttributeError, OSError):
            return {"how": "left out: this file system does not let a program read past the page cache"}
        places = [int.from_bytes(os.urandom(4), "big") % (size // 4096) * 4096 for _ in range(400)]
        small, view = [], memoryview(buffer)
        try:
            start = time.perf_counter()
            for place in range(0, size, MIB):
                os.preadv(fd, [buffer], place)
            sequential = size / (time.perf_counter() - start) / 1e6
            with view[:4096] as page:
                for place in places:
                    start = time.perf_counter()
                    os.preadv(fd, [page], place)
                    small.append(time.perf_counter() - start)
        except OSError:
            return {"how": "left out: this file system opens a file for direct reads and then refuses them"}
        finally:
            view.release()
            os.close(fd)
    middle = sorted(small)[len(small) // 2]
    found = {"sequential (MB/s)": sequential, "random 4 KiB (µs)": middle * 1e6, "reads a second": 1 / middle}
    return {"how": how, **found}


def gpu_probes(n: int = 8192) -> dict[str, float]:
    """Launch in µs, copies and device memory in GB/s, matmul by dtype in TFLOP/s; {} without a GPU."""
    import torch

    if not torch.cuda.is_available():
        return {}

    def best(function, repeats: int = 10) -> float:
        times = []
        for _ in range(repeats + 2):
            torch.cuda.synchronize()
            start = time.perf_counter()
            function()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        return min(times[2:])

    tiny, device = torch.zeros(1, device="cuda"), torch.empty(256 * MIB, dtype=torch.uint8, device="cuda")
    found = {"kernel launch and wait (µs)": best(lambda: tiny.add_(1)) * 1e6}
    found["kernel launch, queued (µs)"] = best(lambda: [tiny.add_(1) for _ in range(1000)]) * 1e3
    for name, pinned in (("pageable", False), ("pinned", True)):
        host = torch.ones(256 * MIB, dtype=torch.uint8, pin_memory=pinned)
        found[f"to the GPU, {name} (GB/s)"] = host.numel() / best(lambda h=host: device.copy_(h)) / 1e9
        found[f"from the GPU, {name} (GB/s)"] = host.numel() / best(lambda h=host: h.copy_(device)) / 1e9
    other = torch.empty_like(device)
    found["device memory, read and write (GB/s)"] = 2 * device.numel() / best(lambda: other.copy_(device)) / 1e9
    dtypes = [torch.float32, torch.float16] + [torch.bfloat16] * (torch.cuda.get_device_capability()[0] >= 8)
    for dtype in dtypes:
        a = torch.randn(n, n, device="cuda").to(dtype)
        found[f"matmul {str(dtype)[6:]} (TFLOP/s)"] = 2 * n**3 / best(lambda a=a: a @ a, 5) / 1e12
    return found
