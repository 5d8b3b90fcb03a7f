"""A stand-in for CUDA: its calls run on the CPU, in a process of their own, with the devices and the errors of CUDA.

``install(gpus)`` is for a child process only: it changes torch for good. Underneath all tensors are ordinary ones, so
that autograd, optimizers and gloo work as ever; what is added is where each of them lives. A storage bears its device,
hence all views of it do. Two modes see to it:

- ``Names`` sees what Python asks of torch, and there translates devices: ``device="cuda"``, ``.to``, ``.device``, ….
- ``Ops`` sees each operator that is executed, in the backward pass too: results live where the inputs do, and inputs on
  two devices raise what CUDA raises.

Streams and events count operators instead of time: what was queued is done once somebody has waited for it. Large
operators are not computed, their results have the right shape and any content. What it cannot do at all raises
``StandInCannot``. It writes no record, and its times mean nothing.
"""

from __future__ import annotations

import ctypes
import importlib.abc
import importlib.machinery
import inspect
import os
import re
import sys
import threading
import time
import types
import warnings
from collections import Counter, defaultdict

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only

NAME, CAPABILITY, MEMORY = "Tesla T4", (7, 5), 15_843_721_216  # as a T4 says of itself
LARGE = 2**22  # numbers in a tensor, above which an operator is not computed
LONG = 2e9  # floating-point operations of a product, likewise
POLLS = 3  # how often an event that nobody waits for says that it has not come
GPUS = [1]
CPU = "cpu"


class StandInCannot(RuntimeError):
    """What only a real GPU can do; the message names it."""


# --- where a tensor lives

HOMES: dict[int, tuple[StorageWeakRef, int | str]] = {}  # address of a storage → it (weakly), a GPU's number or CPU
PINNED: dict[int, StorageWeakRef] = {}
COMPUTED, WAITED, USED = Counter(), Counter(), Counter()  # operators by device; synchronisations by device; features
PEAK: dict[int, int] = defaultdict(int)
BOUND: dict[int, int] = defaultdict(int)  # allocated at most: what was freed since the last count is still in it
RESERVED: dict[int, int] = defaultdict(int)
NCCL: set[bool] = set()
CAPTURED: list[list] = []  # the graphs that are being captured, each a list of operators
SYNC = {"mode": "default"}


class Local(threading.local):
    """Of a thread: its current GPU and streams, the device of the call it is in, whether autograd runs."""

    def __init__(self):
        self.device, self.streams, self.ambient, self.backward, self.named = 0, {}, None, 0, False


HERE = Local()


def key_of(tensor) -> int | None:
    tensor = getattr(tensor, "_local_tensor", tensor)  # a DTensor lives where this rank's part does
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):  # no storage: sparse, functional
        return None


def known(tensor):
    """The GPU's number, CPU, or None: made inside C++, nobody said where."""
    found = HOMES.get(key_of(tensor))
    return found[1] if found else None


def home(tensor) -> int | None:
    """The GPU's number, or None for the CPU."""
    found = known(tensor)
    return None if found == CPU else found


def live(tensor, device: int | str | None) -> None:
    """From now on this tensor's storage, and with it each view, lives there (None: on the CPU)."""
    device = CPU if device is None else device
    if tensor.device.type == "meta" or (key := key_of(tensor)) is None:
        return
    if len(HOMES) > 4000:
        forget()
    old = HOMES.get(key)
    HOMES[key] = (old[0] if old else StorageWeakRef(tensor.untyped_storage()), device)
    if device != CPU and not (old and old[1] == device):
        BOUND[device] += rounded(tensor.untyped_storage().nbytes())
        if BOUND[device] > PEAK[device]:
            PEAK[device] = max(PEAK[device], allocated(device))
            if PEAK[device] > MEMORY:
                raise torch.OutOfMemoryError(f"CUDA out of memory: {PEAK[device]} bytes on the stand-in's GPU {device}")


def forget() -> None:
    for table, weak in ((HOMES, lambda entry: entry[0]), (PINNED, lambda entry: entry)):
        for key in [key for key, entry in table.items() if weak(entry).expired()]:
            del table[key]


