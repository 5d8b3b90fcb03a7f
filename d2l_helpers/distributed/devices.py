"""A GPU of its own for each rank, or none for any: how many ranks a machine is good for, and what a rank joins with."""

from __future__ import annotations

import os

from ..devices import num_gpus


def ranks_here(most: int = 4) -> int:
    """How many ranks to start on this machine: a GPU each where there are two or more, ``most`` of them on CPUs.

    NCCL refuses two ranks on one GPU, so a single GPU is no place for several.
    """
    return min(most, num_gpus()) if num_gpus() > 1 else most


def join(timeout: float | None = None):
    """In a rank: join the group and return this rank's ``torch.device``. Rank 0 says in one line where all of them are.

    NCCL where this machine has a GPU for each of its ranks, gloo on the CPU where it has not. A rank makes its own
    GPU the current one and touches no other. ``timeout``: seconds that a collective waits for a rank that is late.
    """
    from datetime import timedelta

    import torch
    import torch.distributed as dist

    local, mates = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    gpus = torch.cuda.device_count()
    device = torch.device(f"cuda:{local}" if gpus >= mates else "cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    limit = {} if timeout is None else {"timeout": timedelta(seconds=timeout)}
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo", **limit)
    if dist.get_rank() == 0:
        where = "its GPUs, one each (NCCL)" if device.type == "cuda" else "the CPU (gloo)"
        why = f", since {mates} ranks need a GPU each, not {gpus}" if device.type == "cpu" and gpus else ""
        print(f"{dist.get_world_size()} ranks on {where}{why}", flush=True)
    return device
