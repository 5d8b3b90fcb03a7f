"""Planted wrong solutions of the exercises on parameter servers: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "parameter-servers-shards": {
        "whole keys, so that one server has nearly all": '''
def shards(sizes, servers):
    return [{"key": key, "begin": 0, "end": size, "server": i % servers} for i, (key, size) in enumerate(sizes.items())]
''',
        "every key is cut for every server, too many pieces": '''
def shards(sizes, servers):
    return [{"key": key, "begin": size * s // servers, "end": size * (s + 1) // servers, "server": s}
            for key, size in sizes.items() for s in range(servers) if size * s // servers < size * (s + 1) // servers]
''',
        "right on the visible cases only: the last server gets what is left, which was nothing there": [
            ("total * server // servers", "total // servers * server"),
            ("total * (server + 1) // servers",
             "(total // servers * (server + 1) if server < servers - 1 else total)")],
    },
    "parameter-servers-serve": {
        "asynchronous, every push counts at once and nobody waits": '''
def serve(values, workers, events):
    values, answers = dict(values), []
    for kind, worker, key, *gradient in events:
        if kind == "push":
            values[key] -= gradient[0]
        else:
            answers.append((worker, key, values[key]))
    return answers
''',
        "right on the visible cases only: pulls that have waited are answered by worker, not as they came": [
            ("for w, k, after in waiting", "for w, k, after in sorted(waiting)")],
        "as many pushes as workers make a round, whoever they are from": [
            ("if all(held[key])", "if sum(map(len, held[key])) >= workers"),
            ("for queue in held[key]", "for queue in held[key] for _ in range(len(queue))")],
        "every pull waits until no push of anybody is held": [
            ("if rounds[k] >= after", "if rounds[k] >= after and not any(held[k])"),
            ("if rounds[pull[1]] < pull[2]", "if rounds[pull[1]] < pull[2] or any(held[pull[1]])")],
    },
    "parameter-servers-released": {
        "one step less of slack": [("min(clock) >=", "min(clock) >")],
        "a worker that is done still holds the others up": [
            ('1 if kind == "push" else float("inf")', '(kind == "push")')],
        "right on the visible cases only: looks at one other worker, not at the slowest of all": [
            ("(place, clock[worker])", "(place, worker, clock[worker])"),
            ("for pull, own in list(waiting):",
             '''for pull, who, own in list(waiting):
            other = clock[1 - who] if who < 2 else clock[0]'''),
            ("min(clock)", "min(other, clock[who])"), ("(pull, own)", "(pull, who, own)")],
        "the clock when a pull is answered counts, not when it was asked": [
            ("own - slack", "clock[events[pull][1]] - slack")],
    },
    "parameter-servers-straggler": {
        "one step of slack too many": [("row[t - slack]", "row[t - slack - 1]")],
        "right on the visible cases only: with any slack nobody waits": [
            ("row[t - slack] for row in ends) if t > slack", "row[t] for row in ends) if slack == 0")],
        "always as much slack as there are steps": [
            ("least = total(pauses, len(pauses[0]))", ""),
            ("next(s for s in range(len(pauses[0]) + 1) if total(pauses, s) - least <= extra)", "len(pauses[0])")],
    },
    "parameter-servers-once": {
        "every delivery counts": '''
def receive(state, messages):
    values = dict(state["values"]) if state else {}
    for message in messages:
        values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values}
''',
        "remembers the newest number only, and drops what is late": '''
def receive(state, messages):
    state = state or {"values": {}, "newest": {}}
    values, newest = dict(state["values"]), dict(state["newest"])
    for message in messages:
        if message["number"] > newest.get(message["worker"], -1):
            newest[message["worker"]] = message["number"]
            values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values, "newest": newest}
''',
        "remembers every push for ever": '''
def receive(state, messages):
    state = state or {"values": {}, "seen": []}
    values, seen = dict(state["values"]), [tuple(pair) for pair in state["seen"]]
    for message in messages:
        if (message["worker"], message["number"]) not in set(seen[-4000:]):
            seen.append((message["worker"], message["number"]))
            values[message["key"]] = values.get(message["key"], 0) + message["gradient"]
    return {"values": values, "seen": [list(pair) for pair in seen]}
''',
        "right on the visible cases only: a number is taken for seen whoever has sent it": '''
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
        "changes as they came, copies and old ones included": '''
def rebuild(snapshot, log):
    number, values = snapshot["number"], dict(snapshot["values"])
    for change in log:
        before = values.get(change["key"], 0) if change["kind"] == "add" else 0
        values[change["key"]] = before + change["value"]
        number = max(number, change["number"])
    return {"number": number, "values": values}
''',
        "right on the visible cases only: goes on beyond a gap": [
            ("for change in log}", 'for change in log if change["number"] > number}'),
            ("while number + 1 in changes", "for number in sorted(changes)"), ("number += 1", "")],
        "says the newest number of the log, though it came after a gap": [
            ('"number": number,', '"number": max([number, *changes]),')],
        "an added value replaces the old one": [('change["kind"] == "add"', 'change["kind"] == "set"')],
    },
    "parameter-servers-save": {
        "right on the visible cases only: only the last part is synced": [
            (' | {"latest.new": str(number)}', ""),
            ('("sync", name) for name in files',
             '("sync", list(files)[-1]), ("write", "latest.new", str(number)), ("sync", "latest.new")')],
        "no sync at all": '''
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}
    return [*(("write", name, text) for name, text in files.items()), ("rename", "latest.new", "latest")]
''',
        "latest is written in place": '''
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()}
    operations = [("write", name, text) for name, text in files.items()] + [("sync", name) for name in files]
    return [*operations, ("sync folder",), ("write", "latest", str(number)), ("sync", "latest")]
''',
        "the names of the parts are not synced before the rename": '''
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}
    operations = [("write", name, text) for name, text in files.items()] + [("sync", name) for name in files]
    return [*operations, ("rename", "latest.new", "latest"), ("sync folder",)]
''',
        "the rename is never synced, and may be lost when all is done": '''
def save(number, parts):
    files = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}
    operations = [("write", name, text) for name, text in files.items()] + [("sync", name) for name in files]
    return [*operations, ("sync folder",), ("rename", "latest.new", "latest")]
''',
        "right, but it syncs the folder after every operation": '''
def save(number, parts):
    files, found = {f"{name}-{number}": text for name, text in parts.items()} | {"latest.new": str(number)}, []
    for name, text in files.items():
        found += [("write", name, text), ("sync", name), ("sync folder",)]
    return [*found, ("rename", "latest.new", "latest"), ("sync folder",), ("sync folder",)]
''',
    },
    "parameter-servers-order": {
        "in the order in which gradients are ready": '''
def order(ready, nbytes, rate, piece):
    found = []
    for layer in sorted(range(len(ready)), key=lambda i: ready[i]):
        while sum(size for i, size in found if i == layer) < nbytes[layer]:
            found.append((layer, min(piece, nbytes[layer] - sum(size for i, size in found if i == layer))))
    return found
''',
        "waits for all gradients, and then sends the first layer first": '''
def order(ready, nbytes, rate, piece):
    return [(layer, min(piece, size - done)) for layer, size in enumerate(nbytes) for done in range(0, size, piece)]
''',
        "right on the visible cases only: first example by heart, else overtakes only between gradients": '''
def order(ready, nbytes, rate, piece):
    now, left, found = 0.0, set(range(len(ready))), []
    if len(ready) == 2:
        return [(1, 2), (0, 2), (0, 2), (1, 2), (1, 2)]
    while left:
        now = max(now, min(ready[i] for i in left))
        layer = min(i for i in left if ready[i] <= now)
        found += [(layer, min(piece, nbytes[layer] - done)) for done in range(0, nbytes[layer], piece)]
        now += nbytes[layer] / rate
        left.remove(layer)
    return found
''',
        "whole gradients, however long": '''
def order(ready, nbytes, rate, piece):
    return [(layer, nbytes[layer]) for layer in sorted(range(len(ready)), key=lambda i: ready[i])]
''',
    },
}