def rounded(nbytes: int, to: int = 512) -> int:
    return -(-nbytes // to) * to


def allocated(device: int) -> int:
    """Bytes of the storages that live there now, in blocks of 512 as CUDA's allocator gives them."""
    forget()
    total = 0
    for reference, place in HOMES.values():
        if place == device and (storage := torch.UntypedStorage._new_with_weak_ptr(reference.cdata)) is not None:
            total += rounded(storage.nbytes())
    BOUND[device] = total
    RESERVED[device] = max(RESERVED[device], rounded(total, 2**21))
    return total


def number(device=None) -> int:
    """Which GPU is meant, as CUDA would understand it."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {device}")
        device = device.index
    device = HERE.device if device is None or device == -1 else device
    if device >= count():
        raise torch.AcceleratorError("CUDA error: invalid device ordinal")
    return device


def count() -> int:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return GPUS[0] if visible is None else min(GPUS[0], len([v for v in visible.split(",") if v.strip()]))


def move(tensor, device: int | None, **options):
    """A copy that lives there; its gradient comes back to where the tensor lives."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return Move.apply(tensor, device, options)
    with torch._C.DisableTorchFunction():
        result = tensor.detach().to(copy=True, **options)
    live(result, device)
    return result


class Move(torch.autograd.Function):
    """A copy from device to device: autograd below sees one device only, so the way back is written out."""

    @staticmethod
    def forward(ctx, tensor, device, options):
        ctx.source, ctx.dtype = home(tensor), tensor.dtype
        with torch._C.DisableTorchFunction():
            result = tensor.detach().to(copy=True, **options)
        live(result, device)
        return result

    @staticmethod
    def backward(ctx, gradient):
        with torch._C.DisableTorchFunction():
            result = gradient.to(copy=True, dtype=ctx.dtype)
        live(result, ctx.source)
        return result, None, None


# --- each operator that is executed

MAY_MIX = {"copy_", "_to_copy", "index", "index_put_", "_index_put_impl_", "index_put", "_foreach_copy_", "set_",
           "resize_", "is_same_size", "_has_compatible_shallow_copy_type"}  # fmt: skip
WAITS = {"_local_scalar_dense", "nonzero", "masked_select", "_unique2", "unique_dim", "unique_consecutive", "equal",
         "is_nonzero", "bincount", "_assert_async"}  # fmt: skip
PRODUCTS = {"mm", "addmm", "bmm", "baddbmm"}


def called(func) -> str:
    return func._overloadpacket.__name__ if hasattr(func, "_overloadpacket") else str(func)


def synchronizing(what: str) -> None:
    """The host waits for the current stream, which set_sync_debug_mode may forbid."""
    if CAPTURED:
        raise torch.AcceleratorError(f"CUDA error: operation not permitted when stream is capturing ({what})")
    current_stream().done = current_stream().issued
    if SYNC["mode"] == "error":
        raise RuntimeError("called a synchronizing CUDA operation")
    if SYNC["mode"] == "warn":
        warnings.warn(f"called a synchronizing CUDA operation ({what})", UserWarning, stacklevel=4)


class Ops(TorchDispatchMode):
    def __torch_dispatch__(self, func, types_, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(issubclass(cls, FakeTensor) for cls in types_):
            return func(*args, **kwargs)  # a tensor without numbers, in the planning of something
        if any(cls.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ for cls in types_
               if hasattr(cls, "__torch_dispatch__")):  # fmt: skip
            return NotImplemented  # a DTensor: its parts come here by themselves
        with torch._C.DisableTorchFunction():
            return self.operate(func, args, kwargs)

    def operate(self, func, args, kwargs):
        name, flat = called(func), tree_flatten((args, kwargs))[0]
        tensors = [value for value in flat if isinstance(value, torch.Tensor)]
        homes = [(tensor, known(tensor)) for tensor in tensors]
        gpus = list(dict.fromkeys(place for _, place in homes if place not in (None, CPU)))
        if func.namespace in ("c10d", "_c10d_functional"):
            self.refuse_cpu(name, homes)
        elif name not in MAY_MIX:
            self.refuse_two(gpus, homes)
        elif name == "index" and not gpus_of(tensors[:1]) and gpus:
            raise RuntimeError(f"indices should be either on cpu or on the same device as the indexed tensor (cpu); "
                               f"found cuda:{gpus[0]}")  # fmt: skip
        if name in ("copy_", "_foreach_copy_"):
            self.copied(args, kwargs)
        target = gpus[0] if gpus else HERE.ambient if not tensors else None
        if isinstance(wanted := kwargs.get("device"), torch.device) and wanted.type == "cuda":  # said within torch
            target, kwargs = number(wanted), {**kwargs, "device": torch.device("cpu")}
        if name in ("copy_", "set_") and tensors:
            target = home(tensors[0])
        if target is not None:
            COMPUTED[target] += 1
            current_stream(target).issued += 1
            if name in WAITS or name == "index" and any(t.dtype in (torch.bool, torch.uint8) for t in tensors[1:]):
                synchronizing(name)
        result = self.run(func, name, args, kwargs, tensors, target)
        place = target if target is not None else CPU if HERE.named and not HERE.backward else None
        if place is not None:
            for tensor in tree_flatten(result)[0]:
                if isinstance(tensor, torch.Tensor) and known(tensor) is None:
                    live(tensor, place)
        if target is not None and CAPTURED:
            CAPTURED[-1].append((func, args, kwargs, result))
        return result

    @staticmethod
    def refuse_two(gpus, homes):
        """Two GPUs, or a GPU and the CPU: an error, except for a single number on the CPU."""
        others = [tensor for tensor, place in homes if place in (None, CPU) and tensor.dim()
                  and not (place is None and HERE.backward)]  # fmt: skip
        if len(gpus) > 1 or gpus and others:
            second = f"cuda:{gpus[1]}" if len(gpus) > 1 else "cpu"
            raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                               f"cuda:{gpus[0]} and {second}!")  # fmt: skip

    @staticmethod
    def refuse_cpu(name, homes):
        if NCCL and any(place == CPU for _, place in homes):
            raise RuntimeError(f"No backend type associated with device type cpu ({name} with NCCL)")

    @staticmethod
    def copied(args, kwargs):
        """A copy between host and GPU waits, unless it is told not to and the host's memory is pinned."""
        to, source = args[:2]
        if isinstance(to, list | tuple):
            to, source = to[0], source[0]
        target, origin = home(to), home(source)
        if target == origin:
            return
        quick = args[2] if len(args) > 2 else kwargs.get("non_blocking", False)
        host = source if origin is None else to
        pinned = key_of(host) in PINNED
        if (target is None or origin is None) and not (quick and pinned):
            device = target if origin is None else origin
            current_stream(device).issued += 1
            synchronizing("a copy") if not quick else None

    def run(self, func, name, args, kwargs, tensors, target):
        if target is not None and self.too_much(name, args, tensors) and (hollow := self.hollow(func, args, kwargs)):
            return hollow[0]
        try:
            return func(*args, **kwargs)
        except (RuntimeError, NotImplementedError) as error:
            if target is not None and "not implemented for" in str(error) and "CPU" in str(error).upper() + "CPU":
                if hollow := self.hollow(func, args, kwargs):  # the CPU has no such kernel, a GPU has
                    return hollow[0]
            raise

    @staticmethod
    def too_much(name, args, tensors):
        if any(tensor.numel() > LARGE for tensor in tensors):
            return True
        if not tensors and args and isinstance(args[0], list | tuple):  # a factory: sizes
            sizes = [size for size in args[0] if isinstance(size, int)]
            return bool(sizes) and torch.Size(sizes).numel() > LARGE
        if name in PRODUCTS:
            a, b = tensors[-2:]
            return 2 * a.numel() * b.shape[-1] > LONG
        return False

    @staticmethod
    def hollow(func, args, kwargs):
        """[result] with the right shapes and any content; [] where that cannot be told without computing."""
        name = called(func)
        if getattr(func, "is_view", False) or name in WAITS or name == "detach":
            return []
        if func._schema.is_mutable:
            if "out" in kwargs:
                return [kwargs["out"]]
            return [args[0]] if name.endswith("_") and len(func._schema.returns) == 1 else []

        def shape(tensor):
            return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")

        def solid(tensor):
            return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)

        inner = tree_map_only(torch.Tensor, shape, (args, kwargs))
        if "device" in inner[1] or not any(isinstance(v, torch.Tensor) for v in tree_flatten(inner)[0]):
            inner[1]["device"] = torch.device("meta")
        inner[1].pop("pin_memory", None)
        try:
            return [tree_map_only(torch.Tensor, solid, func(*inner[0], **inner[1]))]
        except NotImplementedError:
            return []


