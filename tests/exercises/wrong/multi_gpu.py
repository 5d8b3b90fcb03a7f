"""Planted wrong solutions for multi-gpu-exercises.ipynb: each must fail, and its label says what is wrong."""

WRONG = {
    "multi-gpu-cut": {
        "right on the visible cases only: one sum for each layer but the last, of the last layer's width": '''\
def sent(way, ranks, batch, widths):
    """Bytes that all ranks send in a step. way: "data", "channels" or "layers"; widths: list of L + 1 int -> int.

    Example: sent("layers", 2, 10, [3, 4, 5]) == 320: ten times 4 numbers up and their gradients down.
    """
    layers = len(widths) - 1
    if way == "data":
        return 4 * 2 * (ranks - 1) * sum(a * b for a, b in zip(widths, widths[1:]))
    if way == "channels":  # after each pair of layers a sum; backward one before each pair but the first
        return 4 * 2 * (ranks - 1) * batch * (len(widths) - 2) * widths[-1]
    return 4 * 2 * batch * sum(widths[rank * layers // ranks] for rank in range(1, ranks))


def least(ranks, batch, widths):
    """The way that sends the fewest bytes. -> "data", "channels" or "layers"

    Example: least(2, 1, [8, 4, 8]) == "layers".
    """
    return min(("data", "channels", "layers"), key=lambda way: sent(way, ranks, batch, widths))
''',
        "the first layer's input gets a gradient, too": '''\
def sent(way, ranks, batch, widths):
    """Bytes that all ranks send in a step. way: "data", "channels" or "layers"; widths: list of L + 1 int -> int.

    Example: sent("layers", 2, 10, [3, 4, 5]) == 320: ten times 4 numbers up and their gradients down.
    """
    layers = len(widths) - 1
    if way == "data":
        return 4 * 2 * (ranks - 1) * sum(a * b for a, b in zip(widths, widths[1:]))
    if way == "channels":  # after each pair of layers a sum; backward one before each pair but the first
        return 4 * 2 * (ranks - 1) * batch * (sum(widths[2::2]) + sum(widths[:-1:2]))
    return 4 * 2 * batch * sum(widths[rank * layers // ranks] for rank in range(1, ranks))


def least(ranks, batch, widths):
    """The way that sends the fewest bytes. -> "data", "channels" or "layers"

    Example: least(2, 1, [8, 4, 8]) == "layers".
    """
    return min(("data", "channels", "layers"), key=lambda way: sent(way, ranks, batch, widths))
''',
        "activations go up, and no gradient comes down": '''\
def sent(way, ranks, batch, widths):
    """Bytes that all ranks send in a step. way: "data", "channels" or "layers"; widths: list of L + 1 int -> int.

    Example: sent("layers", 2, 10, [3, 4, 5]) == 320: ten times 4 numbers up and their gradients down.
    """
    layers = len(widths) - 1
    if way == "data":
        return 4 * 2 * (ranks - 1) * sum(a * b for a, b in zip(widths, widths[1:]))
    if way == "channels":  # after each pair of layers a sum; backward one before each pair but the first
        return 4 * 2 * (ranks - 1) * batch * (sum(widths[2::2]) + sum(widths[2:-1:2]))
    return 4 * batch * sum(widths[rank * layers // ranks] for rank in range(1, ranks))


def least(ranks, batch, widths):
    """The way that sends the fewest bytes. -> "data", "channels" or "layers"

    Example: least(2, 1, [8, 4, 8]) == "layers".
    """
    return min(("data", "channels", "layers"), key=lambda way: sent(way, ranks, batch, widths))
''',
    },
    "multi-gpu-shares": {
        "even shares, the slowest device decides": '''\
def shares(batch, speeds):
    k = len(speeds)
    return [batch // k + (i < batch % k) for i in range(k)]
''',
        "right on the visible cases only: each share is rounded, and the sum is not the batch": '''\
def shares(batch, speeds):
    return [round(batch * speed / sum(speeds)) for speed in speeds]
''',
        "all that is left over goes to the fastest device": '''\
def shares(batch, speeds):
    found = [batch * speed // sum(speeds) for speed in speeds]
    found[speeds.index(max(speeds))] += batch - sum(found)
    return found
''',
        "what is left over goes to devices from the first on, also to one that has failed": '''\
def shares(batch, speeds):
    found = [batch * speed // sum(speeds) for speed in speeds]
    for i in range(batch - sum(found)):
        found[i] += 1
    return found
''',
    },
    "multi-gpu-mean": {
        "the mean of means": '''\
def combine(gradients, counts):
    return sum(gradients) / len(gradients)


def factors(counts):
    return [1.0 for _ in counts]
''',
        "right on the visible cases only: NaN times zero is NaN": '''\
def combine(gradients, counts):
    return sum(n * g for g, n in zip(gradients, counts)) / sum(counts)


def factors(counts):
    return [len(counts) * n / sum(counts) for n in counts]
''',
        "the factors have the sum 1, so that DDP's average is k times too small": '''\
def combine(gradients, counts):
    return sum(n * g for g, n in zip(gradients, counts) if n) / sum(counts)


def factors(counts):
    return [n / sum(counts) for n in counts]
''',
        "the sum of means is not divided": '''\
def combine(gradients, counts):
    return sum(g for g, n in zip(gradients, counts) if n)


def factors(counts):
    return [float(len(counts)) for n in counts]
''',
    },
    "multi-gpu-accuracy": {
        "the mean of the ranks' accuracies": '''\
def accuracy(ranks):
    each = []
    for rank in ranks:
        hits = [p == y for p, y in zip(rank["predicted"], rank["label"])]
        each.append(sum(hits) / max(1, len(hits)))
    return sum(each) / len(each)
''',
        "repeated images count twice": '''\
def accuracy(ranks):
    hits = [p == y for rank in ranks for p, y in zip(rank["predicted"], rank["label"])]
    return sum(hits) / len(hits)
''',
        "right on the visible cases only: finds a repeated image by its prediction and label": '''\
def accuracy(ranks):
    pairs = [(i, p, y) for rank in ranks for i, p, y in zip(rank["image"], rank["predicted"], rank["label"])]
    again = sum(pairs.count(pair) > 1 for pair in pairs) // 2
    hits = sum(p == y for _, p, y in pairs) - again
    return hits / (len(pairs) - again)
''',
    },
    "multi-gpu-sixteen": {
        "a part of a step at the end of an epoch is taken for a part of its time": '''\
import math


def epoch(k, examples, batch, compute, alpha, rate, nbytes):
    """Seconds of an epoch on k ranks with `batch` examples each.

    k, examples, batch, nbytes: int; compute, alpha: seconds; rate: bytes a second -> float.
    Example: epoch(1, 1000, 100, 0.5, 1e-3, 1e9, 10**8) == 5.0.
    """
    message = 2 * (k - 1) * alpha + 2 * (k - 1) / k * nbytes / rate
    return examples / (k * batch) * (compute + message)


def message_rules(compute, alpha, rate, nbytes, most=4096):
    """The smallest number of ranks, up to `most`, with which the message takes more than half of a step; or None.

    Example: message_rules(0.1, 1e-3, 1e9, 10**8) == 2.
    """
    for k in range(1, most + 1):
        if 2 * (k - 1) * alpha + 2 * (k - 1) / k * nbytes / rate > compute:
            return k
    return None
''',
        "the message is counted as one, not as two passes around the ring": '''\
import math


def epoch(k, examples, batch, compute, alpha, rate, nbytes):
    """Seconds of an epoch on k ranks with `batch` examples each.

    k, examples, batch, nbytes: int; compute, alpha: seconds; rate: bytes a second -> float.
    Example: epoch(1, 1000, 100, 0.5, 1e-3, 1e9, 10**8) == 5.0.
    """
    message = 2 * (k - 1) * alpha + (k - 1) / k * nbytes / rate
    return math.ceil(examples / (k * batch)) * (compute + message)


def message_rules(compute, alpha, rate, nbytes, most=4096):
    """The smallest number of ranks, up to `most`, with which the message takes more than half of a step; or None.

    Example: message_rules(0.1, 1e-3, 1e9, 10**8) == 2.
    """
    for k in range(1, most + 1):
        if 2 * (k - 1) * alpha + (k - 1) / k * nbytes / rate > compute:
            return k
    return None
''',
        "right on the visible cases only: the last, incomplete step is dropped": '''\
import math


def epoch(k, examples, batch, compute, alpha, rate, nbytes):
    """Seconds of an epoch on k ranks with `batch` examples each.

    k, examples, batch, nbytes: int; compute, alpha: seconds; rate: bytes a second -> float.
    Example: epoch(1, 1000, 100, 0.5, 1e-3, 1e9, 10**8) == 5.0.
    """
    message = 2 * (k - 1) * alpha + 2 * (k - 1) / k * nbytes / rate
    return max(1, examples // (k * batch)) * (compute + message)


def message_rules(compute, alpha, rate, nbytes, most=4096):
    """The smallest number of ranks, up to `most`, with which the message takes more than half of a step; or None.

    Example: message_rules(0.1, 1e-3, 1e9, 10**8) == 2.
    """
    for k in range(1, most + 1):
        if 2 * (k - 1) * alpha + 2 * (k - 1) / k * nbytes / rate > compute:
            return k
    return None
''',
        "the message of k ranks costs k times the bytes, as on a star": '''\
import math


def epoch(k, examples, batch, compute, alpha, rate, nbytes):
    """Seconds of an epoch on k ranks with `batch` examples each.

    k, examples, batch, nbytes: int; compute, alpha: seconds; rate: bytes a second -> float.
    Example: epoch(1, 1000, 100, 0.5, 1e-3, 1e9, 10**8) == 5.0.
    """
    message = 2 * (k - 1) * alpha + 2 * (k - 1) * nbytes / rate
    return math.ceil(examples / (k * batch)) * (compute + message)


def message_rules(compute, alpha, rate, nbytes, most=4096):
    """The smallest number of ranks, up to `most`, with which the message takes more than half of a step; or None.

    Example: message_rules(0.1, 1e-3, 1e9, 10**8) == 2.
    """
    for k in range(1, most + 1):
        if 2 * (k - 1) * alpha + 2 * (k - 1) * nbytes / rate > compute:
            return k
    return None
''',
    },
    "multi-gpu-diagnose": {
        "right on the visible cases only: two replicas are assumed": '''\
import numpy as np


def diagnose(log):
    """What went wrong in one step of data parallelism.

    log: dict with "rate" (float) and "start", "local", "used", "end" (lists of k arrays) -> str, one of the verdicts.
    """
    start, local, used, end = (np.array(log[key]) for key in ("start", "local", "used", "end"))
    k, mean = len(start), local.mean(0)
    if not np.allclose(start, start[0]):
        return "unequal start"
    if np.allclose(used, local):
        return "not reduced"
    if np.allclose(used, local.sum(0)):
        return "not divided"
    if np.allclose(used[0], mean) and np.allclose(used[1:], local[1:]):
        return "only the first"
    if np.allclose(end, start - 2 * log["rate"] * mean):
        return "shared copies"
    return "right"
''',
        "looks at the weights only, where a sum and shared copies look alike": '''\
import numpy as np


def diagnose(log):
    start, local, end = (np.array(log[key]) for key in ("start", "local", "end"))
    k, rate = len(start), log["rate"]
    if not np.allclose(start, start[0]):
        return "unequal start"
    if np.allclose(end, start - rate * local):
        return "not reduced"
    if np.allclose(end, start - rate * local.sum(0)):
        return "shared copies"
    if np.allclose(end, start - rate * local.mean(0)):
        return "right"
    return "only the first"
''',
        "says right as soon as all replicas end equal": '''\
import numpy as np


def diagnose(log):
    start, local, used, end = (np.array(log[key]) for key in ("start", "local", "used", "end"))
    if np.allclose(end, end[0]):
        return "right"
    if not np.allclose(start, start[0]):
        return "unequal start"
    return "not reduced" if np.allclose(used, local) else "only the first"
''',
        "compares to the last bit, so rounding is a fault": '''\
import numpy as np


def diagnose(log):
    start, local, used, end = (np.array(log[key]) for key in ("start", "local", "used", "end"))
    k, mean = len(start), local.mean(0)
    if (start != start[0]).any():
        return "unequal start"
    if (used == local).all():
        return "not reduced"
    if (used == local.sum(0)).all():
        return "not divided"
    if (used[1:] == local[1:]).all():
        return "only the first"
    return "shared copies" if (end == start - k * log["rate"] * mean).all() else "right"
''',
    },
    "multi-gpu-pipeline": {
        "GPipe, as quick and keeps all parts": '''\
def turns(stage, stages, parts):
    return [("F", i) for i in range(parts)] + [("B", i) for i in range(parts)]
''',
        "one part at a time, keeps little and is slow": '''\
def turns(stage, stages, parts):
    return [(kind, i) for i in range(parts) for kind in "FB"]
''',
        "right on the visible cases only: goes ahead by more parts than there are": '''\
def turns(stage, stages, parts):
    """The order of turns of one stage.

    stage, stages, parts: int -> list of (kind, part), kind "F" or "B".
    Example: turns(1, 2, 2) == [("F", 0), ("B", 0), ("F", 1), ("B", 1)].
    """
    ahead = stages - stage
    found = [("F", i) for i in range(ahead)]
    for i in range(parts):
        found.append(("B", i))
        if ahead + i < parts:
            found.append(("F", ahead + i))
    return found
''',
        "one part less ahead on each stage, so that stages wait": '''\
def turns(stage, stages, parts):
    """The order of turns of one stage.

    stage, stages, parts: int -> list of (kind, part), kind "F" or "B".
    Example: turns(1, 2, 2) == [("F", 0), ("B", 0), ("F", 1), ("B", 1)].
    """
    ahead = min(parts, max(1, stages - stage - 1))
    found = [("F", i) for i in range(ahead)]
    for i in range(parts):
        found.append(("B", i))
        if ahead + i < parts:
            found.append(("F", ahead + i))
    return found
''',
    },
    "multi-gpu-buckets": {
        "right on the visible cases only: a last bucket that is not full comes after the link was free": '''\
def plan(nbytes, ready, cap, alpha, rate):
    """Which gradients travel together, and when.

    nbytes: list of int, ready: list of float, cap: int, alpha: seconds, rate: bytes a second
    -> list of {"gradients": list of int, "begin": float, "end": float}.
    Example: plan([4, 4, 2], [1.0, 2.0, 3.0], 8, 0.5, 8.0) ==
        [{"gradients": [0, 1], "begin": 2.0, "end": 3.5}, {"gradients": [2], "begin": 3.5, "end": 4.25}].
    """
    found, bucket, free = [], [], 0.0
    for place in range(len(nbytes)):
        bucket.append(place)
        if sum(nbytes[i] for i in bucket) >= cap or place == len(nbytes) - 1:
            begin = max(free, ready[place]) if sum(nbytes[i] for i in bucket) >= cap or not found else free
            free = begin + alpha + sum(nbytes[i] for i in bucket) / rate
            found.append({"gradients": bucket, "begin": begin, "end": free})
            bucket = []
    return found


def best_cap(nbytes, ready, caps, alpha, rate):
    """The cap, of `caps`, with which the last message ends first. -> int

    Example: best_cap([4, 4, 2], [1.0, 2.0, 3.0], [1, 8, 100], 0.5, 8.0) == 100.
    """
    return min(sorted(caps), key=lambda cap: plan(nbytes, ready, cap, alpha, rate)[-1]["end"])
''',
        "a message begins when its last gradient is there, busy link or not": '''\
def plan(nbytes, ready, cap, alpha, rate):
    """Which gradients travel together, and when.

    nbytes: list of int, ready: list of float, cap: int, alpha: seconds, rate: bytes a second
    -> list of {"gradients": list of int, "begin": float, "end": float}.
    Example: plan([4, 4, 2], [1.0, 2.0, 3.0], 8, 0.5, 8.0) ==
        [{"gradients": [0, 1], "begin": 2.0, "end": 3.5}, {"gradients": [2], "begin": 3.5, "end": 4.25}].
    """
    found, bucket, free = [], [], 0.0
    for place in range(len(nbytes)):
        bucket.append(place)
        if sum(nbytes[i] for i in bucket) >= cap or place == len(nbytes) - 1:
            begin = ready[place]
            free = begin + alpha + sum(nbytes[i] for i in bucket) / rate
            found.append({"gradients": bucket, "begin": begin, "end": free})
            bucket = []
    return found


def best_cap(nbytes, ready, caps, alpha, rate):
    """The cap, of `caps`, with which the last message ends first. -> int

    Example: best_cap([4, 4, 2], [1.0, 2.0, 3.0], [1, 8, 100], 0.5, 8.0) == 100.
    """
    return min(sorted(caps), key=lambda cap: plan(nbytes, ready, cap, alpha, rate)[-1]["end"])
''',
        "a bucket is closed before it would be too large": '''\
def plan(nbytes, ready, cap, alpha, rate):
    """Which gradients travel together, and when.

    nbytes: list of int, ready: list of float, cap: int, alpha: seconds, rate: bytes a second
    -> list of {"gradients": list of int, "begin": float, "end": float}.
    Example: plan([4, 4, 2], [1.0, 2.0, 3.0], 8, 0.5, 8.0) ==
        [{"gradients": [0, 1], "begin": 2.0, "end": 3.5}, {"gradients": [2], "begin": 3.5, "end": 4.25}].
    """
    found, bucket, free = [], [], 0.0
    for place in range(len(nbytes)):
        bucket.append(place)
        if place == len(nbytes) - 1 or sum(nbytes[i] for i in bucket) + nbytes[place + 1] > cap:
            begin = max(free, ready[place])
            free = begin + alpha + sum(nbytes[i] for i in bucket) / rate
            found.append({"gradients": bucket, "begin": begin, "end": free})
            bucket = []
    return found


def best_cap(nbytes, ready, caps, alpha, rate):
    """The cap, of `caps`, with which the last message ends first. -> int

    Example: best_cap([4, 4, 2], [1.0, 2.0, 3.0], [1, 8, 100], 0.5, 8.0) == 100.
    """
    return min(sorted(caps), key=lambda cap: plan(nbytes, ready, cap, alpha, rate)[-1]["end"])
''',
        "the largest cap, on the grounds that few messages are cheap": '''\
def plan(nbytes, ready, cap, alpha, rate):
    """Which gradients travel together, and when.

    nbytes: list of int, ready: list of float, cap: int, alpha: seconds, rate: bytes a second
    -> list of {"gradients": list of int, "begin": float, "end": float}.
    Example: plan([4, 4, 2], [1.0, 2.0, 3.0], 8, 0.5, 8.0) ==
        [{"gradients": [0, 1], "begin": 2.0, "end": 3.5}, {"gradients": [2], "begin": 3.5, "end": 4.25}].
    """
    found, bucket, free = [], [], 0.0
    for place in range(len(nbytes)):
        bucket.append(place)
        if sum(nbytes[i] for i in bucket) >= cap or place == len(nbytes) - 1:
            begin = max(free, ready[place])
            free = begin + alpha + sum(nbytes[i] for i in bucket) / rate
            found.append({"gradients": bucket, "begin": begin, "end": free})
            bucket = []
    return found


def best_cap(nbytes, ready, caps, alpha, rate):
    """The cap, of `caps`, with which the last message ends first. -> int

    Example: best_cap([4, 4, 2], [1.0, 2.0, 3.0], [1, 8, 100], 0.5, 8.0) == 100.
    """
    return max(caps)
''',
    },
    "multi-gpu-zero": {
        "right on the visible cases only: powers of two, and no room for activations": '''\
WAYS = ["DDP", "stage 1", "stage 2", "stage 3"]


def kept(way, parameters, devices):
    """Bytes on the fullest device. way: one of WAYS, parameters, devices: int -> int.

    Example: kept("stage 1", 10, 4) == 76, because the fullest of four has 3 of the ten parameters to update.
    """
    stage, part = WAYS.index(way), -(-parameters // devices)
    return 12 * (part if stage >= 1 else parameters) + 2 * sum(part if stage >= s else parameters for s in (2, 3))


def fewest(parameters, room, extra):
    """The smallest number of devices for each way, None where none up to 4096 will do.

    parameters, room, extra: int -> dict of int or None.
    Example: fewest(10, 100, 0) == {"DDP": None, "stage 1": 2, "stage 2": 2, "stage 3": 2}.
    """
    return {way: next((N for N in [2**i for i in range(13)] if kept(way, parameters, N) <= room), None) for way in WAYS}
''',
        "divides without rounding up": '''\
WAYS = ["DDP", "stage 1", "stage 2", "stage 3"]


def kept(way, parameters, devices):
    """Bytes on the fullest device. way: one of WAYS, parameters, devices: int -> int.

    Example: kept("stage 1", 10, 4) == 76, because the fullest of four has 3 of the ten parameters to update.
    """
    stage, part = WAYS.index(way), parameters // devices
    return 12 * (part if stage >= 1 else parameters) + 2 * sum(part if stage >= s else parameters for s in (2, 3))


def fewest(parameters, room, extra):
    """The smallest number of devices for each way, None where none up to 4096 will do.

    parameters, room, extra: int -> dict of int or None.
    Example: fewest(10, 100, 0) == {"DDP": None, "stage 1": 2, "stage 2": 2, "stage 3": 2}.
    """
    return {way: next((N for N in range(1, 4097) if kept(way, parameters, N) + extra <= room), None) for way in WAYS}
''',
        "stage 1 divides the gradients, too": '''\
WAYS = ["DDP", "stage 1", "stage 2", "stage 3"]


def kept(way, parameters, devices):
    """Bytes on the fullest device. way: one of WAYS, parameters, devices: int -> int.

    Example: kept("stage 1", 10, 4) == 76, because the fullest of four has 3 of the ten parameters to update.
    """
    stage, part = WAYS.index(way), -(-parameters // devices)
    return 12 * (part if stage >= 1 else parameters) + 2 * sum(part if stage >= s else parameters for s in (1, 3))


def fewest(parameters, room, extra):
    """The smallest number of devices for each way, None where none up to 4096 will do.

    parameters, room, extra: int -> dict of int or None.
    Example: fewest(10, 100, 0) == {"DDP": None, "stage 1": 2, "stage 2": 2, "stage 3": 2}.
    """
    return {way: next((N for N in range(1, 4097) if kept(way, parameters, N) + extra <= room), None) for way in WAYS}
''',
    },
    "multi-gpu-ahead": {
        "right on the visible cases only: two steps are always enough": '''\
def ends(issue, compute, depth):
    """When the device has done each step. issue, compute: lists of int of one length, depth: int -> list of int.

    Example: ends([2, 2, 2], [3, 3, 3], 1) == [5, 10, 15]; with depth 2 it is [5, 8, 11].
    """
    done, handed = [], 0
    for t, (hand, work) in enumerate(zip(issue, compute)):
        handed = max(handed, done[t - depth] if t >= depth else 0) + hand
        done.append(max(handed, done[-1] if done else 0) + work)
    return done


def depth_needed(issue, compute):
    """The smallest depth with which the last step ends as early as without any barrier. -> int

    Example: depth_needed([2, 2, 2], [3, 3, 3]) == 2.
    """
    return 2
''',
        "Python waits one step too early": '''\
def ends(issue, compute, depth):
    """When the device has done each step. issue, compute: lists of int of one length, depth: int -> list of int.

    Example: ends([2, 2, 2], [3, 3, 3], 1) == [5, 10, 15]; with depth 2 it is [5, 8, 11].
    """
    done, handed = [], 0
    for t, (hand, work) in enumerate(zip(issue, compute)):
        handed = max(handed, done[max(0, t - depth + 1) if depth > 1 else -1] if done else 0) + hand
        done.append(max(handed, done[-1] if done else 0) + work)
    return done


def depth_needed(issue, compute):
    """The smallest depth with which the last step ends as early as without any barrier. -> int

    Example: depth_needed([2, 2, 2], [3, 3, 3]) == 2.
    """
    best = ends(issue, compute, len(issue))[-1]
    return next(d for d in range(1, len(issue) + 1) if ends(issue, compute, d)[-1] == best)
''',
        "Python never waits": '''\
def ends(issue, compute, depth):
    """When the device has done each step. issue, compute: lists of int of one length, depth: int -> list of int.

    Example: ends([2, 2, 2], [3, 3, 3], 1) == [5, 10, 15]; with depth 2 it is [5, 8, 11].
    """
    done, handed = [], 0
    for t, (hand, work) in enumerate(zip(issue, compute)):
        handed = max(handed, 0) + hand
        done.append(max(handed, done[-1] if done else 0) + work)
    return done


def depth_needed(issue, compute):
    """The smallest depth with which the last step ends as early as without any barrier. -> int

    Example: depth_needed([2, 2, 2], [3, 3, 3]) == 2.
    """
    best = ends(issue, compute, len(issue))[-1]
    return next(d for d in range(1, len(issue) + 1) if ends(issue, compute, d)[-1] == best)
''',
        "the device never waits for Python": '''\
def ends(issue, compute, depth):
    """When the device has done each step. issue, compute: lists of int of one length, depth: int -> list of int.

    Example: ends([2, 2, 2], [3, 3, 3], 1) == [5, 10, 15]; with depth 2 it is [5, 8, 11].
    """
    done, handed = [], 0
    for t, (hand, work) in enumerate(zip(issue, compute)):
        handed = max(handed, done[t - depth] if t >= depth else 0) + hand
        done.append(max(0, done[-1] if done else handed) + work)
    return done


def depth_needed(issue, compute):
    """The smallest depth with which the last step ends as early as without any barrier. -> int

    Example: depth_needed([2, 2, 2], [3, 3, 3]) == 2.
    """
    best = ends(issue, compute, len(issue))[-1]
    return next(d for d in range(1, len(issue) + 1) if ends(issue, compute, d)[-1] == best)
''',
    },
}
