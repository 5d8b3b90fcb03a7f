"""Planted wrong solutions of the exercises on parallelism: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "parallelism-saved": {
        "one piece divides by zero: right on the visible cases only": [(" if most > least else None", "")],
        "knows two pieces only: right on the visible cases only": [
            ("least, most = max(alone), sum(alone)",
             '''first, second = alone[0], alone[-1]
    least, most = max(first, second), first + second'''),
            (" if most > least else None", "")],
        "the share is one of the sum": [
            ("share = (most - together) / (most - least) if most > least else None", ""),
            ('"share": share', '"share": (most - together) / most')],
        "an impossible gain is cut to a perfect one": '''
def saved(alone, together):
    least, most = max(alone), sum(alone)
    together = min(max(together, least), most)
    share = (most - together) / (most - least) if most > least else None
    return {"least": least, "most": most, "share": share, "verdict": "possible"}
''',
    },
    "parallelism-trace": {
        "durations are added, so that an operator within another counts twice: right on the visible cases only": '''
def read_trace(text):
    events = [event for event in json.loads(text)["traceEvents"] if event.get("ph") == "X"]
    whole = max(e["ts"] + e["dur"] for e in events) - min(e["ts"] for e in events)
    lanes = {}
    for event in sorted(events, key=lambda e: e["ts"]):
        lanes.setdefault(str(event["tid"]), []).append(event)
    copies = [e for e in events if e["name"].startswith("Memcpy")]
    computing = [e for e in events if not e["name"].startswith("Memcpy")]
    both = sum(max(0, min(a["ts"] + a["dur"], b["ts"] + b["dur"]) - max(a["ts"], b["ts"]))
               for a in copies for b in computing)
    gaps = [(after["ts"] - before["ts"] - before["dur"], lane, after["name"])
            for lane, own in lanes.items() for before, after in zip(own, own[1:])]
    longest = max(gaps, default=None)
    return {"busy": {lane: sum(e["dur"] for e in own) / whole for lane, own in lanes.items()},
            "hidden": both / sum(e["dur"] for e in copies) if copies else 0.0,
            "gap": [longest[1], longest[0], longest[2]] if longest else None}
''',
        "every event counts, also those without a duration": '''
def read_trace(text):
    events = json.loads(text)["traceEvents"]
    whole = max(e.get("ts", 0) + e.get("dur", 0) for e in events)
    busy = {}
    for event in events:
        busy[str(event["tid"])] = busy.get(str(event["tid"]), 0) + event.get("dur", 0) / whole
    return {"busy": busy, "hidden": 0.5, "gap": ["1", 2, "mm"]}
''',
        "the whole time starts at zero: right on the visible cases only": [
            (' - min(e["ts"] for e in events)', ""),
            ('''    def length(spans):
        return sum(end - start for start, end, _ in spans)''',
             ""),
            ("length(spans)", "sum(s[1] - s[0] for s in spans)"),
            ("length(copies)", "sum(s[1] - s[0] for s in copies)")],
        "the share of the computation that has a copy beside it": '''
def read_trace(text):
    return {"busy": {"1": 0.8, "2": 0.2}, "hidden": 1 / 8, "gap": ["1", 2, "mm"]}
''',
    },
    "parallelism-groups": {
        "each lane pays for its own hand-overs": [
            ("free, handed = [0] * lanes, 0", "free = [0] * lanes"), ("handed += hand_over", ""),
            ("start = max(handed, heapq.heappop(free))", ""),
            ("start + each", "heapq.heappop(free) + hand_over + each")],
        "one group for each lane, always": [("min(good, default=0)", "-(-count // lanes) if good else 0")],
        "the last group is as large as the others": [("min(group, count - first)", "group")],
        "always two lanes: right on the visible cases only": [("[0] * lanes", "[0, 0]")],
        "the fastest group, not the smallest that is good enough": [
            ("min(good, default=0)", "1 + times.index(min(times)) if good else 0")],
    },
    "parallelism-pipeline": {
        "right, but one stage after the other": '''
def plan(items, stages):
    found, now = [], 0
    for stage, (overhead, each) in enumerate(stages):
        found.append((stage, 0, items, now))
        now += overhead + each * items
    return found
''',
        "item by item, whatever a piece costs: right on the visible cases only": '''
def plan(items, stages):
    found, free = [], [0] * len(stages)
    for item in range(items):
        ready = 0
        for stage, (overhead, each) in enumerate(stages):
            start = max(ready, free[stage])
            found.append((stage, item, 1, start))
            ready = free[stage] = start + overhead + each
    return found
''',
        "fast but wrong: nobody waits for the stage before": '''
def plan(items, stages):
    return [(stage, 0, items, 0) for stage in range(len(stages))]
''',
        "fast but wrong: a stage works on all pieces at once": '''
def plan(items, stages):
    found = []
    for item in range(items):
        now = 0
        for stage, (overhead, each) in enumerate(stages):
            found.append((stage, item, 1, now))
            now += overhead + each
    return found
''',
    },
    "parallelism-bounds": {
        "one critical path only: right on the visible cases only": '''
def bounds(needs, seconds, lanes):
    ends, why = {}, {}

    def end(task):
        if task not in ends:
            why[task] = max(needs[task], key=end, default=None)
            ends[task] = seconds[task] + (end(why[task]) if why[task] else 0)
        return ends[task]

    task = max(needs, key=end)
    path, critical = ends[task], []
    while task:
        critical.append(task)
        task = why[task]
    return {"path": path, "work": sum(seconds.values()) / lanes, "critical": [t for t in needs if t in critical]}
''',
        "a path is measured in tasks, not in seconds": '''
def bounds(needs, seconds, lanes):
    def depth(task):
        return 1 + max((depth(need) for need in needs[task]), default=0)

    path = max(depth(task) for task in needs)
    return {"path": path, "work": sum(seconds.values()) / lanes, "critical": [t for t in needs if depth(t) == path]}
''',
        "only what ends last is critical": '''
def bounds(needs, seconds, lanes):
    def end(task):
        return seconds[task] + max((end(need) for need in needs[task]), default=0)

    path = max(end(task) for task in needs)
    return {"path": path, "work": sum(seconds.values()) / lanes, "critical": [t for t in needs if end(t) == path]}
''',
        "the work is not divided by the lanes": '''
def bounds(needs, seconds, lanes):
    return {"path": 3, "work": float(sum(seconds.values())), "critical": ["a", "b"]}
''',
    },
    "parallelism-schedule": {
        "right but slow: one lane": '''
def schedule(needs, seconds, lanes, hop):
    now, found = 0, []
    while len(found) < len(needs):
        done = [task for task, *_ in found]
        task = next(t for t in needs if t not in done and all(need in done for need in needs[t]))
        found.append((task, 0, now))
        now += seconds[task]
    return found
''',
        "right but slow: who stands first in the graph goes first": '''
def schedule(needs, seconds, lanes, hop):
    free, ends, found = [0] * lanes, {}, []
    while len(found) < len(needs):
        start, _, lane, task = min(
            (max([free[lane]] + [ends[n][1] + hop * (ends[n][0] != lane) for n in needs[task]]), place, lane, task)
            for place, task in enumerate(needs) if task not in ends and all(n in ends for n in needs[task])
            for lane in range(lanes))
        free[lane] = start + seconds[task]
        ends[task] = lane, free[lane]
        found.append((task, lane, start))
    return found
''',
        "fast but wrong: a hop costs nothing: right on the visible cases only": '''
def schedule(needs, seconds, lanes, hop):
    def way(task):
        return seconds[task] + max((way(other) for other in needs if task in needs[other]), default=0)

    order = sorted(needs, key=way, reverse=True)
    free, ends, found = [0] * lanes, {}, []
    while len(found) < len(needs):
        start, _, lane, task = min(
            (max([free[lane]] + [ends[n] for n in needs[task]]), place, lane, task)
            for place, task in enumerate(order) if task not in ends and all(n in ends for n in needs[task])
            for lane in range(lanes))
        free[lane] = ends[task] = start + seconds[task]
        found.append((task, lane, start))
    return found
''',
        "fast but wrong: nobody waits": '''
def schedule(needs, seconds, lanes, hop):
    free, found = [0] * lanes, []
    for task in sorted(needs, key=seconds.get, reverse=True):
        lane = free.index(min(free))
        found.append((task, lane, free[lane]))
        free[lane] += seconds[task]
    return found
''',
    },
    "parallelism-beside": {
        "forgets that a later write may spoil an earlier read: right on the visible cases only": [
            ("{*other_reads, *other_writes}", "{*other_writes}")],
        "forgets chains": '''
def side_by_side(operations):
    return [(a, b) for (a, reads, writes), (b, later_reads, later_writes) in itertools.combinations(operations, 2)
            if not {*writes} & {*later_reads, *later_writes} and not {*reads} & {*later_writes}]
''',
        "two readers of one variable keep an order": [
            ("{*writes} & {*other_reads, *other_writes} or {*reads} & {*other_writes}",
             "{*reads, *writes} & {*other_reads, *other_writes}")],
        "forgets two writes of one variable: right on the visible cases only": [
            ("{*other_reads, *other_writes}", "{*other_reads}")],
    },
    "parallelism-race": {
        "looks for reads of what was written only: right on the visible cases only": '''
def races(operations, waits):
    before, last = {}, {}
    for name, stream, _, _ in operations:
        before[name] = set()
        for earlier in [last.get(stream)] + [earlier for later, earlier in waits if later == name]:
            if earlier is not None:
                before[name] |= {earlier} | before[earlier]
        last[stream] = name
    return [(a, b, buffer) for (a, _, _, writes), (b, _, reads, _) in itertools.combinations(operations, 2)
            if a not in before[b] for buffer in writes if buffer in reads]
''',
        "a wait orders its two operations and no others: right on the visible cases only": '''
def races(operations, waits):
    found = []
    for (a, s, reads, writes), (b, t, later_reads, later_writes) in itertools.combinations(operations, 2):
        if s != t and (b, a) not in waits:
            shared = {*writes} & {*later_reads, *later_writes} | {*reads} & {*later_writes}
            found += [(a, b, buffer) for buffer in sorted(shared)]
    return found
''',
        "streams are believed to keep the order of the queue": '''
def races(operations, waits):
    return []
''',
        "two operations of one stream are believed to race": '''
def races(operations, waits):
    found = []
    for (a, _, reads, writes), (b, _, later_reads, later_writes) in itertools.combinations(operations, 2):
        if (b, a) not in waits:
            shared = {*writes} & {*later_reads, *later_writes} | {*reads} & {*later_writes}
            found += [(a, b, buffer) for buffer in sorted(shared)]
    return found
''',
    },
    "parallelism-arrows": {
        "an arrow for every pair that shares a buffer: right on the visible cases only": '''
def place(operations):
    return [(b, a) for (a, s, reads, writes), (b, t, later_reads, later_writes) in itertools.combinations(operations, 2)
            if s != t and ({*writes} & {*later_reads, *later_writes} or {*reads} & {*later_writes})]
''',
        "fast but wrong: forgets who still reads: right on the visible cases only": '''
def place(operations):
    found = []
    for number, (name, stream, reads, _) in enumerate(operations):
        for buffer in reads:
            writers = [(other, own) for other, own, _, writes in operations[:number] if buffer in writes]
            if writers and writers[-1][1] != stream:
                found.append((name, writers[-1][0]))
    return found
''',
        "right but slow: everything waits for what was queued before": '''
def place(operations):
    return [(b[0], a[0]) for a, b in zip(operations, operations[1:]) if a[1] != b[1]]
''',
        "no arrows at all": '''
def place(operations):
    return []
''',
    },
    "parallelism-memory": {
        "the first order that is allowed": '''
def order(needs, sizes):
    found = []
    while len(found) < len(needs):
        found.append(next(t for t in needs if t not in found and all(n in found for n in needs[t])))
    return found
''',
        "the next task is the one that leaves the least: right on the visible cases only": '''
def order(needs, sizes):
    users = {task: [other for other in needs if task in needs[other]] for task in needs}

    def held(done):
        return sum(sizes[t] for t in done if not users[t] or any(user not in done for user in users[t]))

    found = []
    while len(found) < len(needs):
        ready = [t for t in needs if t not in found and all(n in found for n in needs[t])]
        found.append(min(ready, key=lambda t: held([*found, t])))
    return found
''',
        "small peak but wrong: a task comes before what it needs": '''
def order(needs, sizes):
    return sorted(needs, key=sizes.get)
''',
        "breadth first": '''
def order(needs, sizes):
    def depth(task):
        return 1 + max((depth(need) for need in needs[task]), default=0)

    return sorted(needs, key=depth)
''',
    },
    "parallelism-lost": {
        "all load, then all store: right on the visible cases only": '''
def worst(threads, rounds):
    return list(range(threads)) * 2 * rounds
''',
        "one thread sleeps through all others: right on the visible cases only": '''
def worst(threads, rounds):
    others = [other for other in range(1, threads) for _ in range(2 * rounds)]
    return [0] + others + [0] * (2 * rounds - 1)
''',
        "one after the other": '''
def worst(threads, rounds):
    return [thread for thread in range(threads) for _ in range(2 * rounds)]
''',
        "small but wrong: the others never run": '''
def worst(threads, rounds):
    return [0, 0]
''',
    },
    "parallelism-locked": {
        "a job without the lock divides by zero: right on the visible cases only": '''
def locked(held, free, threads):
    return {"gain": float(min(threads, (held + free) / held)), "enough": -(-(held + free) // held)}
''',
        "Amdahl's law, which is for long jobs": '''
def locked(held, free, threads):
    share = held / (held + free)
    return {"gain": 1 / (share + (1 - share) / threads), "enough": 0 if not held else -(-(held + free) // held)}
''',
        "one thread too few where the bound is no whole number": [
            ("-(-(held + free) // held)", "(held + free) // held")],
        "two threads at most: right on the visible cases only": [
            ("min(threads, (held + free) / held)", "min(2, threads, (held + free) / held)"),
            ("-(-(held + free) // held)", "min(2, -(-(held + free) // held))")],
    },
}