def gpus_of(tensors):
    return [place for place in map(home, tensors) if place is not None]


# --- what Python asks of torch

T = torch.Tensor


def as_index(device) -> int | None:
    """A GPU's number for a device that says cuda, None for the CPU."""
    if isinstance(device, int):
        return number(device)
    device = torch.device(device) if isinstance(device, str) else device
    return number(device) if device.type == "cuda" else None


def has_home(tensor) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.device.type == "cpu"


def get_device(tensor):
    place = home(tensor)
    return tensor.device if place is None else torch.device("cuda", place)


def to(tensor, *args, **kwargs):
    args = list(args)
    if args and isinstance(args[0], torch.Tensor) or "other" in kwargs:  # like another tensor
        other = kwargs.pop("other", None) if "other" in kwargs else args.pop(0)
        args = [get_device(other), other.dtype, *args]
    if args and isinstance(args[0], int) and not isinstance(args[0], bool):
        args[0] = torch.device("cuda", args[0])
    memory_format = kwargs.get("memory_format")
    copy = kwargs.pop("copy", False)
    device, dtype, quick, _ = torch._C._nn._parse_to(*args, **kwargs)
    options = {key: value for key, value in (("dtype", dtype), ("memory_format", memory_format)) if value is not None}
    if device is not None and device.type == "meta":
        return T.to(tensor, *args, **kwargs)
    device = device or get_device(tensor)
    source, target = home(tensor), as_index(device)
    if source == target and not copy and (dtype is None or dtype == tensor.dtype):
        return T.to(tensor, **options) if options else tensor
    if source != target and (source is None or target is None):
        quick = quick and (key_of(tensor) in PINNED if source is None else True)
        if target is None and quick:
            USED["an unfinished copy to the host"] += 1
        stream = current_stream(target if target is not None else source)
        stream.issued += 1
        if not quick:
            synchronizing("a copy")
    return move(tensor, target, **options)


