"""Planted wrong solutions for collectives-exercises.ipynb: each must fail, and its label says what is wrong."""

WRONG = {
    "collectives-bandwidths": {
        "right on the visible cases only: every kind but the all-reduce counts once": '''\
def bandwidths(kind, ranks, nbytes, seconds):
    """(algbw, busbw) in bytes a second.

    kind: "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast" or "reduce".
    Example: bandwidths("all-reduce", 4, 100, 2.0) == (50.0, 75.0).
    """
    share = (ranks - 1) / ranks
    carried = {"all-reduce": 2 * share}.get(kind, 1)
    return nbytes / seconds, carried * nbytes / seconds


def impossible(rows, link):
    """The places of the rows whose busbw is above the bandwidth of a link.

    rows: list of dict with "kind", "ranks", "bytes" and "seconds"; link: bytes a second -> list of int, in order.
    """
    return [place for place, row in enumerate(rows)
            if bandwidths(row["kind"], row["ranks"], row["bytes"], row["seconds"])[1] > link]
''',
        "algbw is held against the link": '''\
def bandwidths(kind, ranks, nbytes, seconds):
    """(algbw, busbw) in bytes a second.

    kind: "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast" or "reduce".
    Example: bandwidths("all-reduce", 4, 100, 2.0) == (50.0, 75.0).
    """
    share = (ranks - 1) / ranks
    carried = {"all-reduce": 2 * share, "broadcast": 1, "reduce": 1}.get(kind, share)
    return nbytes / seconds, carried * nbytes / seconds


def impossible(rows, link):
    """The places of the rows whose busbw is above the bandwidth of a link.

    rows: list of dict with "kind", "ranks", "bytes" and "seconds"; link: bytes a second -> list of int, in order.
    """
    return [place for place, row in enumerate(rows)
            if bandwidths(row["kind"], row["ranks"], row["bytes"], row["seconds"])[0] > link]
''',
        "an all-reduce is taken for two passes of the whole vector": '''\
def bandwidths(kind, ranks, nbytes, seconds):
    """(algbw, busbw) in bytes a second.

    kind: "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast" or "reduce".
    Example: bandwidths("all-reduce", 4, 100, 2.0) == (50.0, 75.0).
    """
    share = (ranks - 1) / ranks
    carried = {"all-reduce": 2, "broadcast": 1, "reduce": 1}.get(kind, share)
    return nbytes / seconds, carried * nbytes / seconds


def impossible(rows, link):
    """The places of the rows whose busbw is above the bandwidth of a link.

    rows: list of dict with "kind", "ranks", "bytes" and "seconds"; link: bytes a second -> list of int, in order.
    """
    return [place for place, row in enumerate(rows)
            if bandwidths(row["kind"], row["ranks"], row["bytes"], row["seconds"])[1] > link]
''',
    },
    "collectives-tree": {
        "a star, rank 0 hears one after the other": '''\
def tree(n):
    up = [(k - 1, k, 0, 0, "add") for k in range(1, n)]
    return up + [(n - 2 + k, 0, k, 0, "copy") for k in range(1, n)]
''',
        "right on the visible cases only: powers of two": '''\
def tree(n):
    """An all-reduce of one chunk over n ranks. n: int -> list of (round, sender, receiver, 0, kind).

    Example: tree(2) == [(0, 1, 0, 0, "add"), (1, 0, 1, 0, "copy")].
    """
    pairs, reach = [], 1
    while 2 * reach <= n:  # up: every second one of those that are left sends to the one before it
        pairs.append([(k + reach, k) for k in range(0, n - reach, 2 * reach)])
        reach *= 2
    up = [(turn, a, b, 0, "add") for turn, level in enumerate(pairs) for a, b in level]
    down = [(len(pairs) + turn, b, a, 0, "copy") for turn, level in enumerate(reversed(pairs)) for a, b in level]
    return up + down
''',
        "all swap in each round, few rounds and too many messages": '''\
def tree(n):
    found, reach, turn = [], 1, 0
    while reach < n:
        found += [(turn, k, k ^ reach, 0, "add") for k in range(n) if k ^ reach < n]
        reach, turn = 2 * reach, turn + 1
    return found
''',
        "the way down uses the order of the way up": '''\
def tree(n):
    pairs, reach = [], 1
    while reach < n:
        pairs.append([(k + reach, k) for k in range(0, n - reach, 2 * reach)])
        reach *= 2
    up = [(turn, a, b, 0, "add") for turn, level in enumerate(pairs) for a, b in level]
    return up + [(len(pairs) + turn, b, a, 0, "copy") for turn, level in enumerate(pairs) for a, b in level]
''',
    },
    "collectives-ring": {
        "the whole vector goes around, n times the bytes": '''\
def ring(n):
    up = [(step, step, step + 1, chunk, "add") for step in range(n - 1) for chunk in range(n)]
    return up + [(n - 1 + s, (n - 1 + s) % n, s, chunk, "copy") for s in range(n - 1) for chunk in range(n)]
''',
        "right on the visible cases only: an odd number of ranks stops adding one step too early": '''\
def ring(n):
    """An all-reduce of n chunks around a ring of n ranks. n: int -> list of (round, sender, receiver, chunk, kind).

    Example: sorted(ring(2)) == [(0, 0, 1, 0, "add"), (0, 1, 0, 1, "add"), (1, 0, 1, 1, "copy"), (1, 1, 0, 0, "copy")].
    """
    return [(step, rank, (rank + 1) % n, (rank - step) % n, "add" if step < n // 2 * 2 - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
        "every rank starts with chunk 0": '''\
def ring(n):
    """An all-reduce of n chunks around a ring of n ranks. n: int -> list of (round, sender, receiver, chunk, kind).

    Example: sorted(ring(2)) == [(0, 0, 1, 0, "add"), (0, 1, 0, 1, "add"), (1, 0, 1, 1, "copy"), (1, 1, 0, 0, "copy")].
    """
    return [(step, rank, (rank + 1) % n, step % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
        "finished chunks are added instead of copied": '''\
def ring(n):
    """An all-reduce of n chunks around a ring of n ranks. n: int -> list of (round, sender, receiver, chunk, kind).

    Example: sorted(ring(2)) == [(0, 0, 1, 0, "add"), (0, 1, 0, 1, "add"), (1, 0, 1, 1, "copy"), (1, 1, 0, 0, "copy")].
    """
    return [(step, rank, (rank + 1) % n, (rank - step) % n, "add")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
    },
    "collectives-both-ways": {
        "one way only, with two chunks on each link": '''\
def both_ways(n):
    return [(step, rank, (rank + 1) % n, half * n + (rank - step) % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n) for half in (0, 1)]
''',
        "one way after the other, twice the rounds": '''\
def both_ways(n):
    found, steps = [], 2 * (n - 1)
    for step in range(steps):
        kind = "add" if step < n - 1 else "copy"
        for rank in range(n):
            found.append((step, rank, (rank + 1) % n, (rank - step) % n, kind))
            found.append((steps + step, rank, (rank - 1) % n, n + (rank + step) % n, kind))
    return found
''',
        "right on the visible cases only: an odd number of ranks stops adding one step too early": '''\
def both_ways(n):
    """An all-reduce of 2n chunks around a ring of n ranks, both ways.

    n: int, 3 at least -> list of (round, sender, receiver, chunk, kind). Which chunks travel which way is up to you.
    """
    found = []
    for step in range(2 * (n - 1)):
        kind = "add" if step < n // 2 * 2 - 1 else "copy"
        for rank in range(n):
            found.append((step, rank, (rank + 1) % n, (rank - step) % n, kind))
            found.append((step, rank, (rank - 1) % n, n + (rank + step) % n, kind))
    return found
''',
        "the second way numbers its chunks as the first": '''\
def both_ways(n):
    """An all-reduce of 2n chunks around a ring of n ranks, both ways.

    n: int, 3 at least -> list of (round, sender, receiver, chunk, kind). Which chunks travel which way is up to you.
    """
    found = []
    for step in range(2 * (n - 1)):
        kind = "add" if step < n - 1 else "copy"
        for rank in range(n):
            found.append((step, rank, (rank + 1) % n, (rank - step) % n, kind))
            found.append((step, rank, (rank - 1) % n, n + (rank - step) % n, kind))
    return found
''',
    },
    "collectives-halving": {
        "all swap whole vectors, few rounds and too many bytes": '''\
def halving(n):
    found, reach, turn = [], 1, 0
    while reach < n:
        found += [(turn, k, k ^ reach, c, "add") for k in range(n) for c in range(n)]
        reach, turn = 2 * reach, turn + 1
    return found
''',
        "a ring, few bytes and too many rounds": '''\
def halving(n):
    return [(step, rank, (rank + 1) % n, (rank - step) % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
        "right on the visible cases only: two rounds of halving, however many ranks": '''\
def halving(n):
    found, turn = [], 0
    for distance in [d for d in (2, 1) if d < n]:
        for rank in range(n):
            mine = [c for c in range(n) if (c ^ rank) // (2 * distance) == 0]
            found += [(turn, rank, rank ^ distance, c, "add") for c in mine if (c ^ rank) & distance]
        turn += 1
    for distance in [d for d in (1, 2) if d < n]:
        for rank in range(n):
            found += [(turn, rank, rank ^ distance, c, "copy") for c in range(n) if (c ^ rank) // distance == 0]
        turn += 1
    return found
''',
        "what was sent away is sent again": '''\
def halving(n):
    """An all-reduce of n chunks over n ranks, a power of two. -> list of (round, sender, receiver, chunk, kind)."""
    found, turn, distance = [], 0, n // 2
    while distance:  # halve: the partner gets those chunks whose bit `distance` is its own
        for rank in range(n):
            mine = [c for c in range(n) if (c ^ rank) // (2 * distance) == 0]
            found += [(turn, rank, rank ^ distance, c, "add") for c in range(n) if (c ^ rank) & distance]
        turn, distance = turn + 1, distance // 2
    distance = 1
    while distance < n:  # double: hand over all that is finished
        for rank in range(n):
            mine = [c for c in range(n) if (c ^ rank) // distance == 0]
            found += [(turn, rank, rank ^ distance, c, "copy") for c in mine]
        turn, distance = turn + 1, 2 * distance
    return found
''',
    },
    "collectives-rounds": {
        "right on the visible cases only: powers of two": '''\
def rounds(n):
    return [[(a, a ^ k) for a in range(n) if a < a ^ k < n] for k in range(1, n)]
''',
        "one pair in a round": '''\
def rounds(n):
    return [[(a, b)] for a in range(n) for b in range(a + 1, n)]
''',
        "rank a sends to a + k, and so talks to two others": '''\
def rounds(n):
    return [[(a, (a + k) % n) for a in range(n)] for k in range(1, n // 2 + 1)]
''',
        "takes the next free pair greedily, and needs more rounds": '''\
def rounds(n):
    left = [(a, b) for a in range(n) for b in range(a + 1, n)]
    found = []
    while left:
        pairs, busy = [], set()
        for a, b in left:
            if a not in busy and b not in busy and (a + b) % 2:
                pairs.append((a, b))
                busy |= {a, b}
        if not pairs:
            pairs = left[:1]
        found.append(pairs)
        left = [pair for pair in left if pair not in pairs]
    return found
''',
    },
    "collectives-owners": {
        "all on device 0, as in the book": '''\
def owners(sizes, n):
    return [0] * len(sizes)
''',
        "in turn, whatever the size": '''\
def owners(sizes, n):
    return [i % n for i in range(len(sizes))]
''',
        "right on the visible cases only: the order of the list, which was largest first there": '''\
def owners(sizes, n):
    """Which device adds up which parameter. sizes: list of int (bytes), n: int -> list of int, as long as sizes.

    Example: owners([8, 5, 4], 2) == [0, 1, 1].
    """
    load, found = [0] * n, [0] * len(sizes)
    for i in range(len(sizes)):
        found[i] = min(range(n), key=lambda d: load[d])
        load[found[i]] += sizes[i]
    return found
''',
        "equal numbers of parameters, not of bytes": '''\
def owners(sizes, n):
    return [i * n // len(sizes) for i in range(len(sizes))]
''',
    },
    "collectives-fit": {
        "means, which the disturbed pings decide": '''\
def fit(short, shorts, long, longs):
    a, b = sum(shorts) / len(shorts), sum(longs) / len(longs)
    rate = (long - short) / (b - a)
    return a - short / rate, rate
''',
        "right on the visible cases only: leaves out the single worst ping": '''\
def fit(short, shorts, long, longs):
    a, b = (sum(sorted(t)[:-1]) / (len(t) - 1) for t in (shorts, longs))
    rate = (long - short) / (b - a)
    return a - short / rate, rate
''',
        "the short ping is taken for α": '''\
def fit(short, shorts, long, longs):
    """alpha in seconds and B in bytes a second, from two lengths of pings.

    short, long: int (bytes); shorts, longs: lists of float (seconds) -> (alpha, B).
    Example: fit(1000, [0.003, 0.003, 0.9], 5000, [0.007, 0.8, 0.007]) is about (0.002, 1000000.0).
    """
    a, b = sorted(shorts)[len(shorts) // 2], sorted(longs)[len(longs) // 2]  # medians: what is disturbed does not count
    rate = (long - short) / (b - a)
    return a, rate
''',
        "B from the long ping alone": '''\
def fit(short, shorts, long, longs):
    """alpha in seconds and B in bytes a second, from two lengths of pings.

    short, long: int (bytes); shorts, longs: lists of float (seconds) -> (alpha, B).
    Example: fit(1000, [0.003, 0.003, 0.9], 5000, [0.007, 0.8, 0.007]) is about (0.002, 1000000.0).
    """
    a, b = sorted(shorts)[len(shorts) // 2], sorted(longs)[len(longs) // 2]  # medians: what is disturbed does not count
    rate = long / b
    return a - short / rate, rate
''',
    },
    "collectives-cheapest": {
        "right on the visible cases only: halving is taken for any number of ranks": '''\
import math


def cheapest(n, nbytes, alpha, rate):
    """(name, seconds) of the quickest of the four. n >= 2: int, nbytes: int, alpha: seconds, rate: bytes a second.

    Example: cheapest(4, 0, 0.5, 1.0)[1] == 2.0, by "tree" or by "halving".
    """
    depth, each = math.ceil(math.log2(n)), nbytes / rate
    times = {"star": 2 * (n - 1) * (alpha + each), "tree": 2 * depth * (alpha + each),
             "ring": 2 * (n - 1) * (alpha + each / n)}
    if True:
        times["halving"] = 2 * depth * alpha + 2 * (n - 1) / n * each
    return min(times.items(), key=lambda item: item[1])


def border(n, alpha, rate):
    """The number of bytes at which ring and tree take the same time. n >= 2 -> float.

    Example: border(4, 1.0, 1.0) == 0.8.
    """
    depth = math.ceil(math.log2(n))
    return alpha * rate * (n - 1 - depth) / (depth - (n - 1) / n)
''',
        "always the ring": '''\
def cheapest(n, nbytes, alpha, rate):
    return "ring", 2 * (n - 1) * (alpha + nbytes / n / rate)


def border(n, alpha, rate):
    return 0.0
''',
        "the tree's depth is not rounded up": '''\
import math


def cheapest(n, nbytes, alpha, rate):
    """(name, seconds) of the quickest of the four. n >= 2: int, nbytes: int, alpha: seconds, rate: bytes a second.

    Example: cheapest(4, 0, 0.5, 1.0)[1] == 2.0, by "tree" or by "halving".
    """
    depth, each = int(math.log2(n)), nbytes / rate
    times = {"star": 2 * (n - 1) * (alpha + each), "tree": 2 * depth * (alpha + each),
             "ring": 2 * (n - 1) * (alpha + each / n)}
    if 2**depth == n:
        times["halving"] = 2 * depth * alpha + 2 * (n - 1) / n * each
    return min(times.items(), key=lambda item: item[1])


def border(n, alpha, rate):
    """The number of bytes at which ring and tree take the same time. n >= 2 -> float.

    Example: border(4, 1.0, 1.0) == 0.8.
    """
    depth = math.log2(n)
    return alpha * rate * (n - 1 - depth) / (depth - (n - 1) / n)
''',
        "α is left out": '''\
import math


def cheapest(n, nbytes, alpha, rate):
    """(name, seconds) of the quickest of the four. n >= 2: int, nbytes: int, alpha: seconds, rate: bytes a second.

    Example: cheapest(4, 0, 0.5, 1.0)[1] == 2.0, by "tree" or by "halving".
    """
    depth, each = math.ceil(math.log2(n)), nbytes / rate
    times = {"star": 2 * (n - 1) * (0 * alpha + each), "tree": 2 * depth * (0 * alpha + each),
             "ring": 2 * (n - 1) * (alpha + each / n)}
    if 2**depth == n:
        times["halving"] = 2 * depth * alpha + 2 * (n - 1) / n * each
    return min(times.items(), key=lambda item: item[1])


def border(n, alpha, rate):
    """The number of bytes at which ring and tree take the same time. n >= 2 -> float.

    Example: border(4, 1.0, 1.0) == 0.8.
    """
    depth = math.ceil(math.log2(n))
    return alpha * rate * (n - 1 - depth) / (depth - (n - 1) / n)
''',
    },
    "collectives-two-levels": {
        "a flat ring": '''\
def two_levels(groups, members):
    n = groups * members
    return [(step, rank, (rank + 1) % n, (rank - step) % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
        "one first rank on each machine, through whose port all goes": '''\
def two_levels(groups, members):
    g, m, chunks = groups, members, groups * members
    found = [(q - 1, h * m + q, h * m, c, "add") for h in range(g) for q in range(1, m) for c in range(chunks)]
    for step in range(2 * (g - 1)):
        for h in range(g):
            kind, block = "add" if step < g - 1 else "copy", (h - step) % g
            found += [(m - 1 + step, h * m, (h + 1) % g * m, block * m + c, kind) for c in range(m)]
    start = m - 1 + 2 * (g - 1)
    return found + [(start + q - 1, h * m, h * m + q, c, "copy")
                    for h in range(g) for q in range(1, m) for c in range(chunks)]
''',
        "right on the visible cases only: as many machines as ranks on each": '''\
def two_levels(groups, members):
    """An all-reduce of groups × members chunks. -> list of (round, sender, receiver, chunk, kind)."""
    g, m, found, turn = groups, members, [], 0
    part = lambda p: range(p % m * m, p % m * m + m)  # the chunks of which place p - 1 will own the sum
    for kind, ahead in (("add", 0), ("copy", 1)):  # a ring in each machine: before and after the ring across
        for step in range(m - 1):
            found += [(turn, h * m + q, h * m + (q + 1) % m, chunk, kind)
                      for h in range(g) for q in range(m) for chunk in part(q - step + ahead)]
            turn += 1
        for step in range(2 * (g - 1) if kind == "add" else 0):
            last = "add" if step < g - 1 else "copy"
            found += [(turn, h * m + q, (h + 1) % g * m + q, part(q + 1)[(h - step) % g], last)
                      for h in range(g) for q in range(m)]
            turn += 1
    return found
''',
        "the ring across forgets to hand out the sums": '''\
def two_levels(groups, members):
    """An all-reduce of groups × members chunks. -> list of (round, sender, receiver, chunk, kind)."""
    g, m, found, turn = groups, members, [], 0
    part = lambda p: range(p % m * g, p % m * g + g)  # the chunks of which place p - 1 will own the sum
    for kind, ahead in (("add", 0), ("copy", 1)):  # a ring in each machine: before and after the ring across
        for step in range(m - 1):
            found += [(turn, h * m + q, h * m + (q + 1) % m, chunk, kind)
                      for h in range(g) for q in range(m) for chunk in part(q - step + ahead)]
            turn += 1
        for step in range(g - 1 if kind == "add" else 0):
            last = "add" if step < g - 1 else "copy"
            found += [(turn, h * m + q, (h + 1) % g * m + q, part(q + 1)[(h - step) % g], last)
                      for h in range(g) for q in range(m)]
            turn += 1
    return found
''',
    },
}
