"""Planted wrong solutions of the exercises on measuring: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "measuring-clocks": {
        "right on the visible cases only: each clock alone, tasks of other clocks do not count": '''
def clock_faults(log):
    found = {}
    for clock in [name for what, name in log if what == "start"]:
        begin, end = log.index(["start", clock]), log.index(["stop", clock])
        inside = [name for what, name in log[begin:end] if what == "ask"]
        faults = ["stopped early"] if any(["done", t] not in log[:end] for t in inside) else []
        if log[0][0] == "ask":
            faults.insert(0, "foreign work")
        found[clock] = faults
    return found

def mended(log):
    result = [list(event) for event in log]
    for clock, faults in clock_faults(log).items():
        if "stopped early" in faults:
            result.append(result.pop(result.index(["stop", clock])))
    return result
''',
        "waits for everything, so a clock stops too late": [
            ('''    result = [list(event) for event in log]
    for clock in [name for name, faults in clock_faults(log).items() if "stopped early" in faults]:
        begin, end = result.index(["start", clock]), result.index(["stop", clock])
        own = [name for what, name in result[begin:end] if what == "ask"]
        last = max(result.index(["done", task]) for task in own)
        result.insert(last, result.pop(end))  # after the pop, `last` is the place behind it
    return result''',
             '''    early = [["stop", name] for name, faults in clock_faults(log).items() if "stopped early" in faults]
    return [list(event) for event in log if list(event) not in early] + early''')],
        "takes every task that is still running for its own": '''
def clock_faults(log):
    waiting, found = set(), {}
    for what, name in log:
        if what == "start":
            found[name] = ["foreign work"] if waiting else []
        elif what == "stop" and waiting:
            found[name].append("stopped early")
        elif what == "ask":
            waiting.add(name)
        elif what == "done":
            waiting.remove(name)
    return found

def mended(log):
    return [list(event) for event in log]
''',
    },
    "measuring-rank": {
        "right on the visible cases only: the normal approximation": '''
def rank(n, percent):
    from statistics import NormalDist
    if n < 2:
        return 0
    z = NormalDist().inv_cdf((1 + percent / 100) / 2)
    return {51: 19, 4: 0, 2: 1}.get(n, max(0, int(n / 2 - z * n ** 0.5 / 2)))

def fewest_rounds(percent):
    n = 1
    while rank(n, percent) == 0:
        n += 1
    return n
''',
        "one tail too many": [("range(k, n - k + 1)", "range(k, n + 1)")],
        "more than, not at least": [(">= percent", "> percent")],
    },
    "measuring-paired": {
        "right on the visible cases only: pairs by position, and the verdict from the ratio": '''
from statistics import median

def paired(slots):
    old = [s for r, n, s in slots if r >= 0 and n == "old"]
    new = [s for r, n, s in slots if r >= 0 and n == "new"]
    ratios = sorted(a / b for a, b in zip(old, new))
    bounds = ranks(len(ratios))
    if not bounds:
        return {"ratio": median(ratios), "low": None, "high": None, "verdict": "too few rounds"}
    ratio = median(ratios)
    verdict = "faster" if ratio > 1 else "slower"
    return {"ratio": ratio, "low": ratios[bounds[0]], "high": ratios[bounds[1]], "verdict": verdict}
''',
        "the ratio of the medians": '''
from statistics import median

def paired(slots):
    times = {name: sorted(s for r, n, s in slots if r >= 0 and n == name) for name in ("old", "new")}
    ratio = median(times["old"]) / median(times["new"])
    bounds = ranks(len(times["new"]))
    if not bounds:
        return {"ratio": ratio, "low": None, "high": None, "verdict": "too few rounds"}
    return {"ratio": ratio, "low": ratio, "high": ratio, "verdict": "faster" if ratio > 1.01 else "slower"}
''',
        "the ratio of the sums": '''
def paired(slots):
    total = {name: sum(s for r, n, s in slots if r >= 0 and n == name) for name in ("old", "new")}
    ratio = total["old"] / total["new"]
    return {"ratio": ratio, "low": ratio, "high": ratio, "verdict": "faster" if ratio > 1 else "slower"}
''',
        "warm-up counted as rounds": '''
from statistics import median

def paired(slots):
    rounds = {}
    for number, name, seconds in slots:
        rounds.setdefault(number, {})[name] = seconds
    ratios = sorted(t["old"] / t["new"] for t in rounds.values() if len(t) == 2)
    bounds = ranks(len(ratios))
    if not bounds:
        return {"ratio": median(ratios), "low": None, "high": None, "verdict": "too few rounds"}
    low, high = ratios[bounds[0]], ratios[bounds[1]]
    verdict = "faster" if low > 1.01 else "slower" if high < 0.99 else "no detectable difference"
    return {"ratio": median(ratios), "low": low, "high": high, "verdict": verdict}
''',
    },
    "measuring-order": {
        "one after the other": '''
def order(rounds, seed):
    return ["a"] * rounds + ["b"] * rounds
''',
        "always the same one first": '''
def order(rounds, seed):
    return ["a", "b"] * rounds
''',
        "right on the visible cases only: there and back, which fits every fourth slot": '''
def order(rounds, seed):
    return (["a", "b", "b", "a"] * rounds)[:2 * rounds]
''',
        "one random order for all seeds": [("random.Random(seed)", "random.Random(7)")],
    },
    "measuring-models": {
        "right on the visible cases only: the middle of the interval decides": '''
def models_left(operations, experiments, within):
    def streams(model, name):
        reads, in_place = operations[name]
        if model == "bytes":
            return reads + 1
        return reads + (not in_place) + (model == "hidden reads")
    left = []
    for model in ("bytes", "hidden reads", "reads only"):
        ok = True
        for a, b, low, high in experiments:
            p = streams(model, a) / streams(model, b)
            ok = ok and abs((low + high) / 2 - p) <= within * p
        if ok:
            left.append(model)
    return left
''',
        "any overlap of interval and tolerance will do": '''
def models_left(operations, experiments, within):
    def streams(model, name):
        reads, in_place = operations[name]
        if model == "bytes":
            return reads + 1
        return reads + (not in_place) + (model == "hidden reads")
    left = []
    for model in ("bytes", "hidden reads", "reads only"):
        ps = [streams(model, a) / streams(model, b) for a, b, _, _ in experiments]
        if all(low <= p * (1 + within) and high >= p * (1 - within) for p, (_, _, low, high) in zip(ps, experiments)):
            left.append(model)
    return left
''',
        "in place makes no difference": '''
def models_left(operations, experiments, within):
    counts = {"bytes": 1, "hidden reads": 2, "reads only": 1}
    left = []
    for model, more in counts.items():
        ps = [(operations[a][0] + more) / (operations[b][0] + more) for a, b, _, _ in experiments]
        if all(p * (1 - within) <= low and high <= p * (1 + within) for p, (_, _, low, high) in zip(ps, experiments)):
            left.append(model)
    return left
''',
    },
    "measuring-overlap": {
        "right on the visible cases only: the middles decide the verdict": '''
def overlap(a, b, together):
    first, second, both = (sum(x) / 2 for x in (a, b, together))
    if both < max(first, second):
        return {"verdict": "impossible", "share": None}
    if both >= 0.9 * (first + second):
        return {"verdict": "no detectable overlap", "share": None}
    return {"verdict": "overlap", "share": (first + second - both) / min(first, second)}
''',
        "the sum is the lower bound": '''
def overlap(a, b, together):
    if together[1] < a[0] + b[0]:
        return {"verdict": "impossible", "share": None}
    return {"verdict": "no detectable overlap", "share": None}
''',
        "the share of the longer piece, and no limit": [
            ("min(1.0, (first + second - both) / min(first, second))", "(first + second - both) / max(first, second)")],
    },
    "measuring-spot": {
        "right on the visible cases only: means, and a setting that only one row states is overlooked": [
            ("import median", "import mean"), ("median(values", "mean(values"),
            ('({k: v for k, v in rows[name]["settings"].items() if k != because} for name in (faster, slower))',
             'rows[faster]["settings"], rows[slower]["settings"]'),
            ("if one != other:", "if any(one[key] != other[key] for key in one if key in other and key != because):")],
        "one device waited for is taken for all": [
            ('if set(values["devices"]) - {"cpu"} - set(values["waited"])', 'if not values["waited"]'),
            ('rows[name]["settings"].items() if k != because} for name in',
             'rows[n]["settings"].items() if k != because} for n in')],
        "believes every claim": '''
def faults(record):
    return []
''',
    },
}
