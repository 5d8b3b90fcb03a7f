"""Planted wrong solutions of the exercises on collectives: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "collectives-bandwidths": {
        "right on the visible cases only: every kind but the all-reduce counts once": [
            (', "broadcast": 1, "reduce": 1}.get(kind, share)', "}.get(kind, 1)")],
        "algbw is held against the link": [("[1] > link", "[0] > link")],
        "an all-reduce is taken for two passes of the whole vector": [("2 * share", "2")],
    },
    "collectives-tree": {
        "a star, rank 0 hears one after the other": '''
def tree(n):
    up = [(k - 1, k, 0, 0, "add") for k in range(1, n)]
    return up + [(n - 2 + k, 0, k, 0, "copy") for k in range(1, n)]
''',
        "right on the visible cases only: powers of two": [("while reach < n", "while 2 * reach <= n")],
        "all swap in each round, few rounds and too many messages": '''
def tree(n):
    found, reach, turn = [], 1, 0
    while reach < n:
        found += [(turn, k, k ^ reach, 0, "add") for k in range(n) if k ^ reach < n]
        reach, turn = 2 * reach, turn + 1
    return found
''',
        "the way down uses the order of the way up": [
            ("down = [", "return up + ["), ("reversed(pairs)", "pairs"), ("return up + down", "")],
    },
    "collectives-ring": {
        "the whole vector goes around, n times the bytes": '''
def ring(n):
    up = [(step, step, step + 1, chunk, "add") for step in range(n - 1) for chunk in range(n)]
    return up + [(n - 1 + s, (n - 1 + s) % n, s, chunk, "copy") for s in range(n - 1) for chunk in range(n)]
''',
        "right on the visible cases only: an odd number of ranks stops adding one step too early": [
            ("step < n - 1", "step < n // 2 * 2 - 1")],
        "every rank starts with chunk 0": [("(rank - step) % n", "step % n")],
        "finished chunks are added instead of copied": [('"add" if step < n - 1 else "copy"', '"add"')],
    },
    "collectives-both-ways": {
        "one way only, with two chunks on each link": '''
def both_ways(n):
    return [(step, rank, (rank + 1) % n, half * n + (rank - step) % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n) for half in (0, 1)]
''',
        "one way after the other, twice the rounds": [
            ("found = []", "found, steps = [], 2 * (n - 1)"), ("range(2 * (n - 1))", "range(steps)"),
            ("(step, rank, (rank - 1)", "(steps + step, rank, (rank - 1)")],
        "right on the visible cases only: an odd number of ranks stops adding one step too early": [
            ("step < n - 1", "step < n // 2 * 2 - 1")],
        "the second way numbers its chunks as the first": [("(rank + step)", "(rank - step)")],
    },
    "collectives-halving": {
        "all swap whole vectors, few rounds and too many bytes": '''
def halving(n):
    found, reach, turn = [], 1, 0
    while reach < n:
        found += [(turn, k, k ^ reach, c, "add") for k in range(n) for c in range(n)]
        reach, turn = 2 * reach, turn + 1
    return found
''',
        "a ring, few bytes and too many rounds": '''
def halving(n):
    return [(step, rank, (rank + 1) % n, (rank - step) % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
        "right on the visible cases only: two rounds of halving, however many ranks": '''
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
        "what was sent away is sent again": [("for c in mine if", "for c in range(n) if")],
    },
    "collectives-rounds": {
        "right on the visible cases only: powers of two": '''
def rounds(n):
    return [[(a, a ^ k) for a in range(n) if a < a ^ k < n] for k in range(1, n)]
''',
        "one pair in a round": '''
def rounds(n):
    return [[(a, b)] for a in range(n) for b in range(a + 1, n)]
''',
        "rank a sends to a + k, and so talks to two others": '''
def rounds(n):
    return [[(a, (a + k) % n) for a in range(n)] for k in range(1, n // 2 + 1)]
''',
        "takes the next free pair greedily, and needs more rounds": '''
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
        "all on device 0, as in the book": '''
def owners(sizes, n):
    return [0] * len(sizes)
''',
        "in turn, whatever the size": '''
def owners(sizes, n):
    return [i % n for i in range(len(sizes))]
''',
        "right on the visible cases only: the order of the list, which was largest first there": [
            ("sorted(range(len(sizes)), key=lambda i: -sizes[i])", "range(len(sizes))")],
        "equal numbers of parameters, not of bytes": '''
def owners(sizes, n):
    return [i * n // len(sizes) for i in range(len(sizes))]
''',
    },
    "collectives-fit": {
        "means, which the disturbed pings decide": [
            ("sorted(shorts)[len(shorts) // 2], sorted(longs)[len(longs) // 2]",
             "sum(shorts) / len(shorts), sum(longs) / len(longs)")],
        "right on the visible cases only: leaves out the single worst ping": [
            ("sorted(shorts)[len(shorts) // 2], sorted(longs)[len(longs) // 2]",
             "(sum(sorted(t)[:-1]) / (len(t) - 1) for t in (shorts, longs))")],
        "the short ping is taken for α": [("a - short / rate, rate", "a, rate")],
        "B from the long ping alone": [("(long - short) / (b - a)", "long / b")],
    },
    "collectives-cheapest": {
        "right on the visible cases only: halving is taken for any number of ranks": [("if 2**depth == n", "if True")],
        "always the ring": '''
def cheapest(n, nbytes, alpha, rate):
    return "ring", 2 * (n - 1) * (alpha + nbytes / n / rate)


def border(n, alpha, rate):
    return 0.0
''',
        "the tree's depth is not rounded up": [
            ("depth, each = math.ceil(math.log2(n))", "depth, each = int(math.log2(n))"),
            ("depth = math.ceil(math.log2(n))", "depth = math.log2(n)")],
        "α is left out": [
            ('"star": 2 * (n - 1) * (alpha', '"star": 2 * (n - 1) * (0 * alpha'),
            ('"tree": 2 * depth * (alpha', '"tree": 2 * depth * (0 * alpha')],
    },
    "collectives-two-levels": {
        "a flat ring": '''
def two_levels(groups, members):
    n = groups * members
    return [(step, rank, (rank + 1) % n, (rank - step) % n, "add" if step < n - 1 else "copy")
            for step in range(2 * (n - 1)) for rank in range(n)]
''',
        "one first rank on each machine, through whose port all goes": '''
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
        "right on the visible cases only: as many machines as ranks on each": [
            ("p % m * g, p % m * g + g", "p % m * m, p % m * m + m")],
        "the ring across forgets to hand out the sums": [("range(2 * (g - 1) if", "range(g - 1 if")],
    },
}
