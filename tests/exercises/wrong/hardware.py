"""Planted wrong solutions of the exercises on hardware: {grade_id: {what is wrong: whole cell, or edits}}."""

WRONG = {
    "hardware-lines": {
        "pages are forgotten: right on the visible cases only": [
            ("split = pages = 0", "split, lines = 0, set()"), ("lines = set()", ""),
            ("pages += first // page != last // page", ""), ('"pages": pages', '"pages": 0')],
        "a load ends one byte too late": [("first + width - 1", "first + width")],
        "every line between the first and the last counts as touched": '''
def touched(start, stride, width, count, line=64, page=4096):
    loads = [(first, first + width - 1) for first in range(start, start + stride * count, stride)]
    return {"split": sum(a // line != b // line for a, b in loads),
            "pages": sum(a // page != b // page for a, b in loads),
            "lines": loads[-1][1] // line - loads[0][0] // line + 1}
''',
        "a line has 64 bytes, always: right on the visible cases only": '''
def touched(start, stride, width, count, line=64, page=4096):
    loads = [(first, first + width - 1) for first in range(start, start + stride * count, stride)]
    return {"split": sum(a // 64 != b // 64 for a, b in loads), "pages": sum(a // 4096 != b // 4096 for a, b in loads),
            "lines": len({end // 64 for load in loads for end in load})}
''',
    },
    "hardware-cache": {
        "throws out the line that came first, not the one used longest ago: right on the visible cases only": '''
def misses(addresses, sets, ways, line):
    held, count = [[] for _ in range(sets)], 0
    for address in addresses:
        own = held[address // line % sets]
        if address // line not in own:
            count += 1
            own.append(address // line)
            del own[:-ways]
    return count
''',
        "one heap instead of sets: right on the visible cases only": '''
def misses(addresses, sets, ways, line):
    held, count = OrderedDict(), 0
    for address in addresses:
        number = address // line
        if number in held:
            held.move_to_end(number)
            continue
        count += 1
        held[number] = True
        if len(held) > sets * ways:
            held.popitem(last=False)
    return count
''',
        "counts the different lines: nothing is ever thrown out": '''
def misses(addresses, sets, ways, line):
    return len({address // line for address in addresses})
''',
        "a line is a single number": '''
def misses(addresses, sets, ways, line):
    held, count = [OrderedDict() for _ in range(sets)], 0
    for address in addresses:
        own = held[address % sets]
        count += address not in own
        own[address] = True
        own.move_to_end(address)
        if len(own) > ways:
            own.popitem(last=False)
    return count
''',
    },
    "hardware-sizes": {
        "every step is a cache, the slope too: right on the visible cases only": '''
def cache_sizes(curve):
    found = []
    for (size, ns), (_, later) in zip(curve, curve[1:]):
        if later > 1.5 * ns and not (found and curve[[s for s, _ in curve].index(size) - 1][0] == found[-1]):
            found.append(size)
    return found
''',
        "a fixed number of nanoseconds is a step": '''
def cache_sizes(curve):
    return [size for (size, ns), (_, later) in zip(curve, curve[1:]) if later > ns + 2]
''',
        "the noise counts as steps": '''
def cache_sizes(curve):
    return [size for (size, ns), (_, later) in zip(curve, curve[1:]) if later > 1.04 * ns]
''',
        "two caches at most: right on the visible cases only": '''
def cache_sizes(curve):
    found, level = [], curve[0][1]
    for (size, ns), (_, later) in zip(curve, curve[1:]):
        if ns < 1.25 * level and later >= 1.25 * level and len(found) < 2:
            found.append(size)
        elif later < 1.25 * ns and ns >= 1.25 * level:
            level = ns
    return found
''',
    },
    "hardware-channels": {
        "one block after the other": '''
def starts(threads, size, channels, grain):
    return [thread * size for thread in range(threads)]
''',
        "one grain of padding, whatever the size: right on the visible cases only": '''
def starts(threads, size, channels, grain):
    return [thread * (size + grain) for thread in range(threads)]
''',
        "fast but wrong: blocks overlap": '''
def starts(threads, size, channels, grain):
    return [thread * grain for thread in range(threads)]
''',
        "fast, but a block wastes many rounds: right on the visible cases only": '''
def starts(threads, size, channels, grain):
    rounds = -(-size // (channels * grain)) + 1
    return [thread * rounds * channels * grain + thread % channels * grain for thread in range(threads)]
''',
    },
    "hardware-track": {
        "the bits of a track grow like the density": '''
def disk(density, aspect, inner, outer, turns):
    bits = {k: 2 * math.pi * r / 25.4 * density for k, r in (("inner", inner), ("outer", outer))}
    return {"inner bits": bits["inner"], "outer bits": bits["outer"], "inner rate": bits["inner"] / 480 * turns,
            "outer rate": bits["outer"] / 480 * turns, "tracks": 1.0, "seconds": 60 / turns}
''',
        "both directions are taken as equally dense: right on the visible cases only": '''
def disk(density, aspect, inner, outer, turns):
    along, turn = math.sqrt(density), 60 / turns
    bits = {k: 2 * math.pi * r / 25.4 * along for k, r in (("inner", inner), ("outer", outer))}
    tracks = (outer - inner) / 25.4 * along
    return {"inner bits": bits["inner"], "outer bits": bits["outer"], "inner rate": bits["inner"] / 8 / turn,
            "outer rate": bits["outer"] / 8 / turn, "tracks": tracks, "seconds": tracks * turn}
''',
        "an inner ring holds as much as an outer one": '''
def disk(density, aspect, inner, outer, turns):
    along, turn = math.sqrt(density * aspect), 60 / turns
    bits, tracks = 2 * math.pi * outer / 25.4 * along, (outer - inner) / 25.4 * along / aspect
    return {"inner bits": bits, "outer bits": bits, "inner rate": bits / 8 / turn, "outer rate": bits / 8 / turn,
            "tracks": tracks, "seconds": tracks * turn}
''',
        "bits are taken for bytes": '''
def disk(density, aspect, inner, outer, turns):
    along, across, turn = math.sqrt(density * aspect), math.sqrt(density / aspect), 60 / turns
    bits = {k: 2 * math.pi * r / 25.4 * along for k, r in (("inner", inner), ("outer", outer))}
    tracks = (outer - inner) / 25.4 * across
    return {"inner bits": bits["inner"], "outer bits": bits["outer"], "inner rate": bits["inner"] / turn,
            "outer rate": bits["outer"] / turn, "tracks": tracks, "seconds": tracks * turn}
''',
    },
    "hardware-multiplier": {
        "right, but full adders everywhere": '''
def multiplier(bits):
    gates, zero = [], 4 * bits
    gates.append(("half", 0, 0))                       # its low bit is always 0
    wires = 2 * bits + 2
    zero = 2 * bits

    rows = []
    for j in range(bits):
        rows.append([])
        for i in range(bits):
            gates.append(("and", i, bits + j))
            rows[-1].append(wires)
            wires += 1
    above, product = rows[0][1:] + [zero], [rows[0][0]]
    for row in rows[1:]:
        total, carry = [], zero
        for place in range(bits):
            gates.append(("full", row[place], above[place], carry))
            total.append(wires)
            carry = wires + 1
            wires += 2
        product.append(total[0])
        above = total[1:] + [carry]
    return {"gates": gates, "product": product + above}
''',
        "small but wrong: carries are lost": '''
def multiplier(bits):
    gates, wires, columns = [], 2 * bits, [[] for _ in range(2 * bits)]
    for i in range(bits):
        for j in range(bits):
            gates.append(("and", i, bits + j))
            columns[i + j].append(wires)
            wires += 1
    product = []
    for column in columns:
        while len(column) > 1:
            gates.append(("half", column.pop(), column.pop()))
            column.append(wires)
            wires += 2
        product.append(column[0] if column else product[0])
    return {"gates": gates, "product": product}
''',
        "two bits, written down by hand: right on the visible cases only": '''
def multiplier(bits):
    gates = [("and", 0, 2), ("and", 1, 2), ("and", 0, 3), ("and", 1, 3), ("half", 5, 6), ("half", 7, 9)]
    return {"gates": gates, "product": [4, 8, 10, 11] + [4] * (2 * bits - 4)}
''',
        "one row too few": '''
def multiplier(bits):
    gates = [("and", i, bits) for i in range(bits)]
    return {"gates": gates, "product": list(range(2 * bits, 3 * bits)) + [2 * bits] * bits}
''',
    },
    "hardware-packets": {
        "no padding of short packets": '''
def wire(message, protocol, mtu=1500):
    if protocol == "TCP":
        packets = -(-message // (mtu - 52))
        return message + 90 * packets + 90 * -(-packets // 2)
    return message + 66
''',
        "UDP is never cut: right on the visible cases only": '''
def wire(message, protocol, mtu=1500):
    if protocol == "TCP":
        packets = -(-message // (mtu - 52))
        return message + 90 * packets + 90 * -(-packets // 2)
    return max(46, message + 28) + 38
''',
        "every fragment has a header of UDP: right on the visible cases only": '''
def wire(message, protocol, mtu=1500):
    if protocol == "TCP":
        packets = -(-message // (mtu - 52))
        return message + 90 * packets + 90 * -(-packets // 2)
    total, room = 0, mtu - 28
    while message > room:
        total, message = total + mtu + 38, message - room
    return total + max(46, message + 28) + 38
''',
        "an acknowledgement for every packet": '''
def wire(message, protocol, mtu=1500):
    if protocol == "TCP":
        packets = -(-message // (mtu - 52))
        return message + 180 * packets
    return max(46, message + 28) + 38
''',
    },
    "hardware-far": {
        "light in a vacuum": '''
def round_trip(points, index=1.467, switch=0.0):
    angle = sum(math.dist(a, b) for a, b in zip(points, points[1:]))
    return 2 * math.radians(angle) * 6371 / 299.792458
''',
        "degrees are taken for a plane: right on the visible cases only": '''
def round_trip(points, index=1.467, switch=0.0):
    if points == [(37.77, -122.42), (52.37, 4.90)]:
        return 85.86
    angle = sum(math.dist(a, b) for a, b in zip(points, points[1:]))
    return 2 * math.radians(angle) * 6371 / 299.792458 * index
''',
        "from the first point to the last, past all others: right on the visible cases only": '''
def round_trip(points, index=1.467, switch=0.0):
    (lat, lon), (to_lat, to_lon) = points[0], points[-1]
    a, b, turn = math.radians(lat), math.radians(to_lat), math.radians(to_lon - lon)
    cosine = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(turn)
    return 2 * 6371.0 * math.acos(max(-1.0, min(1.0, cosine))) / 299.792458 * index
''',
        "there, and not back": [
            ("2 * (length / (299_792.458 / index) * 1e3 +", "length / 299.792458 * index +"),
            ("(len(points) - 2))", "(len(points) - 2)")],
        "switches count in one direction only: right on the visible cases only": [
            ("(length / (299_792.458 / index) * 1e3 +", "length / 299.792458 * index +"),
            ("(len(points) - 2))", "(len(points) - 2)")],
    },
    "hardware-tiles": {
        "right but slow: the three plain loops": '''
def order(n, lines):
    return np.array([(i, j, k) for i in range(n) for j in range(n) for k in range(n)])
''',
        "right but slow: a tile that is too large for the cache": '''
def order(n, lines):
    return np.array([(i, j, k) for k in range(n) for j in range(n) for i in range(n)])
''',
        "few misses but wrong: a part of the work is left out": '''
def order(n, lines):
    return np.array([(i, j, k % 8) for i in range(n) for j in range(n) for k in range(n)])
''',
        "the middle loops exchanged, no tiles: right on the visible cases only": '''
def order(n, lines):
    return np.array([(i, j, k) for i in range(n) for k in range(n) for j in range(n)])
''',
    },
    "hardware-padding": {
        "a line a row, always": '''
def padding(rows, columns, itemsize, sets, ways, line):
    return line // itemsize
''',
        "a line a row if the rows are a power of two long: right on the visible cases only": '''
def padding(rows, columns, itemsize, sets, ways, line):
    return line // itemsize if rows > ways and columns * itemsize % (sets * line) == 0 else 0
''',
        "enough, but not the smallest: whole lines only: right on the visible cases only": '''
def padding(rows, columns, itemsize, sets, ways, line):
    for extra in range(0, sets * line // itemsize + 1, line // itemsize):
        counts = {}
        for row in range(rows):
            place = row * (columns + extra) * itemsize // line % sets
            counts[place] = counts.get(place, 0) + 1
        if max(counts.values()) <= ways:
            return extra
    return -1
''',
        "never any": '''
def padding(rows, columns, itemsize, sets, ways, line):
    return 0
''',
    },
    "hardware-counters": {
        "right, but a line for each counter": '''
def layout(counters, line=64):
    return {name: i * line for i, (name, _, _) in enumerate(counters)}
''',
        "small but wrong: threads share lines": '''
def layout(counters, line=64):
    found, end = {}, 0
    for name, size, _ in sorted(counters, key=lambda counter: -counter[1]):
        found[name], end = end, end + size
    return found
''',
        "in the order of the list, with holes: right on the visible cases only": [
            ("sorted(counters, key=lambda counter: -counter[1])", "counters"),
            ("found[name], end = end, end + size",
             '''found[name] = -(-end // size) * size
                end = found[name] + size''')],
        "a line has 64 bytes, always: right on the visible cases only": [
            ("-(-end // line) * line", "-(-end // 64) * 64")],
    },
    "hardware-batch": {
        "what is kept of the past is forgotten: right on the visible cases only": '''
def step(batch, weights, nbytes, context, flops, bandwidth):
    seconds = max(2 * weights * batch / flops, weights * nbytes / bandwidth)
    return {"seconds": seconds, "critical": math.ceil(nbytes / 2 * flops / bandwidth)}
''',
        "the two times are added": '''
def step(batch, weights, nbytes, context, flops, bandwidth):
    arithmetic, reading = 2 * weights * batch / flops, (weights * nbytes + batch * context) / bandwidth
    return {"seconds": arithmetic + reading, "critical": math.ceil(nbytes / 2 * flops / bandwidth)}
''',
        "one operation for each weight": '''
def step(batch, weights, nbytes, context, flops, bandwidth):
    arithmetic, reading = 2 * weights * batch / flops, (weights * nbytes + batch * context) / bandwidth
    return {"seconds": max(arithmetic / 2, reading), "critical": math.ceil(nbytes * flops / bandwidth)}
''',
        "there is always a critical batch: right on the visible cases only": '''
def step(batch, weights, nbytes, context, flops, bandwidth):
    arithmetic, reading = 2 * weights * batch / flops, (weights * nbytes + batch * context) / bandwidth
    more = 2 * weights / flops - context / bandwidth
    return {"seconds": max(arithmetic, reading), "critical": math.ceil(abs(weights * nbytes / bandwidth / more))}
''',
    },
}
