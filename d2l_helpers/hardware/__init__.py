"""The hardware wing: probes of this machine, sourced facts about others, and the roofline model.

A C compiler builds the probes when the first of them is called; ``missing()`` says what keeps it from doing so.
"""

from .facts import facts, show_table
from .gpu import (
    Card,
    GpuTimes,
    gpu_card,
    gpu_cards,
    gpu_measured,
    gpu_predict,
    gpu_probes,
    gpu_records,
    gpu_times,
)
from .native import ProbeFailed, compiler, missing
from .probes import (
    DTYPES,
    alignment,
    bandwidth,
    beyond_caches,
    branches,
    burst,
    cache_sizes,
    conflicts,
    cycle,
    direction,
    false_sharing,
    flops,
    geometry,
    latency_staircase,
    level_times,
    locks,
    loopback,
    neighbours,
    packet_overhead,
    strides,
    tlb,
)
from .roofline import Machine
from .storage import storage

__all__ = [
    "Card", "DTYPES", "GpuTimes", "Machine", "ProbeFailed", "alignment", "bandwidth", "beyond_caches",
    "branches", "burst", "cache_sizes", "compiler", "conflicts", "cycle", "direction", "facts", "false_sharing",
    "flops", "geometry", "gpu_card", "gpu_cards", "gpu_measured", "gpu_predict", "gpu_probes", "gpu_records",
    "gpu_times", "latency_staircase", "level_times", "locks", "loopback", "missing", "neighbours", "packet_overhead",
    "show_table", "storage", "strides", "tlb",
]  # fmt: skip
