"""The loops of probes.c for Numba, which compiles each when it is first called. ``fallback`` times them.

Where LLVM's optimiser must not think along, an intrinsic says in LLVM's own language what to do.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

WORD, INT = ir.IntType(64), types.int64
llvm.initialize_native_asmparser()
features = llvm.get_host_cpu_features()

# Functions of the C library; an address is a whole number here.
_lock, _unlock = (getattr(ctypes.CDLL(None), f"pthread_mutex_{name}") for name in ("lock", "unlock"))
_lock.argtypes = _unlock.argtypes = [ctypes.c_int64]
_memmove = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(ctypes.cast(ctypes.memmove, ctypes.c_void_p).value)


def opaque(builder, value):
    """An empty piece of assembly: for all that LLVM knows, it uses all memory and changes ``value``."""
    return builder.asm(ir.FunctionType(WORD, [WORD]), "", "=r,0,~{memory}", [value], True)


@intrinsic
def keep(_, value):
    return INT(INT), lambda context, builder, signature, args: opaque(builder, args[0])


@intrinsic
def load(_, address):
    """The 8 bytes at an address, aligned or not."""

    def emit(context, builder, signature, args):
        return opaque(builder, builder.load(builder.inttoptr(args[0], WORD.as_pointer()), align=1))

    return INT(INT), emit


@intrinsic
def store(_, address, value):
    """Write 8 bytes. A ``load`` after it goes to memory for them: LLVM may not pass them on in a register."""

    def emit(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], WORD.as_pointer()))
        return opaque(builder, args[1])

    return INT(INT, INT), emit


@njit
def follow(place, steps):
    for _ in range(steps):
        place = load(place)
    return place


@njit
def bursts(place, lines, steps):
    for _ in range(steps):
        zero = 0
        for k in range(lines):
            zero += load(place + 64 * k + 8)
        place = load(place + zero)
    return place


@njit
def walks(base, bits, stride, kind, left):
    n, shift = 1 << bits, np.uint64(64 - bits)
    if kind == 2:
        for i in range(left):
            load(base + 8 * np.int64((np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)) >> shift))
        return
    while left > 0:
        for first in range(0, stride, min(stride, 8)):
            m = min((n - first + stride - 1) // stride, left)
            left -= m
            place, step = (base + 8 * first, 8 * stride) if kind == 0 else (base + 8 * (n - 1 - first), -8 * stride)
            for _ in range(m):
                load(place)
                place += step


@njit
def loads(place, stride, n, rounds):
    for _ in range(rounds):
        for i in range(0, n, 4):
            load(place + i * stride), load(place + (i + 1) * stride)
            load(place + (i + 2) * stride), load(place + (i + 3) * stride)


@njit
def branches(values, rounds, found):
    count = 0
    for _ in range(rounds):
        for value in values:
            if value >= 128:
                count = keep(count) + 1  # a step that cannot be taken on trial: the branch stays a branch
    found[0] = count


# The loops below let go of Python's lock: they run in several threads.


@njit(nogil=True)
def read(x, passes):
    for _ in range(passes):
        total = 0
        for i in range(x.size):
            total += x[i]
        keep(total)


@njit(nogil=True)
def write(x, passes):
    for _ in range(passes):
        value = keep(0)
        for i in range(x.size):
            x[i] = value


@njit(nogil=True)
def copy(x, passes):
    source, target = x[: x.size // 2], x[x.size // 2 :]
    for _ in range(passes):
        keep(0)
        for i in range(source.size):
            target[i] = source[i]


@njit(nogil=True)
def library_copy(x, passes):
    for _ in range(passes):
        _memmove(x.ctypes.data + x.nbytes // 2, x.ctypes.data, x.nbytes // 2)


@njit(nogil=True)
def counts(place, n, here, there):
    store(here, 1)
    while load(there) == 0:  # the other thread: only together do they disturb each other
        pass
    for _ in range(n):
        store(place, load(place) + 1)


@njit(nogil=True)
def trips(place, turn, end):
    while turn < end:
        while load(place) != turn:
            pass
        store(place, turn + 1)
        turn += 2


@njit(nogil=True)
def locks(place, n):
    for _ in range(n):
        _lock(place)
        _unlock(place)


@lru_cache
def chains(bits: int, lanes: int):
    """Twelve independent chains of multiply-adds; what they start from lies at an address."""
    kind = ir.DoubleType() if bits == 64 else ir.FloatType()
    kind = ir.VectorType(kind, lanes) if lanes > 1 else kind

    @intrinsic
    def chain(_, address, steps):
        def emit(context, builder, signature, args):
            place = builder.inttoptr(opaque(builder, args[0]), kind.as_pointer())
            start = [builder.load(builder.gep(place, [WORD(k)])) for k in range(14)]
            sums = [cgutils.alloca_once_value(builder, value) for value in start[:12]]
            with cgutils.for_range(builder, args[1]):
                for each in sums:
                    product = builder.fmul(builder.load(each), start[12], flags=("contract",))
                    builder.store(builder.fadd(product, start[13], flags=("contract",)), each)
            for k, each in enumerate(sums):
                builder.store(builder.load(each), builder.gep(place, [WORD(k)]))
            return opaque(builder, args[0])

        return INT(INT, INT), emit

    @njit
    def multiply_adds(address, steps):
        chain(address, steps)

    return multiply_adds
