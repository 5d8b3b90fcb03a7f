"""Planted wrong solutions for parameter-servers-exercises.ipynb: each must fail, and its label says what is wrong."""

WRONG = {
    "parameter-servers-shards": {
        "whole keys, so that one server has nearly all": '''\
def shards(sizes, servers):
    return [{"key": key, "begin": 0, "end": size, "server": i % servers} for i, (key, size) in enumerate(sizes.items())]
''',
        "every key is cut for every server, too many pieces": '''\
def shards(sizes, servers):
    return [{"key": key, "begin": size * s // servers, "end": size * (s + 1) // servers, "server": s}
            for key, size in sizes.items() for s in range(servers) if size * s // servers < size * (s + 1) // servers]
''',
        "right on the visible cases only: the last server gets what is left, which was nothing there": '''\
def shards(sizes, servers):
    """Who holds what. sizes: dict from key to int (how many numbers), servers: int -> list of pieces.

    A piece is {"key": str, "begin": int, "end": int, "server": int}, with the numbers from begin to end - 1.
    Example: shards({"W": 3, "b": 1}, 2) == [{"key": "W", "begin": 0, "end": 2, "server": 0},
             {"key": "W", "begin": 2, "end": 3, "server": 1}, {"key": "b", "begin": 0, "end": 1, "server": 1}].
    """
    total, found, start = sum(sizes.values()), [], 0  # all keys end to end, cut into equal lengths
    for key, size in sizes.items():
        for server in range(servers):
            begin = max(start, total // servers * server)
            end = min(start + size, (total // servers * (server + 1) if server < servers - 1 else total))
            if begin < end:
                found.append({"key": key, "begin": begin - start, "end": end - start, "server": server})
        start += size
    return found
''',
    },
    "parameter-servers-serve": {
        "asynchronous, every push counts at once and nobody waits": '''\
def serve(values, workers, events):
    values, answers = dict(values), []
    for kind, worker, key, *gradient in events:
        if kind == "push":
            values[key] -= gradient[0]
        else:
            answers.append((worker, key, values[key]))
    return answers
''',
        "right on the visible cases only: pulls that have waited are answered by worker, not as they came": '''\
def serve(values, workers, events):
    """All answers of a synchronous server. values: dict from key to int; workers: how many, numbered from 0.

    events: list of ("push", worker, key, gradient) or ("pull", worker, key); whole numbers
    -> list of (worker, key, value).
    Example: serve({"w": 10}, 2, [("push", 0, "w", 1), ("pull", 0, "w"), ("pull", 1, "w"), ("push", 1, "w", 2)])
        == [(1, "w", 10), (0, "w", 7)].
    """
    values, held = dict(values), {key: [[] for _ in range(workers)] for key in values}
    rounds, waiting, answers = dict.fromkeys(values, 0), [], []
    for kind, worker, key, *gradient in events:
        if kind == "pull":
            waiting.append((worker, key, rounds[key] + len(held[key][worker])))  # after so many rounds
        else:
            held[key][worker] += gradient
            if all(held[key]):
                values[key] -= sum(queue.pop(0) for queue in held[key])
                rounds[key] += 1
        answers += [(w, k, values[k]) for w, k, after in sorted(waiting) if rounds[k] >= after]
        waiting = [pull for pull in waiting if rounds[pull[1]] < pull[2]]
    return answers
''',
        "as many pushes as workers make a round, whoever they are from": '''\
def serve(values, workers, events):
    """All answers of a synchronous server. values: dict from key to int; workers: how many, numbered from 0.

    events: list of ("push", worker, key, gradient) or ("pull", worker, key); whole numbers
    -> list of (worker, key, value).
    Example: serve({"w": 10}, 2, [("push", 0, "w", 1), ("pull", 0, "w"), ("pull", 1, "w"), ("push", 1, "w", 2)])
        == [(1, "w", 10), (0, "w", 7)].
    """
    values, held = dict(values), {key: [[] for _ in range(workers)] for key in values}
    rounds, waiting, answers = dict.fromkeys(values, 0), [], []
    for kind, worker, key, *gradient in events:
        if kind == "pull":
            waiting.append((worker, key, rounds[key] + len(held[key][worker])))  # after so many rounds
        else:
            held[key][worker] += gradient
            if sum(map(len, held[key])) >= workers:
                values[key] -= sum(queue.pop(0) for queue in held[key] for _ in range(len(queue)))
                rounds[key] += 1
        answers += [(w, k, values[k]) for w, k, after in waiting if rounds[k] >= after]
        waiting = [pull for pull in waiting if rounds[pull[1]] < pull[2]]
    return answers
''',
        "every pull waits until no push of anybody is held": '''\
def serve(values, workers, events):
    """All answers of a synchronous server. values: dict from key to int; workers: how many, numbered from 0.

    events: list of ("push", worker, key, gradient) or ("pull", worker, key); whole numbers
    -> list of (worker, key, value).
    Example: serve({"w": 10}, 2, [("push", 0, "w", 1), ("pull", 0, "w"), ("pull", 1, "w"), ("push", 1, "w", 2)])
        == [(1, "w", 10), (0, "w", 7)].
    """
    values, held = dict(values), {key: [[] for _ in range(workers)] for key in values}
    rounds, waiting, answers = dict.fromkeys(values, 0), [], []
    for kind, worker, key, *gradient in events:
        if kind == "pull":
            waiting.append((worker, key, rounds[key] + len(held[key][worker])))  # after so many rounds
        else:
            held[key][worker] += gradient
            if all(held[key]):
                values[key] -= sum(queue.pop(0) for queue in held[key])
                rounds[key] += 1
        answers += [(w, k, values[k]) for w, k, after in waiting if rounds[k] >= after and not any(held[k])]
        waiting = [pull for pull in waiting if rounds[pull[1]] < pull[2] or any(held[pull[1]])]
    return answers
''',
    },
    "parameter-servers-released": {
        "one step less of slack": '''\
def released(events, workers, slack):
    """Which event lets each pull be answered. events: list of (kind, worker), kind "push", "pull" or "done".

    workers: how many, numbered from 0; slack: int or None -> list of int, one for each pull.
    Example: released([("push", 0), ("pull", 0), ("push", 1)], 2, 0) == [2].
    """
    clock, found, waiting = [0.0] * workers, {}, []
    for place, (kind, worker) in enumerate(events):
        if kind == "pull":
            found[place] = -1
            waiting.append((place, clock[worker]))
        else:
            clock[worker] = clock[worker] + 1 if kind == "push" else float("inf")
        for pull, own in list(waiting):
            if slack is None or min(clock) > own - slack:
                found[pull] = place
                waiting.remove((pull, own))
    return list(found.values())
''',
        "a worker that is done still holds the others up": '''\
def released(events, workers, slack):
    """Which event lets each pull be answered. events: list of (kind, worker), kind "push", "pull" or "done".

    workers: how many, numbered from 0; slack: int or None -> list of int, one for each pull.
    Example: released([("push", 0), ("pull", 0), ("push", 1)], 2, 0) == [2].
    """
    clock, found, waiting = [0.0] * workers, {}, []
    for place, (kind, worker) in enumerate(events):
        if kind == "pull":
            found[place] = -1
            waiting.append((place, clock[worker]))
        else:
            clock[worker] = clock[worker] + (kind == "push")
        for pull, own in list(waiting):
            if slack is None or min(clock) >= own - slack:
                found[pull] = place
                waiting.remove((pull, own))
    return list(found.values())
''',
        "right on the visible cases only: looks at one other worker, not at the slowest of all": '''\
def released(events, workers, slack):
    clock, found, waiting = [0.0] * workers, {}, []
    for place, (kind, worker) in enumerate(events):
        if kind == "pull":
            found[place] = -1
            waiting.append((place, worker, clock[worker]))
        else:
            clock[worker] = clock[worker] + 1 if kind == "push" else float("inf")
        for pull, who, own in list(waiting):
            other = clock[1 - who] if who < 2 else clock[0]
            if slack is None or min(other, clock[who]) >= own - slack:
                found[pull] = place
                waiting.remove((pull, who, own))
    return list(found.values())
''',
        "the clock when a pull is answered counts, not when it was asked": '''\
def released(events, workers, slack):
    """Which event lets each pull be answered. events: list of (kind, worker), kind "push", "pull" or "done".

    workers: how many, numbered from 0; slack: int or None -> list of int, one for each pull.
    Example: released([("push", 0), ("pull", 0), ("push", 1)], 2, 0) == [2].
    """
    clock, found, waiting = [0.0] * workers, {}, []
    for place, (kind, worker) in enumerate(events):
        if kind == "pull":
            found[place] = -1
            waiting.append((place, clock[worker]))
        else:
            clock[worker] = clock[worker] + 1 if kind == "push" else float("inf")
        for pull, own in list(waiting):
            if slack is None or min(clock) >= clock[events[pull][1]] - slack:
                found[pull] = place
                waiting.remove((pull, own))
    return list(found.values())
''',
    },
    "parameter-servers-straggler": {
        "one step of slack too many": '''\
def total(pauses, slack):
    """When all is done. pauses: list of lists of int, all of one length; slack: int -> int.

    Example: total([[1, 5], [5, 1]], 0) == 10, total([[1, 5], [5, 1]], 1) == 6.
    """
    ends = [[0] * (len(pauses[0]) + 1) for _ in pauses]  # ends[w][t]: worker w has done t steps
    for t in range(len(pauses[0])):
        gate = max(row[t - slack - 1] for row in ends) if t > slack else 0
        for row, own in zip(ends, pauses):
            row[t + 1] = max(row[t], gate) + own[t]
    return max(row[-1] for row in ends)


def enough(pauses, extra):
    """The smallest slack with which all is done at most `extra` units later than without a limit. -> int

    Example: enough([[1, 5], [5, 1]], 0) == 1.
    """
    least = total(pauses, len(pauses[0]))
    return next(s for s in range(len(pauses[0]) + 1) if total(pauses, s) - least <= extra)
''',
        "right on the visible cases only: with any slack nobody waits": '''\
def total(pauses, slack):
    """When all is done. pauses: list of lists of int, all of one length; slack: int -> int.

    Example: total([[1, 5], [5, 1]], 0) == 10, total([[1, 5], [5, 1]], 1) == 6.
    """
    ends = [[0] * (len(pauses[0]) + 1) for _ in pauses]  # ends[w][t]: worker w has done t steps
    for t in range(len(pauses[0])):
        gate = max(row[t] for row in ends) if slack == 0 else 0
        for row, own in zip(ends, pauses):
            row[t + 1] = max(row[t], gate) + own[t]
    return max(row[-1] for row in ends)


def enough(pauses, extra):
    """The smallest slack with which all is done at most `extra` units later than without a limit. -> int

    Example: enough([[1, 5], [5, 1]], 0) == 1.
    """
    least = total(pauses, len(pauses[0]))
    return next(s for s in range(len(pauses[0]) + 1) if total(pauses, s) - least <= extra)
''',
        "always as much slack as there are steps": '''\
def total(pauses, slack):
    """When all is done. pauses: list of lists of int, all of one length; slack: int -> int.

    Example: total([[1, 5], [5, 1]], 0) == 10, total([[1, 5], [5, 1]], 1) == 6.
    """
    ends = [[0] * (len(pauses[0]) + 1) for _ in pauses]  # ends[w][t]: worker w has done t steps
    for t in range(len(pauses[0])):
        gate = max(row[t - slack] for row in ends) if t > slack else 0
        for row, own in zip(ends, pauses):
            row[t + 1] = max(row[t], gate) + own[t]
    return max(row[-1] for row in ends)


def enough(pauses, extra):
    """The smallest slack with which all is done at most `extra` units later than without a limit. -> int

    Example: enough([[1, 5], [5, 1]], 0) == 1.
    """
    return len(pauses[0])
''',
    },
    "parameter-servers-once": {
        "every delivery counts": '''\
def receive(state, messages):
    values = dict(state["values"]) if state else {}
    for message in messages:
        values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values}
''',
        "remembers the newest number only, and drops what is late": '''\
def receive(state, messages):
    state = state or {"values": {}, "newest": {}}
    values, newest = dict(state["values"]), dict(state["newest"])
    for message in messages:
        if message["number"] > newest.get(message["worker"], -1):
            newest[message["worker"]] = message["number"]
            values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values, "newest": newest}
''',
        "remembers every push for ever": '''\
def receive(state, messages):
    state = state or {"values": {}, "seen": []}
    values, seen = dict(state["values"]), [tuple(pair) for pair in state["seen"]]
    for message in messages:
        if (message["worker"], message["number"]) not in set(seen[-4000:]):
            seen.append((message["worker"], message["number"]))
            values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values, "seen": [list(pair) for pair in seen]}
''',
        "right on the visible cases only: a number is taken for seen whoever has sent it": '''\
def receive(state, messages):
    state = state or {"values": {}, "seen": []}
    values, seen = dict(state["values"]), list(state["seen"])
    for message in messages:
        if message["number"] not in seen:
            seen.append(message["number"])
            values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values, "seen": seen}
''',
    },
    "parameter-servers-rebuild": {
        "changes as they came, copies and old ones included": '''\
def rebuild(snapshot, log):
    number, values = snapshot["number"], dict(snapshot["values"])
    for change in log:
        before = values.get(change["key"], 0) if change["kind"] == "add" else 0
        values[change["key"]] = before + change["value"]
        number = max(number, change["number"])
    return {"number": number, "values": values}
''',
        "right on the visible cases only: goes on beyond a gap": '''\
def rebuild(snapshot, log):
    number, values = snapshot["number"], dict(snapshot["values"])
    changes = {change["number"]: change for change in log if change["number"] > number}
    for number in sorted(changes):
        change = changes[number]
        before = values.get(change["key"], 0) if change["kind"] == "add" else 0
        values[change["key"]] = before + change["value"]
    return {"number": number, "values": values}
''',
        "says the newest number of the log, though it came after a gap": '''\
def rebuild(snapshot, log):
    """The newest state that follows without a gap.

    snapshot: {"number": int, "values": dict from key to int}; log: list of {"number": int, "kind": "add" or "set",
    "key": str, "value": int} -> a state like the snapshot.
    Example: rebuild({"number": 4, "values": {"w": 7}}, [{"number": 5, "kind": "add", "key": "w", "value": 2}])
        == {"number": 5, "values": {"w": 9}}.
    """
    number, values = snapshot["number"], dict(snapshot["values"])
    changes = {change["number"]: change for change in log}
    while number + 1 in changes:
        number += 1
        change = changes[number]
        before = values.get(change["key"], 0) if change["kind"] == "add" else 0
        values[change["key"]] = before + change["value"]
    return {"number": max([number, *changes]), "values": values}
''',
        "an added value replaces the old one": '''\
def rebuild(snapshot, log):
    """The newest state that follows without a gap.

    snapshot: {"number": int, "values": dict from key to int}; log: list of {"number": int, "kind": "add" or "set",
    "key": str, "value": int} -> a state like the snapshot.
    Example: rebuild({"number": 4, "values": {"w": 7}}, [{"number": 5, "kind": "add", "key": "w", "value": 2}])
        == {"number": 5, "values": {"w": 9}}.
    """
    number, values = snapshot["number"], dict(snapshot["values"])
    changes = {change["number"]: change for change in log}
    while number + 1 in changes:
        number += 1
        change = changes[number]
        before = values.get(change["key"], 0) if change["kind"] == "set" else 0
        values[change["key"]] = before + change["value"]
    return {"number": number, "values": values}
''',
    },
    "parameter-servers-save": {
        "right on the visible cases only: only the last part is synced": '''\
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()}
    operations = [("write", name, text) for name, text in files.items()]
    operations += [("sync", list(files)[-1]), ("write", "latest.new", str(number)), ("sync", "latest.new")]
    return [*operations, ("sync folder",), ("rename", "latest.new", "latest"), ("sync folder",)]
''',
        "no sync at all": '''\
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}
    return [*(("write", name, text) for name, text in files.items()), ("rename", "latest.new", "latest")]
''',
        "latest is written in place": '''\
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()}
    operations = [("write", name, text) for name, text in files.items()] + [("sync", name) for name in files]
    return [*operations, ("sync folder",), ("write", "latest", str(number)), ("sync", "latest")]
''',
        "the names of the parts are not synced before the rename": '''\
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}
    operations = [("write", name, text) for name, text in files.items()] + [("sync", name) for name in files]
    return [*operations, ("rename", "latest.new", "latest"), ("sync folder",)]
''',
        "the rename is never synced, and may be lost when all is done": '''\
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}
    operations = [("write", name, text) for name, text in files.items()] + [("sync", name) for name in files]
    return [*operations, ("sync folder",), ("rename", "latest.new", "latest")]
''',
        "right, but it syncs the folder after every operation": '''\
def save(number, parts):
    files, found = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}, []
    for name, text in files.items():
        found += [("write", name, text), ("sync", name), ("sync folder",)]
    return [*found, ("rename", "latest.new", "latest"), ("sync folder",), ("sync folder",)]
''',
    },
    "parameter-servers-order": {
        "in the order in which gradients are ready": '''\
def order(ready, nbytes, rate, piece):
    found = []
    for layer in sorted(range(len(ready)), key=lambda i: ready[i]):
        while sum(size for i, size in found if i == layer) < nbytes[layer]:
            found.append((layer, min(piece, nbytes[layer] - sum(size for i, size in found if i == layer))))
    return found
''',
        "waits for all gradients, and then sends the first layer first": '''\
def order(ready, nbytes, rate, piece):
    return [(layer, min(piece, size - done)) for layer, size in enumerate(nbytes) for done in range(0, size, piece)]
''',
        "right on the visible cases only: first example by heart, else overtakes only between gradients": '''\
def order(ready, nbytes, rate, piece):
    now, left, found = 0.0, set(range(len(ready))), []
    if len(ready) == 2:
        return [(1, 2), (0, 2), (0, 2), (1, 2)]
    while left:
        now = max(now, min(ready[i] for i in left))
        layer = min(i for i in left if ready[i] <= now)
        found += [(layer, min(piece, nbytes[layer] - done)) for done in range(0, nbytes[layer], piece)]
        now += nbytes[layer] / rate
        left.remove(layer)
    return found
''',
        "whole gradients, however long": '''\
def order(ready, nbytes, rate, piece):
    return [(layer, nbytes[layer]) for layer in sorted(range(len(ready)), key=lambda i: ready[i])]
''',
    },
}
