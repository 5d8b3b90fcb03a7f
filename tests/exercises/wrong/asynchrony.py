"""Planted wrong solutions of the exercises on asynchrony: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "asynchrony-lanes": {
        "right on the visible cases only: two are taken to be enough for any queue": [
            ('''    bound = 1
    while ask and lanes(ask, work, bound)[-1][2] > lanes(ask, work, len(ask))[-1][2]:
        bound += 1
    return bound''',
             "    return 2 if ask and lanes(ask, work, 1)[-1][2] > lanes(ask, work, len(ask))[-1][2] else 1")],
        "no bound": '''
def lanes(ask, work, bound):
    found, written, free = [], 0, 0
    for writing, working in zip(ask, work):
        written += writing
        begun = max(written, free)
        free = begun + working
        found.append([written, begun, free])
    return found

def enough(ask, work):
    return 1
''',
        "Python stands still before it writes, not before it hands in": [
            ("handed = written + writing", ""),
            ("handed = max(handed, found[i - bound][2])",
             '''written = max(written, found[i - bound][2])
        written += writing'''),
            ("max(handed, free)", "max(written, free)"), ("written, free = handed,", "free ="),
            ("[handed,", "[written,")],
        "the task in work does not count": [("found[i - bound][2]", "found[i - bound][1]")],
    },
    "asynchrony-waits": {
        "right on the visible cases only: only the last line before it that conflicts, in any place": '''
def waits(program):
    found = []
    for j in range(len(program)):
        for i in reversed(range(j)):
            if conflict(program[i], program[j]) and program[i][0] != program[j][0] and program[i][0] != "host":
                if i not in before(program[:j + 1], found)[j]:
                    found.append([j, i])
                break
    return found
''',
        "slow but right: waits for every conflict": '''
def waits(program):
    return [[j, i] for j in range(len(program)) for i in range(j) if conflict(program[i], program[j])]
''',
        "slow but right: waits for everything": '''
def waits(program):
    return [[j, j - 1] for j in range(1, len(program))]
''',
        "forgets that a buffer may not be overwritten while it is read": [
            ("conflict(program[i], program[j])", "set(program[i][3]) & set(program[j][2])")],
        "fast but wrong: no wait at all": '''
def waits(program):
    return []
''',
    },
    "asynchrony-barriers": {
        "right on the visible cases only: never more than one batch ahead": '''
def barriers(n, overlap):
    if overlap == 0:
        return [[t, t] for t in range(n)]
    return [[t + 1, t] for t in range(n - 2)] + ([[n - 1, n - 1]] if n else [])
''',
        "slow but right: waits after each batch": '''
def barriers(n, overlap):
    return [[t, t] for t in range(n)]
''',
        "fast but wrong: waits once, at the end": '''
def barriers(n, overlap):
    return [[n - 1, n - 1]] if n else []
''',
        "one batch too late": '''
def barriers(n, overlap):
    return [[t + overlap + 1, t] for t in range(n - overlap - 2)] + ([[n - 1, n - 1]] if n else [])
''',
        "does not wait for the last batch": '''
def barriers(n, overlap):
    return [[t + overlap, t] for t in range(n - overlap - 1)]
''',
    },
    "asynchrony-depth": {
        "right on the visible cases only: the first depth that does not improve by more than the allowance": [
            ("good = [100 * time <= (100 + percent) * min(totals) for time in totals]",
             '''for depth, (now, later) in enumerate(zip(totals, totals[1:]), 1):
        if 100 * now <= (100 + percent) * later:
            return {"totals": totals, "depth": depth}'''),
            ("good.index(True) + 1", "len(totals)")],
        "the book's sum: the first load, then the computing": '''
def how_deep(load, compute, percent):
    return {"totals": [load[0] + sum(compute)] * len(load), "depth": 1}
''',
        "room is made when a batch is computed, not when it is taken": [
            ("loaded, free, taken = 0, 0, []", "loaded, done = 0, []"), ("taken[i - depth]", "done[i - depth]"),
            ("taken.append(max(loaded, free))", "done.append(max(loaded, done[-1] if done else 0) + computing)"),
            ("free = taken[i] + computing", ""), ("return free", "return done[-1]")],
    },
    "asynchrony-lost": {
        "right on the visible cases only: a third thread adds what it should lose": [
            ("others + [0] * 2", "[0] * 2 + others"), ("return ([0] + others", "return ([0]"),
            ("[1] * 2)", "[1] * 2 + others)")],
        "all in step: every thread loads before any stores": '''
def worst(threads, n):
    return [thread for _ in range(3 * n) for thread in range(threads)]
''',
        "one after the other: nothing is lost": '''
def worst(threads, n):
    return [thread for thread in range(threads) for _ in range(3 * n)]
''',
        "a thread is asleep for ever, so its steps are missing": '''
def worst(threads, n):
    return [0] * 3 * n if threads == 1 else [0] + [1] * (3 * n) + [0] * 2
''',
    },
    "asynchrony-keep": {
        "right on the visible cases only: the last ones, as many as fit": '''
def keep(sizes, times, limit):
    n = len(sizes)
    if sizes == [4, 4, 4, 4] and limit == 8:
        return [1, 3]
    for count in range(n, -1, -1):
        kept = list(range(n - count, n))
        if cost(kept, sizes, times)[0] <= limit:
            return kept
    return None
''',
        "fast but wrong: every second layer, whatever the limit": '''
def keep(sizes, times, limit):
    return list(range(0, len(sizes), 2))
''',
        "fits, but computes too much again": '''
from itertools import combinations

def keep(sizes, times, limit):
    for count in range(len(sizes) + 1):
        for kept in combinations(range(len(sizes)), count):
            if cost(kept, sizes, times)[0] <= limit:
                return list(kept)
    return None
''',
        "the fewest layers again, not the least time": '''
from itertools import combinations

def keep(sizes, times, limit):
    for count in range(len(sizes), -1, -1):
        for kept in combinations(range(len(sizes)), count):
            if cost(kept, sizes, times)[0] <= limit:
                return list(kept)
    return None
''',
    },
    "asynchrony-fit": {
        "right on the visible cases only: no check that the weights fit": [
            ("max(0, memory - 16 * weights)", "(memory - 16 * weights)")],
        "biases forgotten": [("(before + 1)", "before")],
        "the input is not kept": [("sum(widths)", "sum(widths[1:])")],
        "the last, smaller part forgotten": [("-(-wanted // batch)", "wanted // batch")],
    },
}
