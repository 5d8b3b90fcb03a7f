"""Planted wrong solutions of the exercises on compilers: {grade_id: {what is wrong: whole cell, or edits}}."""

# Of the reference of compilers-merge: how it makes the key of a step, and what remains of that without constants.
KEY = '''
        if operation == "const":
            key = (operation, float(arguments[0]).hex())  # 0.0 and -0.0 are equal, but not the same
        else:
            arguments = [stands_for.get(argument, argument) for argument in arguments]
            key = (operation, *(sorted(arguments) if operation in ("add", "mul") else arguments))'''
ARGUMENTS = '''
        arguments = [stands_for.get(argument, argument) for argument in arguments]'''

WRONG = {
    "compilers-merge": {
        "right on the visible cases only: zero and minus zero are taken for one constant": [
            (KEY, ARGUMENTS + '''
        key = (operation, *(sorted(arguments) if operation in ("add", "mul") else arguments))''')],
        "merges draws of random numbers": [
            (KEY, ARGUMENTS + '''
        key = (operation, *map(repr, sorted(arguments) if operation in ("add", "mul") else arguments))'''),
            ('operation not in ("input", "draw")', 'operation != "input"')],
        "takes a - b for b - a": [
            (KEY, ARGUMENTS + '''
        key = (operation, *sorted(map(repr, arguments)))''')],
        "right, but nothing is saved": '''
def merge(nodes, outputs):
    return {"nodes": nodes, "outputs": outputs}
''',
        "looks only once, and misses what has become equal": [
            (KEY, '''
        key = (operation, *map(repr, sorted(arguments) if operation in ("add", "mul") else arguments))'''),
            ("kept.append([name, operation, arguments])",
             "kept.append([name, operation, [stands_for.get(argument, argument) for argument in arguments]])")],
    },
    "compilers-fold": {
        "right on the visible cases only: x + 0.0 is taken for x, which is wrong for minus zero": '''
def fold(nodes, outputs):
    known, same, folded = {}, {}, []
    for name, operation, arguments in nodes:
        if operation == "const":
            known[name] = np.float64(arguments[0])
        elif operation != "input":
            arguments = [same.get(a, a) for a in arguments]
            a, *rest = arguments
            b = rest[0] if rest else None
            if all(argument in known for argument in arguments):
                with np.errstate(all="ignore"):
                    known[name] = OPERATIONS[operation](*[known[argument] for argument in arguments])
                operation, arguments = "const", [float(known[name])]
            elif operation in ("mul", "div") and known.get(b) == 1 or operation in ("add", "sub") and known.get(b) == 0:
                same[name] = a
            elif operation == "mul" and known.get(a) == 1 or operation == "add" and known.get(a) == 0:
                same[name] = b
        folded.append([name, operation, arguments])
    outputs = [same.get(name, name) for name in outputs]
    needed, kept = set(outputs), []
    for node in reversed(folded):
        if node[0] in needed:
            needed.update(node[2] if node[1] != "const" else [])
            kept.append(node)
    return {"nodes": kept[::-1], "outputs": outputs}
''',
        "x * 0 is taken for 0": '''
def fold(nodes, outputs):
    known, same, kept = {}, {}, []
    for name, operation, arguments in nodes:
        if operation == "const":
            known[name] = np.float64(arguments[0])
        elif operation != "input":
            arguments = [same.get(a, a) for a in arguments]
            if all(argument in known for argument in arguments):
                known[name] = OPERATIONS[operation](*[known[argument] for argument in arguments])
                operation, arguments = "const", [float(known[name])]
            elif operation == "mul" and 0 in [known.get(a) for a in arguments]:
                operation, arguments, known[name] = "const", [0.0], np.float64(0)
            elif operation == "mul" and known.get(arguments[1]) == 1:
                same[name] = arguments[0]
                continue
        kept.append([name, operation, arguments])
    outputs = [same.get(name, name) for name in outputs]
    return {"nodes": [n for n in kept if n[0] != "unused"], "outputs": outputs}
''',
        "right, but what nobody needs is still computed": '''
def fold(nodes, outputs):
    known, folded = {}, []
    for name, operation, arguments in nodes:
        if operation == "const":
            known[name] = np.float64(arguments[0])
        elif operation != "input" and all(argument in known for argument in arguments):
            with np.errstate(all="ignore"):
                known[name] = OPERATIONS[operation](*[known[argument] for argument in arguments])
            operation, arguments = "const", [float(known[name])]
        folded.append([name, operation, arguments])
    return {"nodes": folded, "outputs": outputs}
''',
        "right, but nothing is folded": '''
def fold(nodes, outputs):
    return {"nodes": nodes, "outputs": outputs}
''',
    },
    "compilers-buffers": {
        "right on the visible cases only: an output that is read again gives its buffer away": '''
def buffers(nodes, outputs):
    last = {}
    for place, (name, _, arguments) in enumerate(nodes):
        for argument in arguments:
            last[argument] = place
        if name in outputs and name not in last:
            last[name] = len(nodes)
    if len(outputs) == 2 and outputs == ["e", "h"]:
        last["e"] = len(nodes)
    chosen, free, used = {}, [], 0
    for place, (name, operation, arguments) in enumerate(nodes):
        if operation in ("input", "const"):
            continue
        free += {chosen[a] for a in arguments if a in chosen and last[a] == place}
        if not free:
            free.append(used)
            used += 1
        chosen[name] = free.pop()
    return chosen
''',
        "right, but a buffer for each step": '''
def buffers(nodes, outputs):
    work = [name for name, operation, _ in nodes if operation not in ("input", "const")]
    return {name: number for number, name in enumerate(work)}
''',
        "right, but never in place": [
            ("(_, _, arguments)", "(name, _, arguments)"),
            ("free += {chosen[a] for a in arguments if a in chosen and last[a] == place}", ""),
            ('''if name not in last:
            free.append(chosen[name])  # nobody reads it''',
             "free += {chosen[a] for a in arguments if a in chosen and last[a] == place}")],
        "one buffer for all": '''
def buffers(nodes, outputs):
    return {name: 0 for name, operation, _ in nodes if operation not in ("input", "const")}
''',
        "gives a buffer free at the first reading": '''
def buffers(nodes, outputs):
    chosen, free, used = {}, [], 0
    for name, operation, arguments in nodes:
        if operation in ("input", "const"):
            continue
        for a in set(arguments):
            if a in chosen and a not in outputs and chosen[a] not in free:
                free.append(chosen[a])
        if not free:
            free.append(used)
            used += 1
        chosen[name] = free.pop()
    return chosen
''',
    },
    "compilers-one-graph": {
        "right on the visible cases only: a sum of zero goes the wrong way": [
            ('["positive", "greater", ["total", "zero"]]', '["negative", "greater", ["zero", "total"]]'),
            ('["positive", "share", "square"]', '["negative", "square", "share"]')],
        "frozen on the branch of the first vector": [
            ('["zero", "const", [0.0]], ', ""),
            ('["positive", "greater", ["total", "zero"]], ["share", "div", ["x", "total"]],',
             '["y", "div", ["x", "total"]]]'),
            ('["square", "mul", ["x", "x"]], ["y", "where", ["positive", "share", "square"]]]', "")],
        "the last step of the loop in every step": [
            ('[f"step{step}", "const", [float(step)]], ', ""),
            ('[f"double{step}", f"step{step}"]', '[f"double{step}", "two"]')],
        "chooses element by element": [('["total", "zero"]', '["x", "zero"]')],
    },
    "compilers-fuse": {
        "right on the visible cases only: by level, without computing anything again": '''
def fuse(nodes, outputs):
    step = {name: (operation, arguments) for name, operation, arguments in nodes}
    level, loops = {}, []
    for name, operation, arguments in nodes:
        if operation in ("input", "const"):
            continue
        level[name] = max([level[a] + (step[a][0] in REDUCE) for a in arguments if a in level], default=0)
        while len(loops) <= level[name]:
            loops.append([])
        loops[level[name]].append(name)
    return loops
''',
        "a new loop behind each reduction": '''
def fuse(nodes, outputs):
    loops = [[]]
    for name, operation, arguments in nodes:
        if operation in ("input", "const"):
            continue
        loops[-1].append(name)
        if operation in REDUCE:
            loops.append([])
    return [loop for loop in loops if loop]
''',
        "all in one loop, although a sum is not known yet": '''
def fuse(nodes, outputs):
    return [[name for name, operation, _ in nodes if operation not in ("input", "const")]]
''',
        "right, but a loop for each step": '''
def fuse(nodes, outputs):
    return [[name] for name, operation, _ in nodes if operation not in ("input", "const")]
''',
    },
    "compilers-recompiles": {
        "right on the visible cases only: a one first makes the next graph exact": [
            ("if exact and", "if exact - {1} and")],
        "each size once": '''
def compiles(sizes):
    return [size not in sizes[:place] for place, size in enumerate(sizes)]

def best_order(sizes):
    return sorted(sizes)
''',
        "one is like any other size": '''
def compiles(sizes):
    return [place == 0 or (size != sizes[0] and all(s == sizes[0] for s in sizes[:place]))
            for place, size in enumerate(sizes)]

def best_order(sizes):
    return sorted(sizes)
''',
        "the largest first": [
            ("return sorted(sizes)",
             '''many = sorted(sizes, reverse=True)
    return [s for s in many if s > 1][:1] + [s for s in sizes if s == 1] + [s for s in many if s > 1][1:]''')],
    },
    "compilers-earned": {
        "right on the visible cases only: divided as floats": [
            ("def earned_back",
             '''import math

def earned_back'''),
            ("-(-compile_us // saved)", "math.ceil(compile_us / saved)")],
        "the middles of the intervals": '''
def earned_back(compile_us, eager_us, compiled_us):
    saved = (sum(eager_us) - sum(compiled_us)) / 2
    calls = -int(-compile_us // saved) if saved > 0 else None
    return [calls, calls]
''',
        "a negative number of calls": '''
def earned_back(compile_us, eager_us, compiled_us):
    best, worst = eager_us[1] - compiled_us[0], eager_us[0] - compiled_us[1]
    return [-(-compile_us // best) if best else None, -(-compile_us // worst) if worst else None]
''',
        "rounded down": [("-(-compile_us // saved)", "compile_us // saved")],
    },
    "compilers-rung": {
        "right on the visible cases only: the first of the two networks is taken for the smaller one": [
            ("(t2 - t1) / (b2 - b1)", "abs(t2 - t1) / (max(b1, b2) - min(b1, b2))"),
            ("t1 - slope * b1", "t1 - slope * b1 if b1 < b2 else t1")],
        "no overhead: time goes with the bytes": '''
def best_rung(measured, ours):
    rates = {way: sum(t for _, t in pairs) / sum(b for b, _ in pairs) for way, pairs in measured.items()}
    way = min(rates, key=rates.get)
    return {"way": way, "seconds": rates[way] * ours, "overhead": 0.0}
''',
        "the way with the least overhead, for any network": '''
def best_rung(measured, ours):
    found = []
    for way, ((b1, t1), (b2, t2)) in measured.items():
        slope = (t2 - t1) / (b2 - b1)
        found.append((t1 - slope * b1, way, slope))
    overhead, way, slope = min(found)
    return {"way": way, "seconds": overhead + slope * ours, "overhead": overhead / (overhead + slope * ours)}
''',
    },
    "compilers-misheard": {
        "right on the visible cases only: fast, since it looks only near the diagonal": '''
def word_errors(said, heard):
    n, m = len(said), len(heard)
    row = {j: j for j in range(m + 1) if j <= 10}
    for i, word in enumerate(said.tolist(), 1):
        new = {}
        for j in range(max(i - 10, 0), min(i + 10, m) + 1):
            ways = [row.get(j, n + m) + 1, new.get(j - 1, n + m) + 1]
            new[j] = min(ways + ([row.get(j - 1, n + m) + (word != heard[j - 1])] if j else []))
        row = new
    return int(row.get(m, max(n, m)))
''',
        "fast but wrong: leaves out the neighbour in the row": [
            ("np.minimum.accumulate(new - column) + column", "new")],
        "fast but wrong: an answer is kept for texts of these lengths": [
            ("def word_errors", "known = {}\n\n\ndef word_errors"),
            ("    column = ", '''    if (len(said), len(heard)) in known:
        return known[len(said), len(heard)]
    column = '''),
            ("return int(row[-1])", '''known[len(said), len(heard)] = int(row[-1])
    return int(row[-1])''')],
        "slow but right: pair by pair in Python": '''
def word_errors(said, heard):
    said, heard = said.tolist(), heard.tolist()
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        left, diagonal = i, row[0]
        row[0] = i
        for j, other in enumerate(heard, 1):
            above = row[j]
            if word == other:
                left = diagonal
            else:
                left = 1 + min(left, diagonal, above)
            row[j], diagonal = left, above
    return row[-1]
''',
        "slow but right: the running minimum in Python": [
            ("def word_errors", "import itertools\n\n\ndef word_errors"),
            ("np.minimum.accumulate(new - column)",
             "np.array(list(itertools.accumulate((new - column).tolist(), min)))")],
        "right, but twice the time: there and back, to be sure": [
            ("def word_errors(said, heard):", '''def word_errors(said, heard):
    return min(one_way(said, heard), one_way(heard, said))


def one_way(said, heard):''')],
    },
}
