"""What goes through the pipe, and what the worker does with it. Without a sandbox: these tests trust their code."""
import io
import random
import struct

import numpy as np
import pytest
from conftest import LIMITS
from grading import sandbox, wire

PLAIN = [None, True, False, 0, -(10**30), 1.5, float("inf"), "", "ä\ud800", b"", b"\x00\xff", [], [1, [2]], (),
         (1, (2,)), {}, {"a": {"b": (1,)}}, {(1, 2): 3, 4: "five"}, 1j]
ARRAYS = [np.arange(5), np.zeros((2, 0, 3)), np.array(3.0), np.ones((3, 2), order="F"), np.array([True]),
          np.arange(3, dtype=">i2"), np.float16([1, 2]), np.array([1j])]


def through(value):
    return wire.unpack(io.BytesIO(wire.pack(value)).read)


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_a_plain_value_arrives_as_it_was(value):
    got = through(value)
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize("value", ARRAYS, ids=repr)
def test_an_array_arrives_as_it_was(value):
    got, = through([value])
    assert got.dtype == value.dtype and got.shape == value.shape and np.array_equal(got, value)
    got += got.dtype.type(1)  # a test may write into it


def test_a_subclass_arrives_as_what_it_is_made_of():
    class Yes(int):
        def __eq__(self, other):
            return True
        __hash__ = int.__hash__
    assert type(through(Yes(3))) is int and through([np.float32(0.5), np.int8(3), np.bool_(True)]) == [0.5, 3, True]


@pytest.mark.parametrize("value", [
    object(), print, {1}, (n for n in ()), np.array([object()]), np.array(["text"]), np.zeros(1, "M8[s]"),
    np.zeros(1, [("a", "i4")]), 10**5000, np.zeros(9 << 20)], ids=lambda value: type(value).__name__)
def test_anything_else_is_refused(value):
    with pytest.raises(wire.WireError):
        wire.pack(value)


def test_a_value_that_contains_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(wire.WireError, match="contains itself"):
        wire.pack(value)


def message(json, *parts):
    parts = [json, *parts]
    return wire.HEAD.pack(len(parts)) + b"".join(wire.SIZE.pack(len(part)) for part in parts) + b"".join(parts)


@pytest.mark.parametrize("data", [
    wire.HEAD.pack(0), wire.HEAD.pack(2**31), wire.HEAD.pack(1) + wire.SIZE.pack(2**40), message(b"{"),
    message(b"[" * 99999), message(b'{"x": 1}'), message(b'{"a": [1, "|O", [1]]}', bytes(8)),
    message(b'{"a": [1, "<i8", [-1]]}', bytes(8)), message(b'{"a": [1, "<i8", [2]]}', bytes(8)),
    message(b'{"a": [7, "<i8", [1]]}'), message(b'{"a": [1, "<i8", [0, 99999999999999999999]]}', b""),
    message(b'{"t": 3}'), message(b'{"d": [[[], 1]]}'), message(b'{"b": "x"}'), message(b'{"c": ["x", 1]}'),
    message(b"9" * 5000), message(b"\xff")], ids=lambda data: repr(data[:30]))
def test_what_is_no_message_is_one_error(data):
    with pytest.raises(wire.WireError):
        wire.unpack(io.BytesIO(data).read)


def test_rubbish_is_never_more_than_an_error():
    draw = random.Random(3)
    good = wire.pack([{"a": (1, b"x")}, np.arange(3), "text"])
    for _ in range(3000):
        data = bytearray(good)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            wire.unpack(io.BytesIO(data).read)
        except (wire.WireError, struct.error):  # or an end before the end, which the judge sees as a closed pipe
            pass


@pytest.fixture
def worker():
    one = sandbox.Worker(LIMITS, unsafe=True)
    yield one
    if one.process.poll() is None:
        one.kill()


