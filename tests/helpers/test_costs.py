"""The counts of the cost model against messages that are really exchanged, one by one."""

import math

import pytest

from d2l_helpers.distributed import costs
from d2l_helpers.distributed.costs import Cost, fit


class Exchange:
    """Messages between ranks with a link each: counts, and values that are added up on the way."""

    def __init__(self, n: int) -> None:
        self.n, self.messages, self.bytes = n, 0, 0.0
        self.inward, self.outward = [0.0] * n, [0.0] * n

    def send(self, source: int, to: int, size: float) -> None:
        assert source != to
        self.messages += 1
        self.bytes += size
        self.outward[source] += size
        self.inward[to] += size


def star(net, size):
    for other in range(1, net.n):
        net.send(other, 0, size)
        net.send(0, other, size)


def tree(net, size):
    step = 1
    while step < net.n:
        for rank in range(step, net.n, 2 * step):
            net.send(rank, rank - step, size)
            net.send(rank - step, rank, size)
        step *= 2


def ring(net, size):
    for _ in range(2 * (net.n - 1)):
        for rank in range(net.n):
            net.send(rank, (rank + 1) % net.n, size / net.n)


def two_rings(net, size):
    for way in (1, -1):
        for _ in range(2 * (net.n - 1)):
            for rank in range(net.n):
                net.send(rank, (rank + way) % net.n, size / 2 / net.n)


def sharded(net, size):
    for server in range(net.n):
        for rank in range(net.n):
            if rank != server:
                net.send(rank, server, size / net.n)
                net.send(server, rank, size / net.n)


def grid(net, size):
    """Groups of n / 2 neighbours, and the pairs across them."""
    half = net.n // 2
    for rank in range(net.n):
        group = rank - rank % half
        for _ in range(2 * (half - 1)):
            net.send(rank, group + (rank + 1) % half, size / half)
        for _ in range(2):
            net.send(rank, (rank + half) % net.n, size / half / 2)


def double_tree(net, size, pieces=5):
    """In-order trees: the parent of a rank other than 0 moves its lowest bit up. The second is the mirror image."""
    for rank in range(1, net.n):
        bit = rank & -rank
        parent = rank ^ bit | bit << 1
        parent = parent if parent < net.n else rank ^ bit
        for a, b in ((rank, parent), (parent, rank), (net.n - 1 - rank, net.n - 1 - parent),
                     (net.n - 1 - parent, net.n - 1 - rank)):  # fmt: skip
            for _ in range(pieces):
                net.send(a, b, size / 2 / pieces)


@pytest.mark.parametrize("algorithm", [star, tree, ring, two_rings, sharded], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 16])
def test_messages_and_bytes_are_those_that_are_sent(algorithm, n):
    net = Exchange(n)
    algorithm(net, 840.0)
    cost = getattr(costs, algorithm.__name__)(n, 840.0)
    assert cost.messages == net.messages and math.isclose(cost.bytes, net.bytes)
    busiest = max(max(net.inward), max(net.outward))
    if algorithm in (ring, two_rings, sharded):  # every link is busy all the time
        assert math.isclose(cost.link_bytes, busiest)
    else:  # the root cannot send before it has received
        assert cost.link_bytes >= busiest


def test_the_star_to_ring_ratio_is_the_number_of_machines():
    for n in (2, 4, 8, 100):
        assert math.isclose(costs.star(n, 1e6).link_bytes / costs.ring(n, 1e6).link_bytes, n)


def test_own_links_halve_the_time_of_two_rings():
    one, two = costs.ring(8, 1e6), costs.two_rings(8, 1e6, own_links=True)
    assert math.isclose(two.link_bytes, one.link_bytes / 2) and two.steps == one.steps


@pytest.mark.parametrize("n", [4, 6, 8, 64])
def test_two_levels_of_rings_send_the_bytes_of_one(n):
    net = Exchange(n)
    grid(net, 840.0)
    cost = costs.grid(2, n // 2, 840.0)
    assert cost.messages == net.messages and math.isclose(cost.bytes, net.bytes)
    one = costs.ring(n, 840.0)
    assert math.isclose(cost.link_bytes, max(net.inward)) and math.isclose(cost.link_bytes, one.link_bytes)
    assert costs.grid(1, n, 840.0) == costs.ring(n, 840.0) and cost.steps == 2 * (n // 2 - 1) + 2


@pytest.mark.parametrize("n", [2, 4, 8, 14, 64])
def test_a_double_tree_keeps_every_link_busy(n):
    net = Exchange(n)
    double_tree(net, 840.0)
    cost = costs.double_tree(n, 840.0, 5)
    assert cost.messages == net.messages and math.isclose(cost.bytes, net.bytes)
    assert max(*net.inward, *net.outward) <= 2 * 840.0 + 1e-9 <= cost.link_bytes + 1e-9


def test_the_best_number_of_pieces_is_the_best():
    for n, size in ((8, 1e6), (512, 1.6e8), (10_000, 1e10)):
        best = costs.best_pieces(n, size, 4e-6, 5e10)
        tried = {best // 2, best - 1, best, best + 1, 2 * best} - {0}
        time = {k: costs.double_tree(n, size, k).seconds(4e-6, 5e10) for k in tried}
        assert time[best] <= min(time.values()) * 1.001
    assert costs.best_pieces(8, 0, 4e-6, 5e10) == 1 == costs.best_pieces(1, 1e6, 4e-6, 5e10)


def test_servers_on_a_part_of_the_ranks():
    assert costs.sharded(4, 100.0, 1) == costs.star(4, 100.0)
    halves = costs.sharded(4, 100.0, 2)
    assert halves.link_bytes == costs.star(4, 100.0).link_bytes / 2 and halves.bytes == 600.0
    with pytest.raises(ValueError, match="1 to 4 servers"):
        costs.sharded(4, 100.0, 5)


def test_a_hierarchy_of_one_group_is_a_star_and_of_single_members_a_ring():
    assert costs.hierarchical(1, 4, 100.0) == costs.star(4, 100.0)
    assert costs.hierarchical(4, 1, 100.0) == costs.ring(4, 100.0)
    quick = costs.hierarchical(2, 4, 100.0, inner=10.0)
    assert quick.link_bytes == costs.star(4, 100.0).link_bytes / 10 + costs.ring(2, 100.0).link_bytes


def test_one_rank_costs_nothing():
    for algorithm in (costs.star, costs.tree, costs.ring, costs.sharded, costs.in_network):
        assert algorithm(1, 1e6).seconds(1e-3, 1e9) == 0
    assert costs.double_tree(1, 1e6, 4).seconds(1e-3, 1e9) == 0 == costs.grid(1, 1, 1e6).seconds(1e-3, 1e9)


@pytest.mark.parametrize("shared", [False, True])
def test_a_fit_finds_what_made_the_times(shared):
    every = [f(n, s) for f in (costs.star, costs.ring) for n in (2, 4, 8) for s in (1e3, 1e5, 1e7)]
    times = [c.shared_seconds(2e-4, 3e9) if shared else c.seconds(2e-4, 3e9) for c in every]
    alpha, bandwidth = fit(every, times, shared)
    assert math.isclose(alpha, 2e-4, rel_tol=1e-6) and math.isclose(bandwidth, 3e9, rel_tol=1e-6)


def test_a_fit_stays_physical_and_wants_two_points():
    two = [Cost(10, 1e6, 10, 1e6), Cost(1, 1e7, 1, 1e7)]
    alpha, bandwidth = fit(two, [1e-6, 1.0])
    assert alpha == 0 and bandwidth > 0
    with pytest.raises(ValueError, match="two"):
        fit(two[:1], [1.0])
