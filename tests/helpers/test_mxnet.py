"""The MXNet import, in fresh processes: two kinds of NumPy, both orders with torch, and where MXNet is missing."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# What NumPy 1.26 still has and NumPy 2 has not (its migration guide): taken away, 1.26 stands for 2.
GONE_IN_2 = """PZERO NZERO NINF PINF NAN NaN Inf round_ in1d msort row_stack alltrue product cumproduct sometrue
    trapz""".split()
needs_mxnet = pytest.mark.skipif(find_spec("mxnet") is None, reason="MXNet is not installed on this platform")

# What NumPy is before and after the import, and what a small network gives in both of its lives.
PROBE = """
import json, sys, warnings
import numpy
for name in {gone!r}:
    vars(numpy).pop(name, None)
before = dict(vars(numpy))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    {imports}
from d2l_helpers.mxnet import removed_names
from mxnet import gluon
npx.set_np()
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.Dense(2))
net.initialize(mx.init.One())
x = np.arange(12).reshape(3, 4)
eager = net(x).tolist()
net.hybridize(static_alloc=True, static_shape=True)
after = dict(vars(numpy))
print(json.dumps({{
    "numpy": numpy.__version__,
    "file": numpy.__file__,
    "replaced": [n for n in before if n not in after or after[n] is not before[n]],
    "left": [n for n in removed_names() if n in after],
    "lent": sorted(removed_names()),
    "new": sorted(n for n in set(after) - set(before) if type(after[n]) is not type(sys)),
    "warnings": [str(w.message) for w in caught],
    "eager": eager,
    "hybridized": net(x).tolist(),
    "later": [np.full((2,), True).tolist(), np.arange(3)[True].shape, np.in1d(np.arange(2), np.array([1])).tolist()],
    "torch": "torch" in sys.modules,
}}))
"""
OURS = "from d2l_helpers.mxnet import mx, np, npx"
ORDERS = {"alone": OURS, "after torch": f"import torch; {OURS}", "before torch": f"{OURS}; import torch"}


def python(code: str) -> subprocess.CompletedProcess:
    """Run ``code`` in a new process."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)


@needs_mxnet
@pytest.mark.parametrize("gone", [[], GONE_IN_2], ids=["numpy 1", "as numpy 2"])
@pytest.mark.parametrize("order", ORDERS)
def test_works_and_leaves_numpy_as_it_was(gone, order):
    done = python(PROBE.format(imports=ORDERS[order], gone=gone))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    seen = json.loads(done.stdout)
    assert seen["torch"] == (order != "alone")
    assert seen["replaced"] == []
    assert seen["left"] == [] and seen["new"] == []
    assert seen["warnings"] == []
    # Ones everywhere: each hidden unit sums a row, each output adds eight of them.
    assert seen["eager"] == seen["hybridized"] == [[48.0, 48.0], [176.0, 176.0], [304.0, 304.0]]
    assert seen["later"] == [[True, True], [1, 3], [False, True]]
    assert ("NaN" in seen["lent"]) == bool(gone)
    assert "asscalar" in seen["lent"]


@needs_mxnet
def test_a_failing_import_also_takes_the_names_back():
    code = """
import sys, numpy
class Break:
    def find_spec(self, name, path=None, target=None):
        if name == "mxnet.gluon":
            raise RuntimeError("broken")
sys.meta_path.insert(0, Break())
try:
    import d2l_helpers.mxnet
except RuntimeError as error:
    print(error, "asscalar" in vars(numpy))
"""
    assert python(code).stdout == "broken False\n"


@needs_mxnet
def test_names_gone_for_good_say_so():
    done = python(f"{OURS}\ntry: mx.np.npv(1, 2)\nexcept Exception as error: print(error)")
    assert "npv" in done.stdout, done.stderr


@needs_mxnet
def test_it_changes_neither_the_warning_filters_nor_the_numpy_mode():
    code = f"import warnings, numpy\nfilters = list(warnings.filters)\n{OURS}\n"
    done = python(code + "print(filters == warnings.filters, mx.util.is_np_array())")
    assert done.stdout == "True False\n", done.stderr


# NumPy 2 writes the numbers inside a list as np.int64(1); an integer that does so stands for NumPy 2's own.
SPLIT = """
import numpy, sys
from d2l_helpers import mxnet as ours
from mxnet import gluon
from mxnet._ctypes import ndarray, symbol

class Integer(numpy.int64):
    __repr__ = lambda self: f"np.int64({int(self)})"

def halves():
    try:
        return [part.tolist() for part in ours.np.split(ours.np.arange(3), [Integer(1)])]
    except Exception as error:
        return type(error).__name__

ours.npx.set_np()
print("str" in vars(ndarray), "str" in vars(symbol), numpy.__version__.startswith("2"))
print(halves() if "str" not in vars(ndarray) else "MXNetError")
ours._give_own_text()
print(halves())
x = ours.np.arange(5)
print([len(part) for part in gluon.utils.split_and_load(x, [ours.mx.cpu(0), ours.mx.cpu(1)], even_split=False)])
print(ours._as_text((Integer(2), [numpy.float64(0.5), 3], "a")), ours._as_text(Integer(4)), ours._as_text(None))
"""


@needs_mxnet
def test_options_are_written_as_numpy_1_writes_them_and_numpy_1_is_left_alone():
    done = python(SPLIT)
    assert done.returncode == 0, done.stderr
    left_alone, before, after, uneven, text = done.stdout.splitlines()
    assert left_alone in ("False False False", "True True True")
    assert before == "MXNetError"  # or ValueError, from the text that its C++ cannot read
    assert after == "[[0.0], [1.0, 2.0]]"
    assert uneven == "[3, 2]"
    assert text == "(2, [0.5, 3], 'a') 4 None"


HIDE = """
import sys
hidden = {hidden!r}
for name in hidden:
    sys.modules.pop(name, None)
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hide())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in hidden else real(name, package)
import platform
platform.machine = lambda: {machine!r}
platform.system = lambda: "Linux"
try:
    import d2l_helpers.mxnet
except ImportError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    "hidden, machine, words",
    [
        (["mxnet"], "x86_64", ["MXNet is not installed", "pip install --no-deps mxnet==1.9.1", "graphviz requests"]),
        (["mxnet"], "aarch64", ["x86-64 Linux and macOS only", "aarch64", "leave the MXNet pages out"]),
        pytest.param(["distutils", "setuptools"], "x86_64", ["pip install setuptools"], marks=needs_mxnet),
        pytest.param(["requests"], "x86_64", ["MXNet needs requests", "pip install"], marks=needs_mxnet),
    ],
)
def test_one_clear_line_where_something_is_missing(hidden, machine, words):
    done = python(HIDE.format(hidden=hidden, machine=machine))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ImportError ") and done.stdout.count("\n") == 1
    for word in words:
        assert word in done.stdout
