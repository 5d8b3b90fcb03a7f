"""Probes of a GPU, through PyTorch."""

from __future__ import annotations

import time

MIB = 1024**2


def gpu_probes(n: int = 8192, size: int = 256 * MIB) -> dict[str, float]:
    """One GPU: an operator in µs, copies and device memory in GB/s, matmul by dtype in TFLOP/s; {} without a GPU.

    "operator through PyTorch" is the least that an operator costs: its road through Python and the dispatcher, the
    launch of its kernel, and the kernel. Waited for each time, or a thousand queued. ``n``: side of the matrices;
    ``size``: bytes of a copy.
    """
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

    tiny, device = torch.zeros(1, device="cuda"), torch.empty(size, dtype=torch.uint8, device="cuda")
    found = {"operator through PyTorch, and wait (µs)": best(lambda: tiny.add_(1)) * 1e6}
    found["operator through PyTorch, queued (µs)"] = best(lambda: [tiny.add_(1) for _ in range(1000)]) * 1e3
    for name, pinned in (("pageable", False), ("pinned", True)):
        host = torch.ones(size, dtype=torch.uint8, pin_memory=pinned)
        found[f"to the GPU, {name} (GB/s)"] = host.numel() / best(lambda h=host: device.copy_(h)) / 1e9
        found[f"from the GPU, {name} (GB/s)"] = host.numel() / best(lambda h=host: h.copy_(device)) / 1e9
    other = torch.empty_like(device)
    found["device memory, read and write (GB/s)"] = 2 * device.numel() / best(lambda: other.copy_(device)) / 1e9
    dtypes = [torch.float32, torch.float16] + [torch.bfloat16] * (torch.cuda.get_device_capability()[0] >= 8)
    for dtype in dtypes:
        a = torch.randn(n, n, device="cuda").to(dtype)
        found[f"matmul {str(dtype)[6:]} (TFLOP/s)"] = 2 * n**3 / best(lambda a=a: a @ a, 5) / 1e12
    return found
