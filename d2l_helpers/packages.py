"""A package that some pages need and most machines lack: MXNet."""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import sys

MXNET = "1.9.1"  # May 2022, the last release


def need_mxnet() -> None:
    """Install MXNet where it is missing and can be, as on Colab; else end the page with one clear line.

    Nothing else changes: it comes without its dependencies, which would bring an old NumPy.

    Raises:
        SystemExit: there is no MXNet for this platform, or it cannot be installed.
    """
    if importlib.util.find_spec("mxnet") is not None:
        return
    if platform.system() not in ("Linux", "Darwin") or platform.machine() not in ("x86_64", "AMD64"):
        sys.exit(f"MXNet {MXNET} exists for x86-64 Linux and macOS only: read this page with its stored outputs.")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-input", "--no-deps"]
    others = [name for name in ("graphviz", "requests", "setuptools") if not importlib.util.find_spec(name)]
    if subprocess.run([*pip, f"mxnet=={MXNET}", *others], capture_output=True).returncode:
        sys.exit(f"MXNet {MXNET} could not be installed: is the network up? The page can be read with its outputs.")
    importlib.invalidate_caches()