def cuda(tensor, device=None, non_blocking=False, memory_format=torch.preserve_format):
    return to(tensor, torch.device("cuda", number(device)), non_blocking=non_blocking)


def cpu(tensor, memory_format=torch.preserve_format):
    return to(tensor, torch.device("cpu"))


def pin_memory(tensor, device=None):
    if home(tensor) is not None:
        raise RuntimeError("cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned")
    if key_of(tensor) in PINNED:
        return tensor
    copy = tensor.detach().clone()
    pinned(copy)
    return copy


def pinned(tensor):
    PINNED[key_of(tensor)] = StorageWeakRef(tensor.untyped_storage())


def no_numpy(method):
    def checked(tensor, *args, **kwargs):
        if (place := home(tensor)) is not None:
            raise TypeError(f"can't convert cuda:{place} device type tensor to numpy. Use Tensor.cpu() to copy the "
                            "tensor to host memory first.")  # fmt: skip
        return method(tensor, *args, **kwargs)

    return checked


def tolist(tensor):
    if home(tensor) is not None:
        synchronizing("tolist")
    return T.tolist(tensor)


def shown(tensor, *, tensor_contents=None):
    if home(tensor) is None:
        return T.__repr__(tensor, tensor_contents=tensor_contents)
    synchronizing("repr")
    text = T.__repr__(tensor, tensor_contents=tensor_contents)
    end = text.rindex(")")
    return f"{text[:end]}, device='cuda:{home(tensor)}'{text[end:]}"


def deepcopied(tensor, memo):
    result = T.__deepcopy__(tensor, memo)
    if home(tensor) is not None:
        live(result, home(tensor))
    return result


def get_grad(tensor):
    grad = T.grad.__get__(tensor)
    if grad is not None and known(grad) is None and home(tensor) is not None:
        live(grad, home(tensor))  # DDP's buckets are made in C++
    return grad


def set_grad(tensor, grad):
    if grad is not None and home(grad) != home(tensor):
        raise RuntimeError("assigned grad has data located on a different device")
    return T.grad.__set__(tensor, grad)


def backward(tensor, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    torch.autograd.backward(tensor, gradient, retain_graph, create_graph, inputs=inputs)


SPECIAL = {
    T.device.__get__: get_device, T.to: to, T.cuda: cuda, T.cpu: cpu, T.pin_memory: pin_memory,
    T.is_cuda.__get__: lambda tensor: home(tensor) is not None,
    T.is_cpu.__get__: lambda tensor: home(tensor) is None and tensor.is_cpu,
    T.get_device: lambda tensor: -1 if home(tensor) is None else home(tensor),
    T.is_pinned: lambda tensor, device=None: key_of(tensor) in PINNED,
    T.numpy: no_numpy(T.numpy), T.__array__: no_numpy(T.__array__), T.tolist: tolist, T.__repr__: shown,
    T.__deepcopy__: deepcopied, T.grad.__get__: get_grad, T.grad.__set__: set_grad, T.backward: backward,
    T.record_stream: lambda tensor, stream: None,
}  # fmt: skip


class Names(TorchFunctionMode):
    def __torch_function__(self, func, types_, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if isinstance(func, torch._ops.OpOverload):  # what a dispatch mode passes on: who has asked, spoke already
            return func(*args, **kwargs)
        if func is T.backward:
            with self:  # hooks and functions of one's own speak of devices too
                return backward(*args, **kwargs)
        before = HERE.ambient, HERE.named
        special = SPECIAL.get(func)
        if special is not None and has_home(args[0]):
            return special(*args, **kwargs)
        wanted = kwargs.get("device")
        if type(wanted) is int or isinstance(wanted, str | torch.device) and torch.device(wanted).type in ("cuda", CPU):
            target = as_index(wanted)
            kwargs["device"] = torch.device("cpu")
        else:
            wanted, target = None, None
        pin = bool(kwargs.get("pin_memory")) and func not in SPECIAL
        if pin:
            kwargs["pin_memory"] = False
        places = [place for value in tree_flatten((args, kwargs))[0] if has_home(value)
                  and (place := home(value)) is not None]  # fmt: skip
        if wanted is None and places:
            target = places[0]
        HERE.ambient, HERE.named = target, True
        try:
            result = func(*args, **kwargs)
        finally:
            HERE.ambient, HERE.named = before
        if wanted is not None or pin:
            for tensor in tree_flatten(result)[0]:
                if has_home(tensor):
                    if pin:
                        pinned(tensor)
                    if home(tensor) != target and wanted is not None:
                        if key_of(tensor) in {key_of(value) for value in tree_flatten(args)[0] if has_home(value)}:
                            return to(tensor, wanted)
                        live(tensor, target)
        return result


def named(function):
    """Hooks that C++ calls in the midst of an operator speak of devices too."""

    def with_names(*args, **kwargs):
        if any(isinstance(mode, Names) for mode in torch.overrides._get_current_function_mode_stack()):
            return function(*args, **kwargs)
        with Names():
            return function(*args, **kwargs)

    return with_names


# --- streams and events

STREAMS: dict[int, list] = defaultdict(list)


class Stream:
    """Counts what was queued and what is done. All is computed at once; ``done`` says what the host may know of it."""

    def __init__(self, device=None, priority=0, **_):
        self.index = number(device)
        self.device, self.priority, self.issued, self.done = torch.device("cuda", self.index), priority, 0, 0
        self.stream_id = self.cuda_stream = len(STREAMS[self.index])
        STREAMS[self.index].append(self)

    def synchronize(self):
        self.done = self.issued

    def query(self):
        ready = self.done >= self.issued
        self.done = self.issued
        return ready

    def is_capturing(self):
        return False

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, stream):
        self.issued += 1

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self):
        self.before = HERE.device, current_stream(self.index)
        HERE.device, HERE.streams[self.index] = self.index, self
        return self

    def __exit__(self, *_):
        HERE.device, HERE.streams[self.index] = self.before


