"""The hardware wing: probes of this machine, sourced facts about others, and the roofline model.

A C compiler builds the probes when the first of them is called; ``missing()`` says what keeps it from doing so.
"""

from .facts import facts, show_table
from .gpu import gpu_probes
from .native import ProbeFailed, compiler, missing
from .probes import (
    DTYPES,
    alignment,
    bandwidth,
    branches,
    burst,
    cache_sizes,
    direction,
    false_sharing,
    flops,
    latency_staircase,
    locks,
    loopback,
    packet_overhead,
    strides,
    tlb,
)
from .roofline import Machine, Point, plot_roofline
from .storage import storage

__all__ = [
    "DTYPES", "Machine", "Point", "ProbeFailed", "alignment", "bandwidth", "branches", "burst", "cache_sizes",
    "compiler", "direction", "facts", "false_sharing", "flops", "gpu_probes", "latency_staircase", "locks",
    "loopback", "missing", "packet_overhead", "plot_roofline", "show_table", "storage", "strides", "tlb",
]  # fmt: skip
