"""What machine this is: the one shape of provenance, which stamp, record and ``bench.json`` add their keys to."""

from __future__ import annotations

import os
import platform
import re
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

GIB = 2**30
_PACKAGES = ("torch", "mxnet", "numpy")
_NAMES = {"python": "Python", "torch": "PyTorch", "mxnet": "MXNet", "numpy": "NumPy"}


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_size() -> int | None:
    """Bytes of memory that this process may use: the machine's, or less where its container (a cgroup) sets a limit.

    None where the system does not say.
    """
    try:
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, ValueError, OSError):
        sizes = []
    return min(sizes + _cgroup_limits(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")), default=None)


def _cgroup_limits(membership: Path, mounted: Path) -> list[int]:
    """Limits of memory, in bytes, of the cgroups (version 1 or 2) that this process is in."""
    limits = []
    try:
        groups = [line.split(":", 2) for line in membership.read_text().splitlines()]
    except OSError:
        return []
    for _, controllers, place in groups:
        if controllers not in ("", "memory"):
            continue
        home, name = (mounted / "memory", "memory.limit_in_bytes") if controllers else (mounted, "memory.max")
        group = home / place.lstrip("/")
        for folder in (group, *group.parents):  # a group has at most what those above it have
            try:
                limits.append(int((folder / name).read_text()))
            except (OSError, ValueError):  # a container sees its own group as the root; "max" is no limit
                pass
            if folder == home:
                break
    return limits


def caches() -> dict[str, int]:
    """Bytes of each data cache that core 0 sees ("L1", "L2", …), as Linux reports them; empty elsewhere."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            kind, level, size = ((index / part).read_text().strip() for part in ("type", "level", "size"))
        except OSError:
            continue
        if kind != "Instruction" and size[-1] in "KM":
            found[f"L{level}"] = int(size[:-1]) * {"K": 1024, "M": 1024**2}[size[-1]]
    return found


def _cpu_name(info: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name; of x86 with its family and model, since a virtual machine may shorten the name."""
    try:
        fields = dict(re.findall(r"(?m)^(model name|cpu family|model)\s*: *(.+?) *$", info.read_text()))
    except OSError:
        fields = {}
    name = fields.get("model name") or platform.processor() or platform.machine()
    known = all(key in fields for key in ("cpu family", "model"))
    return f"{name} (family {fields['cpu family']}, model {fields['model']})" if known else name


def machine() -> dict:
    """{"machine": {cpu, cores, memory GiB, system, gpu}, "versions": {python, torch, …}, "date": "2026-11-21"}.

    What is not there is left out: a package that is not installed, and the GPU unless torch, already imported,
    sees one.
    """
    about: dict[str, object] = {"cpu": _cpu_name(), "cores": cores()}
    if size := memory_size():
        about["memory GiB"] = round(size / GIB)
    about["system"] = platform.system()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        about["gpu"] = torch.cuda.get_device_name(0)
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {"machine": about, "versions": versions, "date": date.today().isoformat()}


def machine_line(provenance: dict | None = None) -> str:
    """What ``machine()`` gives, or a stamp or record with its shape, in one line of text."""
    found = provenance or machine()
    about = found["machine"]
    parts = [f"{about['cpu']}", f"{about['cores']} core{'s' if about['cores'] != 1 else ''}"]
    if "memory GiB" in about:
        parts.append(f"{about['memory GiB']} GiB")
    parts += [str(about[key]) for key in ("gpu", "system") if key in about]
    return ", ".join(parts + [f"{_NAMES.get(key, key)} {value}" for key, value in found["versions"].items()])
