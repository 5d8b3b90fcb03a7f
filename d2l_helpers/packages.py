"""A package that some pages need and most machines lack: MXNet."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

MXNET = "1.9.1"  # May 2022, the last release


def need_mxnet() -> None:
    """Bring MXNet where it is missing and can be had, as on Colab; else end the page with one clear line.

    It comes into a folder of its own, which this process and its scripts search last, and without its dependencies,
    which would bring an old NumPy: nothing that is installed changes.

    Raises:
        SystemExit: there is no MXNet for this platform, or it cannot be installed.
    """
    if importlib.util.find_spec("mxnet") is not None:
        return
    if platform.system() not in ("Linux", "Darwin") or platform.machine() not in ("x86_64", "AMD64"):
        sys.exit(f"MXNet {MXNET} exists for x86-64 Linux and macOS only: read this page with its stored outputs.")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = cache / f"d2l-mxnet-{MXNET}-python-{sys.version_info[0]}.{sys.version_info[1]}"
    if not place.is_dir() and not _bring(place):
        sys.exit(f"MXNet {MXNET} could not be installed: is the network up? The page can be read with its outputs.")
    sys.path.append(str(place))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(place)]))
    importlib.invalidate_caches()


def _bring(place: Path) -> bool:
    """Install MXNet, and what it imports and is missing, into the folder ``place``: complete, or not at all."""
    others = [name for name in ("graphviz", "requests", "setuptools") if not importlib.util.find_spec(name)]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            whole = Path(folder, "whole")
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-input", "--no-deps", "--target", str(whole)]
            done = subprocess.run([*pip, f"mxnet=={MXNET}", *others], capture_output=True).returncode == 0
            if done:
                whole.rename(place)
    except OSError:  # a home that cannot be written, a full disk
        return False
    return done
