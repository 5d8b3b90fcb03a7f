"""What an all-reduce of ``size`` bytes over ``n`` ranks costs, counted from its messages.

Two models read the counts. The textbook's α–β model has a link for each rank, which carries both directions
at once: steps one after the other, and the bytes of the busiest link. The model of shared cores has no links:
on one machine every message and every byte is work for the same cores, so all of them count.

R. Thakur, R. Rabenseifner, W. Gropp: Optimization of Collective Communication Operations in MPICH, 2005
(tree, reduce-scatter and all-gather); P. Patarasuk, X. Yuan: Bandwidth Optimal All-reduce Algorithms for
Clusters of Workstations, 2009 (ring); P. Sanders, J. Speck, J. L. Träff: Two-tree algorithms for full bandwidth
broadcast, reduction and scan, 2009 (double tree).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Counts of one algorithm.

    ``steps``: messages in sequence; ``link_bytes``: bytes in sequence over the busiest link, one way;
    ``messages``, ``bytes``: of all ranks together, each message counted once.
    """

    steps: int
    link_bytes: float
    messages: int
    bytes: float

    def seconds(self, alpha: float, bandwidth: float) -> float:
        """α–β model: ``alpha`` seconds a step, ``bandwidth`` bytes a second of a link."""
        return self.steps * alpha + self.link_bytes / bandwidth

    def shared_seconds(self, alpha: float, bandwidth: float) -> float:
        """Shared cores: ``alpha`` seconds for every message, ``bandwidth`` bytes a second of all together."""
        return self.messages * alpha + self.bytes / bandwidth


def star(n: int, size: float) -> Cost:
    """Rank 0 receives from all others, one after the other, adds, and sends the sum to each."""
    return Cost(2 * (n - 1), 2 * (n - 1) * size, 2 * (n - 1), 2 * (n - 1) * size)


def tree(n: int, size: float) -> Cost:
    """A binomial tree up to rank 0 and down again; the whole message at every step."""
    depth = math.ceil(math.log2(n)) if n > 1 else 0
    return Cost(2 * depth, 2 * depth * size, 2 * (n - 1), 2 * (n - 1) * size)


def ring(n: int, size: float) -> Cost:
    """n chunks travel n - 1 steps to be added up, and n - 1 steps to be handed out."""
    steps = 2 * (n - 1)
    return Cost(steps, steps * size / n, steps * n, steps * size)


def two_rings(n: int, size: float, own_links: bool = False) -> Cost:
    """Half of the message round each way. It saves time only where the two ways have links of their own."""
    one = ring(n, size / 2)
    return Cost(one.steps, one.link_bytes * (1 if own_links else 2), 2 * one.messages, 2 * one.bytes)


def hierarchical(groups: int, members: int, size: float, inner: float = 1.0) -> Cost:
    """A star in each group, a ring over the groups' first ranks, and out again.

    ``inner``: how many times faster the links inside a group are. Their bytes count for less, accordingly.
    """
    inside, outside = star(members, size), ring(groups, size)
    return Cost(
        inside.steps + outside.steps,
        inside.link_bytes / inner + outside.link_bytes,
        groups * inside.messages + outside.messages,
        groups * inside.bytes + outside.bytes,
    )


def sharded(n: int, size: float, servers: int | None = None) -> Cost:
    """Servers that hold a part each, on the first ranks (all of them by default): push, add, pull.

    A rank that is a server sends its own part nowhere.
    """
    m = n if servers is None else servers
    if not 1 <= m <= n:
        raise ValueError(f"1 to {n} servers, not {m}")
    part, messages = size / m, m * (n - 1)
    # a server's link takes n - 1 parts in; a rank's own link takes the parts for the m servers (m - 1 if it is one)
    busiest = max(n - 1, m if m < n else m - 1)
    return Cost(2 * busiest, 2 * busiest * part, 2 * messages, 2 * messages * part)


def grid(groups: int, members: int, size: float) -> Cost:
    """Rings in two levels: a reduce-scatter in each group, a ring across the groups for each part, an all-gather.

    Its bytes are those of one ring over all ranks, its steps those of a ring in a group and one across the groups.
    """
    n, steps = groups * members, 2 * (members - 1) + 2 * (groups - 1)
    return Cost(steps, 2 * (n - 1) * size / n, steps * n, 2 * (n - 1) * size)


def double_tree(n: int, size: float, pieces: int) -> Cost:
    """Two binary trees with half of the message each, in ``pieces`` pieces; who adds up in one is a leaf of the other.

    A rank takes in, and sends, four messages for a piece of either half: a parent's three and a leaf's one. The
    first piece has twice the depth to go, and on each level waits for a sibling's.
    """
    if n < 2:
        return Cost(0, 0, 0, 0)
    steps = 4 * (pieces + math.ceil(math.log2(n)) - 1)
    return Cost(steps, steps * size / (2 * pieces), 4 * (n - 1) * pieces, 2 * (n - 1) * size)


def best_pieces(n: int, size: float, alpha: float, bandwidth: float) -> int:
    """The number of pieces for which a double tree takes the least time."""
    depth = math.ceil(math.log2(max(n, 2)))
    return max(1, round(math.sqrt((depth - 1) * size / (2 * alpha * bandwidth))))


def in_network(n: int, size: float) -> Cost:
    """The switch adds: each rank sends its numbers up once, and receives the sums once."""
    return Cost(2, size, 2 * n, 2 * n * size) if n > 1 else Cost(0, 0, 0, 0)


def fit(costs: Iterable[Cost], seconds: Iterable[float], shared: bool = False) -> tuple[float, float]:
    """(alpha in seconds, bandwidth in bytes a second) that fit measured times with the least relative error.

    ``shared`` fits the model of shared cores. An alpha below zero, which noise can make, becomes zero.
    """
    import numpy as np

    counts = [(c.messages, c.bytes) if shared else (c.steps, c.link_bytes) for c in costs]
    rows = np.array(counts, dtype=float) / np.array(list(seconds), dtype=float)[:, None]
    if len(rows) < 2:
        raise ValueError("two parameters need at least two measurements")
    scale = rows.max(axis=0)  # bytes and messages differ by orders of magnitude
    alpha, beta = np.linalg.lstsq(rows / scale, np.ones(len(rows)), rcond=None)[0] / scale
    if alpha < 0:
        alpha, beta = 0.0, rows[:, 1].sum() / (rows[:, 1] ** 2).sum()
    elif beta <= 0:
        alpha, beta = rows[:, 0].sum() / (rows[:, 0] ** 2).sum(), 0.0
    return float(alpha), float(1 / beta) if beta else math.inf
