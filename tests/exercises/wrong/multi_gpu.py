"""Planted wrong solutions of the exercises on several GPUs: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "multi-gpu-cut": {
        "right on the visible cases only: one sum for each layer but the last, of the last layer's width": [
            ("(sum(widths[2::2]) + sum(widths[2:-1:2]))", "(len(widths) - 2) * widths[-1]")],
        "the first layer's input gets a gradient, too": [("widths[2:-1:2]", "widths[:-1:2]")],
        "activations go up, and no gradient comes down": [("2 * batch", "batch")],
    },
    "multi-gpu-shares": {
        "even shares, the slowest device decides": '''
def shares(batch, speeds):
    k = len(speeds)
    return [batch // k + (i < batch % k) for i in range(k)]
''',
        "right on the visible cases only: each share is rounded, and the sum is not the batch": '''
def shares(batch, speeds):
    return [round(batch * speed / sum(speeds)) for speed in speeds]
''',
        "all that is left over goes to the fastest device": '''
def shares(batch, speeds):
    found = [batch * speed // sum(speeds) for speed in speeds]
    found[speeds.index(max(speeds))] += batch - sum(found)
    return found
''',
        "what is left over goes to devices from the first on, also to one that has failed": '''
def shares(batch, speeds):
    found = [batch * speed // sum(speeds) for speed in speeds]
    for i in range(batch - sum(found)):
        found[i] += 1
    return found
''',
    },
    "multi-gpu-mean": {
        "the mean of means": [
            ("sum(n * g for g, n in zip(gradients, counts) if n) / sum(counts)", "sum(gradients) / len(gradients)"),
            ("len(counts) * n / sum(counts) for n in", "1.0 for _ in")],
        "right on the visible cases only: NaN times zero is NaN": [(" if n", "")],
        "the factors have the sum 1, so that DDP's average is k times too small": [("len(counts) * n", "n")],
        "the sum of means is not divided": [
            ("sum(n * g for g, n in zip(gradients, counts) if n) / sum(counts)",
             "sum(g for g, n in zip(gradients, counts) if n)"),
            ("len(counts) * n / sum(counts)", "float(len(counts))")],
    },
    "multi-gpu-accuracy": {
        "the mean of the ranks' accuracies": '''
def accuracy(ranks):
    each = []
    for rank in ranks:
        hits = [p == y for p, y in zip(rank["predicted"], rank["label"])]
        each.append(sum(hits) / max(1, len(hits)))
    return sum(each) / len(each)
''',
        "repeated images count twice": '''
def accuracy(ranks):
    hits = [p == y for rank in ranks for p, y in zip(rank["predicted"], rank["label"])]
    return sum(hits) / len(hits)
''',
        "right on the visible cases only: finds a repeated image by its prediction and label": '''
def accuracy(ranks):
    pairs = [(i, p, y) for rank in ranks for i, p, y in zip(rank["image"], rank["predicted"], rank["label"])]
    again = sum(pairs.count(pair) > 1 for pair in pairs) // 2
    hits = sum(p == y for _, p, y in pairs) - again
    return hits / (len(pairs) - again)
''',
    },
    "multi-gpu-sixteen": {
        "a part of a step at the end of an epoch is taken for a part of its time": [
            ("math.ceil(examples / (k * batch))", "examples / (k * batch)")],
        "the message is counted as one, not as two passes around the ring": [
            ("message = 2 * (k - 1) * alpha + 2 * (k - 1) / k", "message = 2 * (k - 1) * alpha + (k - 1) / k"),
            ("if 2 * (k - 1) * alpha + 2 * (k - 1) / k", "if 2 * (k - 1) * alpha + (k - 1) / k")],
        "right on the visible cases only: the last, incomplete step is dropped": [
            ("math.ceil(examples / (k * batch))", "max(1, examples // (k * batch))")],
        "the message of k ranks costs k times the bytes, as on a star": [
            ("message = 2 * (k - 1) * alpha + 2 * (k - 1) / k", "message = 2 * (k - 1) * alpha + 2 * (k - 1)"),
            ("if 2 * (k - 1) * alpha + 2 * (k - 1) / k", "if 2 * (k - 1) * alpha + 2 * (k - 1)")],
    },
    "multi-gpu-diagnose": {
        "right on the visible cases only: two replicas are assumed": [('k * log["rate"]', '2 * log["rate"]')],
        "looks at the weights only, where a sum and shared copies look alike": '''
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
        "says right as soon as all replicas end equal": '''
import numpy as np


def diagnose(log):
    start, local, used, end = (np.array(log[key]) for key in ("start", "local", "used", "end"))
    if np.allclose(end, end[0]):
        return "right"
    if not np.allclose(start, start[0]):
        return "unequal start"
    return "not reduced" if np.allclose(used, local) else "only the first"
''',
        "compares to the last bit, so rounding is a fault": [
            ("not np.allclose(start, start[0])", "(start != start[0]).any()"),
            ("np.allclose(used, local)", "(used == local).all()"),
            ("np.allclose(used, local.sum(0))", "(used == local.sum(0)).all()"),
            ("np.allclose(used[0], mean) and np.allclose(used[1:], local[1:])", "(used[1:] == local[1:]).all()"),
            ('''    if np.allclose(end, start - k * log["rate"] * mean):
        return "shared copies"
    return "right"''',
             '    return "shared copies" if (end == start - k * log["rate"] * mean).all() else "right"')],
    },
    "multi-gpu-pipeline": {
        "GPipe, as quick and keeps all parts": '''
def turns(stage, stages, parts):
    return [("F", i) for i in range(parts)] + [("B", i) for i in range(parts)]
''',
        "one part at a time, keeps little and is slow": '''
def turns(stage, stages, parts):
    return [(kind, i) for i in range(parts) for kind in "FB"]
''',
        "right on the visible cases only: goes ahead by more parts than there are": [
            ("min(parts, stages - stage)", "stages - stage")],
        "one part less ahead on each stage, so that stages wait": [
            ("min(parts, stages - stage)", "min(parts, max(1, stages - stage - 1))")],
    },
    "multi-gpu-buckets": {
        "right on the visible cases only: a last bucket that is not full comes after the link was free": [
            ("max(free, ready[place])",
             "max(free, ready[place]) if sum(nbytes[i] for i in bucket) >= cap or not found else free")],
        "a message begins when its last gradient is there, busy link or not": [
            ("max(free, ready[place])", "ready[place]")],
        "a bucket is closed before it would be too large": [
            ("sum(nbytes[i] for i in bucket) >= cap or place == len(nbytes) - 1",
             "place == len(nbytes) - 1 or sum(nbytes[i] for i in bucket) + nbytes[place + 1] > cap")],
        "the largest cap, on the grounds that few messages are cheap": [
            ('min(sorted(caps), key=lambda cap: plan(nbytes, ready, cap, alpha, rate)[-1]["end"])', "max(caps)")],
    },
    "multi-gpu-zero": {
        "right on the visible cases only: powers of two, and no room for activations": [
            ("range(1, 4097) if kept(way, parameters, N) + extra",
             "[2**i for i in range(13)] if kept(way, parameters, N)")],
        "divides without rounding up": [("-(-parameters // devices)", "parameters // devices")],
        "stage 1 divides the gradients, too": [("for s in (2, 3)", "for s in (1, 3)")],
    },
    "multi-gpu-ahead": {
        "right on the visible cases only: two steps are always enough": [
            ("best = ends(issue, compute, len(issue))[-1]", ""),
            ("next(d for d in range(1, len(issue) + 1) if ends(issue, compute, d)[-1] == best)", "2")],
        "Python waits one step too early": [
            ("done[t - depth] if t >= depth else 0",
             "done[max(0, t - depth + 1) if depth > 1 else -1] if done else 0")],
        "Python never waits": [("done[t - depth] if t >= depth else 0", "0")],
        "the device never waits for Python": [
            ("max(handed, done[-1] if done else 0)", "max(0, done[-1] if done else handed)")],
    },
}
