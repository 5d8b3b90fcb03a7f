"""MXNet on today's Python and NumPy: ``from d2l_helpers.mxnet import mx, np, npx``.

MXNet 1.9.1 (May 2022) is the last release. It looks up names that NumPy has removed since.
They are lent to NumPy while MXNet is imported and taken back at once, so nobody else sees
them; what MXNet looks up later, it finds in a view of NumPy of its own. Nothing is replaced.
MXNet hands the options of its operators over as text, which NumPy 2 writes in another way: it gets them as before.
After this import, ``from mxnet import gluon`` and the like work as well. ``npx.set_np()``
is left to the caller: it changes MXNet for the whole process.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy

VERSION = "1.9.1"
PIP = f"pip install --no-deps mxnet=={VERSION} && pip install graphviz requests setuptools"

# Functions that are gone without a successor. MXNet takes hold of them and never calls them.
_GONE = "alen asscalar fv ipmt irr mirr nper npv pmt ppmt pv rate".split()


def _gone(name: str) -> Callable:
    def function(*_, **__):
        raise NotImplementedError(f"NumPy no longer has {name!r}, so MXNet has none either")

    return function


def removed_names() -> dict[str, object]:
    """What MXNet expects in NumPy and this NumPy lacks: the name and what does the same today."""
    new = numpy
    names: dict[str, object] = {
        "bool": new.bool_, "PZERO": 0.0, "NZERO": -0.0, "PINF": new.inf, "NINF": -new.inf,
        "Inf": new.inf, "NaN": new.nan, "NAN": new.nan, "round_": new.round, "alltrue": new.all,
        "sometrue": new.any, "product": new.prod, "cumproduct": new.cumprod,
        "row_stack": new.vstack, "trapz": getattr(new, "trapezoid", None),
        "msort": partial(new.sort, axis=0),
        "in1d": lambda a, b, **options: new.isin(new.ravel(a), b, **options),
    }  # fmt: skip
    names.update((name, _gone(name)) for name in _GONE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy 1.26 warns when asked for "bool"
        return {name: value for name, value in names.items() if not hasattr(numpy, name)}


@contextmanager
def _lent(names: dict[str, object]) -> Iterator[None]:
    """Let NumPy have ``names`` inside the ``with`` block, and not a moment longer."""
    for name, value in names.items():
        setattr(numpy, name, value)
    try:
        yield
    finally:
        for name in names:
            delattr(numpy, name)


def _give_own_view(names: dict[str, object]) -> None:
    """Let MXNet's modules see a copy of NumPy's namespace that keeps ``names``."""
    view = types.ModuleType("numpy", "NumPy as MXNet knows it")
    vars(view).update(vars(numpy), **names)
    for module in [m for key, m in sys.modules.items() if key.split(".")[0] == "mxnet"]:
        for key in [key for key, value in vars(module).items() if value is numpy]:
            setattr(module, key, view)


def _as_text(value: object) -> str:
    """``str(value)``, with the numbers inside a list written as NumPy 1 did: 64, where NumPy 2 has np.int64(64)."""

    def plain(item: object) -> object:
        if type(item) in (list, tuple):
            return type(item)(map(plain, item))
        return item.item() if isinstance(item, numpy.generic) else item

    return str(plain(value) if type(value) in (list, tuple) else value)


def _give_own_text() -> None:
    """Let MXNet write an operator's options with ``_as_text``: its C++ cannot read np.int64(64).

    ``str`` is looked up in these two modules each time an operator is called (1.9.1, ``_ctypes/ndarray.py``,
    ``_imperative_invoke``). Gluon's ``split_data`` is what meets it: it cuts at a list of NumPy's integers.
    """
    for name in ("ndarray", "symbol"):
        vars(sys.modules[f"mxnet._ctypes.{name}"])["str"] = _as_text


def _check_installed() -> None:
    """Raise ImportError, in one line that says what to do, where MXNet cannot be imported."""
    if importlib.util.find_spec("mxnet") is None:
        system, machine = platform.system(), platform.machine()
        if system not in ("Linux", "Darwin") or machine.lower() not in ("x86_64", "amd64"):
            raise ImportError(
                f"MXNet {VERSION} exists for x86-64 Linux and macOS only, not for {machine} {system}: "
                "leave the MXNet pages out, or read them with their stored outputs"
            )
        raise ImportError(f"MXNet is not installed. Install it with: {PIP}")
    if importlib.util.find_spec("distutils") is None:  # Python 3.12 and later
        if importlib.util.find_spec("setuptools") is None:
            raise ImportError("MXNet needs distutils, which setuptools provides: pip install setuptools")
        import setuptools  # noqa: F401  (importing it brings distutils)


def _import_mxnet() -> types.ModuleType:
    _check_installed()
    names = removed_names()
    # It would import scikit-learn, and with it SciPy and pandas, for one class that is long deprecated.
    hidden = "sklearn" not in sys.modules
    with warnings.catch_warnings(), _lent(names):
        warnings.simplefilter("ignore")  # MXNet's own, about distutils and escapes in strings
        try:
            if hidden:
                sys.modules["sklearn"] = None
            import mxnet
        except ModuleNotFoundError as error:
            raise ImportError(f"MXNet needs {error.name}, which is missing. Run: {PIP}") from error
        finally:
            if hidden:
                del sys.modules["sklearn"]
    _give_own_view(names)
    if repr(numpy.int64(1)) != "1":  # NumPy 2
        _give_own_text()
    return mxnet


mx = _import_mxnet()
np, npx = mx.np, mx.npx
__all__ = ["mx", "np", "npx"]
