"""Planted wrong solutions of the exercises on compilers: {grade_id: {what is wrong: the whole solution cell}}."""

WRONG = {
    "compilers-merge": {
        "right on the visible cases only: zero and minus zero are taken for one constant": '''
def merge(nodes, outputs):
    kept, first, stands_for = [], {}, {}
    for name, operation, arguments in nodes:
        arguments = [stands_for.get(argument, argument) for argument in arguments]
        key = (operation, *(sorted(arguments) if operation in ("add", "mul") else arguments))
        if operation not in ("input", "draw") and key in first:
            stands_for[name] = first[key]
        else:
            first[key] = name
            kept.append([name, operation, arguments])
    return {"nodes": kept, "outputs": [stands_for.get(name, name) for name in outputs]}
''',
        "merges draws of random numbers": '''
def merge(nodes, outputs):
    kept, first, stands_for = [], {}, {}
    for name, operation, arguments in nodes:
        arguments = [stands_for.get(argument, argument) for argument in arguments]
        key = (operation, *map(repr, sorted(arguments) if operation in ("add", "mul") else arguments))
        if operation != "input" and key in first:
            stands_for[name] = first[key]
        else:
            first[key] = name
            kept.append([name, operation, arguments])
    return {"nodes": kept, "outputs": [stands_for.get(name, name) for name in outputs]}
''',
        "takes a - b for b - a": '''
def merge(nodes, outputs):
    kept, first, stands_for = [], {}, {}
    for name, operation, arguments in nodes:
        arguments = [stands_for.get(argument, argument) for argument in arguments]
        key = (operation, *sorted(map(repr, arguments)))
        if operation not in ("input", "draw") and key in first:
            stands_for[name] = first[key]
        else:
            first[key] = name
            kept.append([name, operation, arguments])
    return {"nodes": kept, "outputs": [stands_for.get(name, name) for name in outputs]}
''',
        "right, but nothing is saved": '''
def merge(nodes, outputs):
    return {"nodes": nodes, "outputs": outputs}
''',
        "looks only once, and misses what has become equal": '''
def merge(nodes, outputs):
    kept, first, stands_for = [], {}, {}
    for name, operation, arguments in nodes:
        key = (operation, *map(repr, sorted(arguments) if operation in ("add", "mul") else arguments))
        if operation not in ("input", "draw") and key in first:
            stands_for[name] = first[key]
        else:
            first[key] = name
            kept.append([name, operation, [stands_for.get(argument, argument) for argument in arguments]])
    return {"nodes": kept, "outputs": [stands_for.get(name, name) for name in outputs]}
''',
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
        "right, but never in place": '''
def buffers(nodes, outputs):
    last = {name: len(nodes) for name in outputs}
    for place, (name, _, arguments) in reversed(list(enumerate(nodes))):
        for argument in arguments:
            last.setdefault(argument, place)
    chosen, free, used = {}, [], 0
    for place, (name, operation, arguments) in enumerate(nodes):
        if operation in ("input", "const"):
            continue
        if not free:
            free.append(used)
            used += 1
        chosen[name] = free.pop()
        free += {chosen[a] for a in arguments if a in chosen and last[a] == place}
    return chosen
''',
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
        "right on the visible cases only: a sum of zero goes the wrong way": '''
def one_graph():
    nodes = [["x", "input", []], ["zero", "const", [0.0]], ["two", "const", [2.0]], ["total", "sum", ["x"]],
             ["negative", "greater", ["zero", "total"]], ["share", "div", ["x", "total"]],
             ["square", "mul", ["x", "x"]], ["y", "where", ["negative", "square", "share"]]]
    y = "y"
    for step in range(3):
        nodes += [[f"step{step}", "const", [float(step)]], [f"double{step}", "mul", [y, "two"]],
                  [f"y{step}", "add", [f"double{step}", f"step{step}"]]]
        y = f"y{step}"
    return {"nodes": [*nodes, ["mean", "mean", [y]]], "outputs": [y, "mean"]}
''',
        "frozen on the branch of the first vector": '''
def one_graph():
    nodes = [["x", "input", []], ["two", "const", [2.0]], ["total", "sum", ["x"]], ["y", "div", ["x", "total"]]]
    y = "y"
    for step in range(3):
        nodes += [[f"step{step}", "const", [float(step)]], [f"double{step}", "mul", [y, "two"]],
                  [f"y{step}", "add", [f"double{step}", f"step{step}"]]]
        y = f"y{step}"
    return {"nodes": [*nodes, ["mean", "mean", [y]]], "outputs": [y, "mean"]}
''',
        "the last step of the loop in every step": '''
def one_graph():
    nodes = [["x", "input", []], ["zero", "const", [0.0]], ["two", "const", [2.0]], ["total", "sum", ["x"]],
             ["positive", "greater", ["total", "zero"]], ["share", "div", ["x", "total"]],
             ["square", "mul", ["x", "x"]], ["y", "where", ["positive", "share", "square"]]]
    y = "y"
    for step in range(3):
        nodes += [[f"double{step}", "mul", [y, "two"]], [f"y{step}", "add", [f"double{step}", "two"]]]
        y = f"y{step}"
    return {"nodes": [*nodes, ["mean", "mean", [y]]], "outputs": [y, "mean"]}
''',
        "chooses element by element": '''
def one_graph():
    nodes = [["x", "input", []], ["zero", "const", [0.0]], ["two", "const", [2.0]], ["total", "sum", ["x"]],
             ["positive", "greater", ["x", "zero"]], ["share", "div", ["x", "total"]],
             ["square", "mul", ["x", "x"]], ["y", "where", ["positive", "share", "square"]]]
    y = "y"
    for step in range(3):
        nodes += [[f"step{step}", "const", [float(step)]], [f"double{step}", "mul", [y, "two"]],
                  [f"y{step}", "add", [f"double{step}", f"step{step}"]]]
        y = f"y{step}"
    return {"nodes": [*nodes, ["mean", "mean", [y]]], "outputs": [y, "mean"]}
''',
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
        "right on the visible cases only: a one first makes the next graph exact": '''
def compiles(sizes):
    exact, dynamic, answers = set(), False, []
    for size in sizes:
        fits = size in exact or (dynamic and size >= 2)
        answers.append(not fits)
        if not fits:
            if exact - {1} and size >= 2:
                dynamic = True
            else:
                exact.add(size)
    return answers

def best_order(sizes):
    return sorted(sizes)
''',
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
        "the largest first": '''
def compiles(sizes):
    exact, dynamic, answers = set(), False, []
    for size in sizes:
        fits = size in exact or (dynamic and size >= 2)
        answers.append(not fits)
        if not fits:
            if exact and size >= 2:
                dynamic = True
            else:
                exact.add(size)
    return answers

def best_order(sizes):
    many = sorted(sizes, reverse=True)
    return [s for s in many if s > 1][:1] + [s for s in sizes if s == 1] + [s for s in many if s > 1][1:]
''',
    },
    "compilers-earned": {
        "right on the visible cases only: divided as floats": '''
import math

def earned_back(compile_us, eager_us, compiled_us):
    def calls(saved):
        return math.ceil(compile_us / saved) if saved > 0 else None
    return [calls(eager_us[1] - compiled_us[0]), calls(eager_us[0] - compiled_us[1])]
''',
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
        "rounded down": '''
def earned_back(compile_us, eager_us, compiled_us):
    def calls(saved):
        return compile_us // saved if saved > 0 else None
    return [calls(eager_us[1] - compiled_us[0]), calls(eager_us[0] - compiled_us[1])]
''',
    },
    "compilers-rung": {
        "right on the visible cases only: the first of the two networks is taken for the smaller one": '''
def best_rung(measured, ours):
    found = []
    for way, ((b1, t1), (b2, t2)) in measured.items():
        slope = abs(t2 - t1) / (max(b1, b2) - min(b1, b2))
        overhead = t1 - slope * b1 if b1 < b2 else t1
        found.append((overhead + slope * ours, way, overhead))
    seconds, way, overhead = min(found)
    return {"way": way, "seconds": seconds, "overhead": overhead / seconds}
''',
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
}
