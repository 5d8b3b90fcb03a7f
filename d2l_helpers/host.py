"""What machine this is: the line that belongs beside every measurement."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .neighbours import cores

_PACKAGES = ("torch", "mxnet", "numpy")


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def caches() -> dict[str, int]:
    """Bytes of each data cache that core 0 sees, as Linux reports them; empty elsewhere."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            kind, level, size = ((index / part).read_text().strip() for part in ("type", "level", "size"))
        except OSError:
            continue
        if kind != "Instruction" and size[-1] in "KM":
            found[f"L{level}"] = int(size[:-1]) * {"K": 1024, "M": 1024**2}[size[-1]]
    return found


def memory() -> int | None:
    """Bytes of physical memory, or None where the system does not say."""
    import os

    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def machine() -> dict[str, str]:
    """This machine and the versions that matter, as text by key: cpu, gpu, python, torch, …

    A package that is not installed is left out, and so is the GPU unless torch, already
    imported, sees one.
    """
    count = cores()
    found = {"cpu": f"{_cpu_name()}, {count} core{'s' if count > 1 else ''}", "system": platform.system()}
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        found["gpu"] = torch.cuda.get_device_name(0)
    found["python"] = platform.python_version()
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