def test_cells_share_a_namespace_and_functions_answer(worker):
    assert worker.ask(["run", "one", "import numpy as np\nstep = 2"], 20) == ["done", None]
    assert worker.ask(["run", "two", "def f(x, *, by=1):\n    return np.asarray(x) * step * by"], 20) == ["done", None]
    kind, value = worker.ask(["call", "f", [[1, 2]], {"by": 3}], 20)
    assert kind == "done" and value.tolist() == [6, 12]
    assert worker.ask(["get", "step"], 20) == ["done", 2]


@pytest.mark.parametrize("source, names, text, line", [
    ("x = 1\nraise ValueError('no')", ["ValueError", "Exception"], "no", 2),
    ("def f(:", ["SyntaxError", "Exception"], "invalid syntax", 1),
    ("import sys\nsys.exit(3)", ["SystemExit", "BaseException"], "3", 2),
    ("class Own(KeyError): pass\nraise Own('k')", ["Own", "KeyError", "LookupError"], "k", 2),
    ("class Odd(Exception):\n    def __str__(self): raise Odd\nraise Odd", ["Odd", "Exception"], "", 3)])
def test_an_error_comes_with_its_classes_and_its_line(source, names, text, line, worker):
    kind, classes, said, where = worker.ask(["run", "cell", source], 20)
    assert kind == "error" and where == line and text in said
    assert [name for name in classes if name in names] == names
    assert worker.ask(["get", "missing"], 20)[1][0] == "NameError"  # and it lives on


def test_what_it_prints_and_asks_for_goes_nowhere(worker):
    source = "import os, sys\nprint('x' * 10**6)\nos.write(1, b'y')\nsys.stderr.write('z')\ninput()"
    assert worker.ask(["run", "cell", source], 20)[1][0] == "EOFError"


def test_the_source_of_a_cell_is_known_as_in_a_notebook(worker):
    worker.ask(["run", "cell", "import inspect\ndef f():\n    return inspect.getsource(f)"], 20)
    assert worker.ask(["call", "f", [], {}], 20)[1].startswith("def f():")


def test_random_numbers_are_the_same_in_every_run_of_a_cell(worker):
    drawn = []
    for _ in range(2):
        worker.ask(["run", "cell", "import random, numpy\nx = [random.random(), float(numpy.random.rand())]"], 20)
        worker.ask(["run", "cell", "import random, numpy\nx = [random.random(), float(numpy.random.rand())]"], 20)
        drawn.append(worker.ask(["get", "x"], 20)[1])
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("source, why", [
    ("import os\nos._exit(3)", "ended itself (exit status 3)"), ("import os\nos.kill(os.getpid(), 9)", "SIGKILL"),
    ("while True: pass", "took longer than 0.5 s"), ("import os\nos.closerange(3, 99)", "ended"),
    ("import os\nfor n in range(3, 9):\n  try: os.write(n, b'rubbish' * 99)\n  except OSError: pass", "nonsense")])
def test_a_worker_that_is_lost_says_why_and_is_gone(source, why, worker):
    with pytest.raises(sandbox.Died, match=why.replace("(", r"\(").replace(")", r"\)")):
        worker.ask(["run", "cell", source], 0.5 if "while" in source else 20)
    assert worker.process.poll() is not None


def test_an_answer_to_another_question_is_noticed(worker):
    forge = ("import os, wire\nfor n in range(3, 9):\n  for number in range(1, 3):\n"
             "    try: os.write(n, wire.pack([number, 'done', 'forged']))\n    except OSError: pass")
    assert worker.ask(["run", "cell", forge], 20) == ["done", "forged"]
    assert worker.ask(["get", "x"], 20) == ["done", "forged"]
    with pytest.raises(sandbox.Died, match="what was not asked"):
        worker.ask(["get", "x"], 20)


def test_a_child_that_a_cell_forks_does_not_answer(worker):
    assert worker.ask(["run", "cell", "import os\nchild = os.fork()"], 20) == ["done", None]
    assert worker.ask(["run", "cell", "os.waitpid(child, 0)"], 20) == ["done", None]