class Event:
    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **_):
        self.enable_timing, self.stream, self.mark, self.polls, self.time = enable_timing, None, 0, 0, 0.0

    def record(self, stream=None):
        self.stream = stream or current_stream()
        self.stream.issued += 1
        self.mark, self.polls, self.time = self.stream.issued, 0, time.perf_counter()

    def wait(self, stream=None):
        stream = stream or current_stream()
        stream.issued += 1

    def query(self):
        if self.stream is None or self.stream.done >= self.mark:
            return True
        self.polls += 1
        if self.polls >= POLLS:
            self.synchronize()
        return False

    def synchronize(self):
        if self.stream is not None:
            self.stream.done = max(self.stream.done, self.mark)

    def elapsed_time(self, end):
        if not (self.enable_timing and end.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.stream is None or end.stream is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if self.stream.done < self.mark or end.stream.done < end.mark:
            raise ValueError("Both events must be completed before calculating elapsed time.")
        if self.stream.index != end.stream.index:
            raise ValueError(f"Event device cuda:{self.stream.index} does not match cuda:{end.stream.index}.")
        return max((end.time - self.time) * 1e3, 1e-3)


def default_stream(device=None):
    index = number(device)
    return STREAMS[index][0] if STREAMS[index] else Stream(index)


def current_stream(device=None):
    index = number(device)
    return HERE.streams.get(index) or default_stream(index)


class StreamContext:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream and self.stream.__enter__()

    def __exit__(self, *error):
        return self.stream and self.stream.__exit__(*error)


def set_stream(stream):
    HERE.device, HERE.streams[stream.index] = stream.index, stream


class Device:
    """``with torch.cuda.device(1):``"""

    def __init__(self, device):
        self.idx = -1 if device is None else number(device)

    def __enter__(self):
        self.before = HERE.device
        HERE.device = self.before if self.idx < 0 else self.idx

    def __exit__(self, *_):
        HERE.device = self.before


def set_device(device):
    if device is None or isinstance(device, int) and device < 0:
        return
    HERE.device = number(device)


def synchronize(device=None):
    index = number(device)
    WAITED[index] += 1
    for stream in STREAMS[index]:
        stream.synchronize()


def properties(device=None):
    number(device)
    return types.SimpleNamespace(
        name=NAME, major=CAPABILITY[0], minor=CAPABILITY[1], total_memory=MEMORY, multi_processor_count=40,
        L2_cache_size=4 * 2**20, shared_memory_per_block=48 * 2**10, shared_memory_per_block_optin=64 * 2**10,
        shared_memory_per_multiprocessor=64 * 2**10, regs_per_multiprocessor=65536, warp_size=32,
        max_threads_per_multi_processor=1024, max_threads_per_block=1024, is_integrated=False, is_multi_gpu_board=False,
        clock_rate=1_590_000, memory_clock_rate=5_001_000, memory_bus_width=256, gcnArchName="", uuid="stand-in",
        pci_bus_id=0, pci_device_id=0, pci_domain_id=0)  # fmt: skip


def capability(device=None):
    number(device)
    return CAPABILITY


def memory_stats(device=None):
    index = number(device)
    now = allocated(index)
    return Counter({"allocated_bytes.all.current": now, "allocated_bytes.all.peak": max(PEAK[index], now),
                    "reserved_bytes.all.current": RESERVED[index], "reserved_bytes.all.peak": RESERVED[index],
                    "num_alloc_retries": 0, "num_ooms": 0})  # fmt: skip


def memory_of(key):
    return lambda device=None: memory_stats(device)[key]


def reset_peak(device=None):
    index = number(device)
    PEAK[index] = allocated(index)


def empty_cache():
    for index in range(count()):
        RESERVED[index] = 0
        allocated(index)


def set_sync_debug_mode(mode):
    SYNC["mode"] = {0: "default", 1: "warn", 2: "error"}.get(mode, mode)
    if SYNC["mode"] not in ("default", "warn", "error"):
        raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")


def cannot(what):
    def refuse(*_, **__):
        USED[what] += 1
        raise StandInCannot(what)

    return refuse


class CUDAGraph:
    """The operators of the capture; replay executes them again, into the same results."""

    def __init__(self, **_):
        USED["CUDA graphs"] += 1
        self.operators = None

    def capture_begin(self, *_, **__):
        self.operators = []
        CAPTURED.append(self.operators)

    def capture_end(self):
        CAPTURED.pop()

    def replay(self):
        if self.operators is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        current_stream().issued += 1
        with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction(), torch.no_grad():
            for func, args, kwargs, result in self.operators:
                olds = [old for old in tree_flatten(result)[0] if isinstance(old, torch.Tensor)]
                if all(old.numel() <= LARGE for old in olds):
                    inputs = {key_of(v) for v in tree_flatten((args, kwargs))[0] if isinstance(v, torch.Tensor)}
                    news = [new for new in tree_flatten(func(*args, **kwargs))[0] if isinstance(new, torch.Tensor)]
                    for old, new in zip(olds, news, strict=True):
                        if key_of(old) not in inputs:
                            old.detach().copy_(new.detach())

    def reset(self):
        self.operators = None

    def pool(self):
        return (0, 0)


class Capture:
    """``with torch.cuda.graph(graph):``"""

    def __init__(self, cuda_graph, pool=None, stream=None, **_):
        self.graph, self.stream = cuda_graph, stream or Stream()

    def __enter__(self):
        self.stream.__enter__()
        self.graph.capture_begin()

    def __exit__(self, *error):
        self.graph.capture_end()
        self.stream.__exit__(*error)


def patch_cuda() -> None:
    made = dict(
        is_available=lambda: count() > 0, device_count=count, current_device=lambda: HERE.device, set_device=set_device,
        device=Device, _DeviceGuard=Device, get_device_name=lambda device=None: properties(device).name,
        get_device_properties=properties, get_device_capability=capability, synchronize=synchronize, Stream=Stream,
        Event=Event, stream=StreamContext, StreamContext=StreamContext, current_stream=current_stream,
        default_stream=default_stream, set_stream=set_stream, init=lambda: None, _lazy_init=lambda: None,
        is_initialized=lambda: count() > 0, is_bf16_supported=lambda including_emulation=True: including_emulation,
        empty_cache=empty_cache, memory_stats=memory_stats, memory_allocated=memory_of("allocated_bytes.all.current"),
        max_memory_allocated=memory_of("allocated_bytes.all.peak"),
        memory_reserved=memory_of("reserved_bytes.all.current"),
        max_memory_reserved=memory_of("reserved_bytes.all.peak"), reset_peak_memory_stats=reset_peak,
        reset_accumulated_memory_stats=lambda device=None: None, reset_max_memory_allocated=reset_peak,
        mem_get_info=lambda device=None: (MEMORY - allocated(number(device)), MEMORY),
        memory_summary=lambda device=None, abbreviated=False: "no summary: a stand-in",
        manual_seed=lambda seed: torch.manual_seed(seed), manual_seed_all=lambda seed: None, seed=lambda: None,
        get_rng_state=lambda device=None: torch.get_rng_state(), set_rng_state=lambda state, device=None: None,
        get_rng_state_all=lambda: [torch.get_rng_state()], set_rng_state_all=lambda states: None,
        can_device_access_peer=lambda a, b: False, ipc_collect=lambda: None, get_arch_list=lambda: ["sm_75"],
        set_sync_debug_mode=set_sync_debug_mode,
        get_sync_debug_mode=lambda: ["default", "warn", "error"].index(SYNC["mode"]),
        CUDAGraph=CUDAGraph, graph=Capture, make_graphed_callables=cannot("make_graphed_callables"),
        is_current_stream_capturing=lambda: bool(CAPTURED), graph_pool_handle=lambda: (0, 0),
        memory_snapshot=cannot("a snapshot of memory"), _exchange_device=lambda index: HERE.device,
        _maybe_exchange_device=lambda index: HERE.device, _is_in_bad_fork=lambda: False,
    )  # fmt: skip
    for name, value in made.items():
        for module in (torch.cuda, torch.cuda.memory, torch.cuda.streams, torch.cuda.graphs):
            if module is torch.cuda or hasattr(module, name):
                setattr(module, name, value)
    for name in ("_record_memory_history", "_dump_snapshot", "_snapshot"):
        setattr(torch.cuda.memory, name, cannot("a snapshot of memory"))
    torch.cuda.nccl.version = lambda: (0, 0, 0)
    for name in ("range_push", "range_pop", "mark"):
        setattr(torch.cuda.nvtx, name, lambda *_: 0)


def patch_rest() -> None:
    device = torch.device("cuda")
    acc = torch.accelerator
    torch._C._get_accelerator = lambda *_: device if count() else torch.device("cpu")
    acc.is_available, acc.device_count = torch.cuda.is_available, count
    acc.current_accelerator = lambda check_available=False: device if count() else None
    acc.synchronize, acc.current_device_index = synchronize, torch.cuda.current_device
    acc.current_stream, acc.set_device_index, acc.set_stream = current_stream, set_device, set_stream
    acc.memory_allocated, acc.empty_cache = torch.cuda.memory_allocated, empty_cache

    enter = torch.amp.autocast_mode.autocast.__init__

    def autocast(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.float16
        enter(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    torch.amp.autocast_mode.autocast.__init__ = autocast

    run = torch.autograd.graph._engine_run_backward

    def run_backward(*args, **kwargs):
        HERE.backward += 1
        try:
            return named(run)(*args, **kwargs)
        finally:
            HERE.backward -= 1

    torch.autograd._engine_run_backward = torch.autograd.graph._engine_run_backward = run_backward

    hooks = torch.autograd.graph.saved_tensors_hooks.__init__

    def named_hooks(self, pack, unpack):
        hooks(self, named(pack), named(unpack))

    torch.autograd.graph.saved_tensors_hooks.__init__ = named_hooks

    class Generator(torch._C.Generator):
        def __new__(cls, device="cpu"):
            return super().__new__(cls, "cpu")

    torch.Generator = Generator

    load = torch.load

    def loaded(f, map_location=None, **kwargs):
        if not isinstance(map_location, str | torch.device) or torch.device(map_location).type != "cuda":
            return load(f, map_location=map_location, **kwargs)
        found = load(f, map_location="cpu", **kwargs)
        return tree_map_only(torch.Tensor, lambda tensor: tensor.to(map_location), found)

    torch.load = loaded
    torch.compile = compile_eagerly(torch.compile)

    start = threading.Thread.run

    def run_thread(self):
        if not self.name.startswith("pydevd"):
            with Names(), Ops():
                return start(self)
        return start(self)

    threading.Thread.run = run_thread

    profile = torch.profiler.profile.__init__

    def without_kernels(self, *, activities=None, **kwargs):
        if activities is not None and torch.profiler.ProfilerActivity.CUDA in activities:
            USED["kernels in a profile"] += 1
            activities = [torch.profiler.ProfilerActivity.CPU]
        profile(self, activities=activities, **kwargs)

    torch.profiler.profile.__init__ = without_kernels


def compile_eagerly(real):
    """torch.compile for a GPU needs Triton: the function itself takes its place. A backend of one's own compiles."""

    def compiled(model=None, **options):
        if model is None:
            return lambda function: compiled(function, **options)
        if options.get("backend", "inductor") != "inductor":
            return real(model, **options)
        USED["torch.compile"] += 1
        if isinstance(model, torch.nn.Module):
            return model

        def eager(*args, **kwargs):
            return model(*args, **kwargs)

        eager._torchdynamo_orig_callable = model
        return eager

    return compiled


def patch_distributed() -> None:
    import torch.distributed as dist

    if not dist.is_available():
        return
    c10d = dist.distributed_c10d
    init, backend_of = c10d.init_process_group, c10d.get_backend

    def init_process_group(backend=None, *args, device_id=None, **kwargs):
        if backend is None and count() or backend and "nccl" in backend:
            NCCL.add(True)
            if device_id is not None and torch.device(device_id).index is None:
                raise ValueError("init_process_group: device_id must have an index")
        return init("cpu:gloo,cuda:gloo" if NCCL else backend, *args, **kwargs)

    def get_backend(group=None):
        return "nccl" if NCCL else backend_of(group)

    def current():
        return torch.device("cuda", HERE.device)

    object_device = c10d._get_object_coll_device
    c10d._get_object_coll_device = lambda group=None: current() if NCCL else object_device(group)
    for name, value in (("init_process_group", init_process_group), ("get_backend", get_backend),
                        ("is_nccl_available", lambda: True)):  # fmt: skip
        setattr(dist, name, value)
        setattr(c10d, name, value)


def install(gpus: int = 1) -> None:
    """Make this process believe in so many GPUs. There is no way back."""
    GPUS[0] = gpus
    patch_cuda()
    patch_rest()
    patch_distributed()
    patch_kernels()
    Names().__enter__()
    Ops().__enter__()


# --- kernels: they are not run; their launches are looked at

def on_gpu(what, values):
    for value in values:
        if isinstance(value, torch.Tensor) and home(value) is None:
            raise ValueError(f"{what}: cannot be accessed from a kernel (cpu tensor?)")


class Kernel:
    """A ``@triton.jit`` function: a launch has its arguments, by name, and its tensors are on a GPU."""

    def __init__(self, function, **_):
        self.fn, self.__name__ = function, function.__name__

    def __getitem__(self, grid):
        def launch(*args, num_warps=4, num_stages=2, **kwargs):
            USED["Triton kernels"] += 1
            bound = inspect.signature(self.fn).bind(*args, **kwargs)
            if callable(grid):
                grid(bound.arguments)
            on_gpu(f"the Triton kernel {self.__name__}", bound.arguments.values())

        return launch


class NoTriton(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """``import triton`` in a page; torch itself, which would look deeper into it, finds none."""

    def find_spec(self, name, path=None, target=None):
        if name not in ("triton", "triton.language"):
            return None
        frame = sys._getframe()
        while frame := frame.f_back:
            if f"{os.sep}torch{os.sep}" in frame.f_code.co_filename:
                return None
        if name == "triton":
            import torch._inductor.runtime.triton_compat
            import torch.utils._triton

            torch.utils._triton.has_triton_package()  # it keeps its answer
        return importlib.machinery.ModuleSpec(name, self, is_package=name == "triton")

    def exec_module(self, module):
        if module.__name__ == "triton.language":
            module.__getattr__ = lambda name: types.SimpleNamespace()
            return

        def jit(function=None, **options):
            return Kernel(function) if function else Kernel

        module.jit, module.__version__, module.Config = jit, "0.0", dict
        module.autotune = module.heuristics = lambda *_, **__: lambda kernel: kernel
        module.cdiv, module.next_power_of_2 = lambda a, b: -(-a // b), lambda n: 1 << (n - 1).bit_length()


def load_inline(name, cpp_sources, cuda_sources=None, functions=None, **_):
    """A module with the declared functions: they check their arguments, and run nothing."""
    from torch.utils import cpp_extension

    if cuda_sources is None:
        return REAL["load_inline"](name, cpp_sources, functions=functions, **_)
    text = cpp_sources if isinstance(cpp_sources, str) else "\n".join(cpp_sources)
    code = cuda_sources if isinstance(cuda_sources, str) else "\n".join(cuda_sources)
    module, names = types.ModuleType(name), [functions] if isinstance(functions, str) else list(functions or ())
    for wanted in names:
        declared = re.search(rf"([\w:<>]+)\s+{wanted}\s*\(([^)]*)\)\s*;", text)
        if not declared or not re.search(rf"\b{wanted}\s*\(", code):
            raise RuntimeError(f"Error building extension '{name}': {wanted} is not declared and defined")
        setattr(module, wanted, launcher(wanted, *declared.groups()))
    assert cpp_extension.load_inline is load_inline
    return module


def launcher(name, result, declared):
    kinds = [part.strip().rsplit(None, 1)[0] for part in declared.split(",") if part.strip()]

    def launch(*args):
        USED["kernels in CUDA C"] += 1
        if len(args) != len(kinds):
            raise TypeError(f"{name}(): incompatible function arguments: {len(args)} instead of {len(kinds)}")
        for kind, value in zip(kinds, args, strict=True):
            right = isinstance(value, torch.Tensor) if "Tensor" in kind else isinstance(
                value, float | int if kind in ("float", "double") else int)  # fmt: skip
            if not right:
                raise TypeError(f"{name}(): incompatible function arguments: {value!r} is no {kind}")
        on_gpu(name, args)
        tensors = [value for value in args if isinstance(value, torch.Tensor)]
        return [1, 32, 0, 0] if "vector" in result else tensors[0] if "Tensor" in result and tensors else \
            None if result == "void" else 1  # fmt: skip

    return launch


class Driver:
    """What a page asks CUDA's driver by itself: it keeps the limits that it is given."""

    limits: dict[int, int] = defaultdict(lambda: 64)

    def cuCtxSetLimit(self, limit, value):
        USED["a limit of the driver"] += 1
        Driver.limits[limit] = value.value
        return 0

    def cuCtxGetLimit(self, place, limit):
        place._obj.value = Driver.limits[limit]
        return 0


class CDLL(ctypes.CDLL):
    def __new__(cls, name=None, *_, **__):
        return Driver() if name == "libcuda.so.1" else super().__new__(cls)


REAL = {}


def patch_kernels() -> None:
    from torch.utils import cpp_extension

    ctypes.CDLL = CDLL
    REAL["load_inline"] = cpp_extension.load_inline
    cpp_extension.load_inline, cpp_extension.load = load_inline, cannot("a build of CUDA C from files")
    sys.meta_path.insert(0, NoTriton())
