"""The package is light: what a function needs is imported when it is called."""

import subprocess
import sys

import pytest

import d2l_helpers as d2l

HEAVY = ("torch", "mxnet", "numpy", "pandas", "matplotlib", "scipy", "networkx", "psutil", "asyncio")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("face", ["d2l_helpers", "d2l_helpers.hardware", "d2l_helpers.distributed"])
def test_a_face_brings_nothing_heavy(face):
    """No limit in seconds: what makes an import slow is how much it loads."""
    code = f"import sys; before = set(sys.modules); import {face}; print(*set(sys.modules) - before)"
    loaded = set(run(code).split())
    assert not loaded & set(HEAVY)
    assert len(loaded) < 150


def test_timing_and_comparing_do_not_load_torch():
    code = (
        "import sys, d2l_helpers as d2l\n"
        "d2l.compare({'a': int}, verbose=False, budget=0.01)\n"
        "d2l.Timer().stop()\n"
        "print('torch' in sys.modules)"
    )
    assert run(code).strip() == "False"


@pytest.mark.parametrize("name", d2l.__all__)
def test_every_public_name_exists_and_is_documented(name):
    assert (getattr(d2l, name).__doc__ or "").strip()


def test_a_file_does_not_hide_the_function_of_its_name():
    """compare.py holds compare: whatever else imports the file, the package's name stays the function."""
    code = (
        "import d2l_helpers.compare, d2l_helpers.machine, d2l_helpers.overlap, d2l_helpers.predict\n"
        "import d2l_helpers as d2l\n"
        "print(all(map(callable, (d2l.compare, d2l.machine, d2l.overlap, d2l.predict))))"
    )
    assert run(code).strip() == "True"
