"""The package is light: quick to import, and lazy about its heavy friends."""

import subprocess
import sys
from pathlib import Path

import pytest

import d2l_helpers as d2l


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_loads_neither_torch_nor_mxnet_nor_numpy():
    code = "import sys, d2l_helpers; print([m for m in ('torch', 'mxnet', 'numpy', 'pandas') if m in sys.modules])"
    assert run(code).strip() == "[]"


def test_timing_and_comparing_do_not_load_torch():
    code = (
        "import sys, d2l_helpers as d2l\n"
        "d2l.compare({'a': int}, verbose=False, budget=0.01)\n"
        "d2l.Timer().stop()\n"
        "print('torch' in sys.modules)"
    )
    assert run(code).strip() == "False"


def test_import_is_quick():
    # No limit in seconds: quicker than importing a medium module of the standard library ten times over.
    code = (
        "import subprocess, sys, time\n"
        "def cost(module):\n"
        "    start = time.perf_counter()\n"
        "    subprocess.run([sys.executable, '-c', f'import {module}'], check=True)\n"
        "    return time.perf_counter() - start\n"
        "pairs = [(cost('d2l_helpers'), cost('unittest.mock')) for _ in range(7)]\n"
        "print(sorted(a / b for a, b in pairs)[3])"
    )
    assert float(run(code)) < 3


@pytest.mark.parametrize("name", d2l.__all__)
def test_every_public_name_exists_and_is_documented(name):
    value = getattr(d2l, name)
    assert (value.__doc__ or "").strip()
    assert name in dir(d2l)


@pytest.mark.parametrize("name", d2l.__all__)
def test_no_file_has_a_public_name(name):
    """Loading any name of a file sets the file's name in the package, over the public one."""
    assert not Path(d2l.__file__).with_name(f"{name}.py").exists()


def test_unknown_name_says_what_there_is():
    with pytest.raises(AttributeError, match="has no name 'timer'.*Timer"):
        getattr(d2l, "timer")  # noqa: B009
