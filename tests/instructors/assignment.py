"""A small assignment as the course writes them: four exercises, and ways to hand it in."""
import copy
import json

RIGHT = {
    "small-waves": '''def waves(needs):
    """needs: {task: list of tasks that come before it}. Returns a list of waves, each a sorted list of tasks that
    can run side by side. Example: waves({"a": [], "b": ["a"]}) is [["a"], ["b"]].
    """
    ### BEGIN SOLUTION
    done, order = set(), []
    while len(done) < len(needs):
        wave = sorted(task for task in needs if task not in done and done >= set(needs[task]))
        if not wave:
            raise ValueError("a cycle")
        order.append(wave)
        done |= set(wave)
    return order
    ### END SOLUTION''',
    "small-shares": '''def shares(gradient, workers):
    """gradient: array (n,); workers: int. Returns the list of `workers` contiguous parts, as equal as can be,
    the longer ones first."""
    ### BEGIN SOLUTION
    return np.array_split(gradient, workers)
    ### END SOLUTION''',
    "small-ring": '''def ring(n):
    """n: int. Returns a list of rounds, each a list of (sender, receiver), after which every rank has what every
    rank had. Example: ring(2) is [[(0, 1), (1, 0)]]."""
    ### BEGIN SOLUTION
    return [[(rank, (rank + 1) % n) for rank in range(n)] for _ in range(n - 1)]
    ### END SOLUTION''',
}
TESTS = {
    "small-waves": '''assert waves({"a": [], "b": ["a"]}) == [["a"], ["b"]], "b waits for a: two waves"
assert waves({"a": [], "b": []}) == [["a", "b"]], "nothing waits: one wave"
### BEGIN HIDDEN TESTS
import random

def _waves(needs):
    level = {}
    def of(task):
        if task not in level:
            level[task] = 1 + max(map(of, needs[task]), default=-1)
        return level[task]
    for task in needs:
        of(task)
    return [sorted(t for t in needs if level[t] == n) for n in range(max(level.values()) + 1)]

_rng = random.Random(globals().get("GRADING_SEED", 0))
for _ in range(8):
    _names = [f"t{_rng.randrange(10**6)}-{n}" for n in range(9)]
    _needs = {name: [other for other in _names[:n] if _rng.random() < 0.3] for n, name in enumerate(_names)}
    _got = [list(map(str, wave)) for wave in waves(_needs)]
    assert _got == _waves(_needs), "a task runs too early or too late"
for _got in map(waves, [{"one": []}]):
    assert _got == [["one"]]
try:
    waves({"a": ["b"], "b": ["a"]})
except ValueError:
    pass
else:
    raise AssertionError("a cycle is a ValueError")
### END HIDDEN TESTS''',
    "small-shares": '''assert [len(part) for part in shares(np.zeros(5), 2)] == [3, 2], "the longer part comes first"
### BEGIN HIDDEN TESTS
_rng = np.random.default_rng(globals().get("GRADING_SEED", 0))
for _workers in (1, 3, 4):
    _gradient = _rng.standard_normal(int(_rng.integers(50, 5000)))
    _parts = [np.array(part, dtype=float) for part in shares(_gradient, _workers)]
    assert max(map(len, _parts)) - min(map(len, _parts)) <= 1, "the parts differ by more than one"
    assert np.array_equal(np.concatenate(_parts), _gradient), "the parts do not make up the whole"
### END HIDDEN TESTS''',
    "small-ring": '''assert spread(ring(2), 2), "after ring(2) both ranks have both parts"
### BEGIN HIDDEN TESTS
_n = 3 + globals().get("GRADING_SEED", 0) % 5
_rounds = [[(int(a), int(b)) for a, b in one] for one in ring(_n)]
assert spread(_rounds, _n), "not every rank has every part"
_most = max(len(one) for one in _rounds)
6 if len(_rounds) == _n - 1 and _most <= _n else 3
### END HIDDEN TESTS''',
}
GIVEN = '''def spread(rounds, n):
    """Has every rank the parts of all, after these rounds?"""
    has = [{rank} for rank in range(n)]
    for one in rounds:
        before = [set(parts) for parts in has]
        for sender, receiver in one:
            has[receiver] |= before[sender]
    return all(len(parts) == n for parts in has)'''
THOUGHT = '''### BEGIN SOLUTION
**Model answer.** The slowest rank.
**Rubric.**
- 3 points: names it
### END SOLUTION'''
POINTS = {"small-waves": 4, "small-shares": 4, "small-ring": 6, "small-why": 3}
TITLES = {"small-waves": "Exercise 1: Waves", "small-shares": "Exercise 2: Shares", "small-ring": "Exercise 3: Ring",
          "small-why": "Exercise 4: Why"}
STUB = "    # YOUR CODE HERE\n    raise NotImplementedError()"


def marks(identity, grade=False, solution=False, points=None):
    more = {"points": points} if points else {}
    return {"grade": grade, "solution": solution, "locked": not solution, "task": False, "schema_version": 3,
            "grade_id": identity, **more}


def cell(kind, source, identity, nbgrader=None):
    made = {"cell_type": kind, "id": identity, "metadata": {"nbgrader": nbgrader} if nbgrader else {}, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def source():
    """The source notebook, as JSON."""
    cells = [cell("markdown", "# Exercises: a small assignment", "c-title"),
             cell("code", "import numpy as np", "c-setup")]
    for identity, title in TITLES.items():
        cells.append(cell("markdown", f"## {title}\n\nText.", f"c-{identity}-text"))
        if identity == "small-why":
            cells.append(cell("markdown", THOUGHT, "c-why", marks(identity, True, True, POINTS[identity])))
            continue
        if identity == "small-ring":
            cells.append(cell("code", GIVEN, "c-ring-given", marks("small-ring-given")))
        tests = marks(f"{identity}-tests", True, points=POINTS[identity])
        cells += [cell("code", RIGHT[identity], f"c-{identity}", marks(identity, solution=True)),
                  cell("code", TESTS[identity], f"c-{identity}-t", tests)]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def handed_in(answers=None):
    """A student's notebook: all right, but for these answers ({grade_id: source of the cell})."""
    notebook = copy.deepcopy(source())
    for one in notebook["cells"]:
        identity = one["metadata"].get("nbgrader", {}).get("grade_id", "")
        if identity in RIGHT:
            one["source"] = (answers or {}).get(identity, RIGHT[identity])
        elif identity == "small-why":
            one["source"] = "The one that all others wait for."
        elif identity.endswith("-tests"):
            one["source"] = one["source"].split("### BEGIN HIDDEN")[0].rstrip()
    return notebook


def place(notebook, identity):
    return next(n for n, one in enumerate(notebook["cells"]) if one["id"] == identity)


def stub(identity):
    head, _ = RIGHT[identity].split("    ### BEGIN SOLUTION")
    return head + STUB


def write(path, notebook):
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path
