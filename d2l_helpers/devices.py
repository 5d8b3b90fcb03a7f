"""Devices under d2l's names, how many threads a library uses, and one call that waits for every device."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def cpu() -> torch.device:
    """The CPU."""
    import torch

    return torch.device("cpu")


def gpu(i: int = 0) -> torch.device:
    """CUDA device number ``i``, whether or not it exists."""
    import torch

    return torch.device("cuda", i)


def num_gpus() -> int:
    """How many CUDA devices this process can use; 0 where there is none."""
    import torch

    return torch.cuda.device_count()


def try_gpu(i: int = 0) -> torch.device:
    """CUDA device ``i`` if there is one, else the CPU."""
    if i < 0:
        raise ValueError(f"a device number starts at 0, not {i}")
    return gpu(i) if i < num_gpus() else cpu()


def try_all_gpus() -> list[torch.device]:
    """Every CUDA device, or ``[cpu()]`` where there is none: never an empty list."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


def synchronize() -> None:
    """Wait until every device in use has finished: all CUDA devices, and MXNet's engine.

    ``torch.cuda.synchronize()`` alone waits for the current device only. A library that this
    process has not imported has nothing to wait for, so this imports none.
    """
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        for i in range(torch.cuda.device_count()):
            torch.cuda.synchronize(i)
    mx = sys.modules.get("mxnet")
    if mx is not None and hasattr(mx, "nd"):  # absent while the import is still under way
        mx.nd.waitall()


def set_threads(count: int = 1) -> None:
    """Let every library use ``count`` threads inside one operation: PyTorch, NumPy's BLAS, MXNet.

    A library reads the environment when it is imported, and children inherit it: so call this first. What is
    imported already is told so itself: torch, and the BLAS where threadpoolctl is there.

    Raises:
        ValueError: ``count`` is below 1.
    """
    if count < 1:
        raise ValueError(f"an operation needs at least one thread, not {count}")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ[name] = str(count)
    if "numpy" in sys.modules:
        try:
            from threadpoolctl import threadpool_limits

            threadpool_limits(count)
        except ImportError:
            pass
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)
