"""``lane``: a worker that does one task after another, on a core of its own where the system allows it."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor


def lane(core: int | None = None) -> ThreadPoolExecutor:
    """A queue with one thread: ``lane(0).submit(function)`` returns a future.

    Args:
        core: the number of its core among those that this process may use, from 0; beyond the last it begins again.
            None, or a system that binds no threads (macOS, Windows): any core.

    PyTorch's operators get one thread within a lane, so that a lane is at most one core.
    """
    allowed = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

    def settle() -> None:
        if core is not None and allowed:
            os.sched_setaffinity(0, {allowed[core % len(allowed)]})  # the calling thread only
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(1)
            torch.get_num_threads()  # settles it: a number set later elsewhere is not taken

    return ThreadPoolExecutor(1, initializer=settle)
