"""A GPU, from its facts and from its clock: sourced numbers, a prediction for each card, and what was measured.

A GPU section of a lesson is two calls, ``gpu_predict`` on any machine and ``gpu_measured`` where there is a GPU; where
there is none, the second shows the records of real ones, or says in one line what to do.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from ..devices import num_gpus
from ..measurement import si
from ..predict import predict
from ..records import recorded
from .facts import facts

MIB = 1024**2
# What torch.cuda.get_device_name() says → (name here, name in facts.csv). A card of another form (PCIe) has another
# clock and memory: better no prediction than one for its cousin.
DEVICES = {
    "Tesla T4": ("T4", "T4"),
    "NVIDIA L4": ("L4", "L4"),
    "NVIDIA A100-SXM4-80GB": ("A100", "A100 SXM 80 GB"),
    "NVIDIA A100-SXM4-40GB": ("A100 40 GB", "A100 SXM 40 GB"),
    "NVIDIA H100 80GB HBM3": ("H100", "H100 SXM"),
    "NVIDIA H200": ("H200", "H200 SXM"),
}
ELSE = ("T4", "H100")  # predicted for where there is no GPU: what Colab lends to all, and a large one
NO_GPU = "no GPU here, and no record of one: to see it, on Colab choose Runtime, Change runtime type, T4 GPU"
_said: set[str] = set()  # lines that a page has shown in full


@dataclass(frozen=True)
class Card:
    """The sourced facts of one GPU, in SI units; the sources are in facts.csv, tables "accelerators" and "gpus".

    ``peak``: FLOP/s by type, dense, with tensor cores except for "float32"; a type the card lacks is not in it.
    ``bandwidth``, ``host`` (to the CPU) and ``nvlink`` (None without): B/s, the links one way. ``memory``, ``l2`` and
    ``shared`` (of one multiprocessor): bytes. ``sms``: multiprocessors. ``launch``: seconds the host needs to launch a
    kernel, without PyTorch's own road to it; one figure for all cards.
    """

    name: str
    bandwidth: float
    memory: float
    peak: dict[str, float] = field(repr=False)
    l2: float
    sms: int
    shared: float
    host: float
    nvlink: float | None
    launch: float


def gpu_card(name: str) -> Card:
    """The facts of "T4", "L4", "A100", "A100 40 GB", "H100", "H200", or of a ``torch.cuda.get_device_name()``.

    Raises:
        ValueError: facts.csv does not know it.
    """
    known = {short: (short, long) for short, long in DEVICES.values()} | DEVICES
    if name not in known:
        raise ValueError(f"no facts about a GPU {name!r}; there are some about {', '.join(known)}")
    short, long = known[name]
    tables = [facts(table).set_index("name").si for table in ("accelerators", "gpus")]
    every = {key: float(value) for table in tables for key, value in table.items()}

    def prefixed(card: str) -> dict[str, float]:
        return {key.removeprefix(f"{card}: "): value for key, value in every.items() if key.startswith(f"{card}: ")}

    own = (prefixed("A100 SXM 80 GB") if long == "A100 SXM 40 GB" else {}) | prefixed(long)
    types = {"float32": "float32", "tf32": "tfloat32", "float16": "float16", "bfloat16": "bfloat16", "int8": "int8"}
    peak = {kind: own[key] for kind, key in types.items() if key in own}
    peak.setdefault("float16", peak.get("bfloat16", 0.0))  # the same for both wherever a card has both
    launch = facts("gpu latency").set_index("name").si["Launch a CUDA kernel"]
    return Card(short, own["memory bandwidth"], own["memory"], peak, own["L2 cache"], int(own["multiprocessors"]),
                own["shared memory"], own["host link"], own.get("link"), float(launch))  # fmt: skip


def gpu_cards() -> list[Card]:
    """What to predict for: the first GPU of this machine, or where there is none a T4 and an H100.

    A GPU without facts: an empty list, after one line.
    """
    if not num_gpus():
        return [gpu_card(name) for name in ELSE]
    name = _device()
    try:
        return [gpu_card(name)]
    except ValueError:
        print(f"no facts about {name}: measured numbers only")
        return []


def _device() -> str:
    import torch

    return torch.cuda.get_device_name(0)


def _here() -> str:
    """The name that measurements of this machine's GPU bear: that of its card, or the device's own."""
    return DEVICES.get(_device(), (_device(),))[0]


class Guess:
    """What ``gpu_predict`` returns: ``prediction`` (None for a GPU without facts) and its ``check``."""

    def __init__(self, prediction, unit: str) -> None:
        self.prediction, self.unit = prediction, unit

    def check(self, found: dict, because: str = ""):
        """Hold what ``gpu_measured`` gave against the prediction; returns ``Prediction.check``'s result.

        Nothing measured: None, in silence, as ``gpu_measured`` has said why. A card that was not predicted, since it
        has no facts or since only a record of it is here: its numbers, without a verdict.
        """
        values = self.prediction.values if self.prediction else {}
        predicted = {curve or x for curve, x in values}
        for card, numbers in found.items():
            if card not in predicted:
                rows = numbers if isinstance(numbers, dict) else {"": numbers}
                said = [f"{name} {si(_middle(value), self.unit)}".strip() for name, value in rows.items()]
                print(f"{card}, measured: {'; '.join(said)}")
        known = {card: numbers for card, numbers in found.items() if card in predicted}
        return self.prediction.check(known, because=because) if known else None


def _middle(value) -> float:
    return median(value) if isinstance(value, list | tuple) else value


def gpu_predict(model, unit: str = "", *, within: float = 0.1, bound: str = "", over: str = "") -> Guess:
    """``model(card)`` → {name: number} or a number, for each of ``gpu_cards()``; printed as ``d2l.predict`` does."""
    values = {card.name: model(card) for card in gpu_cards()}
    return Guess(predict(values, unit, within=within, bound=bound, over=over) if values else None, unit)


def gpu_measured(page: str, key: str, measure, gpus: int = 1) -> dict:
    """{card: value}: ``measure()`` here, or what the records of real GPUs have for it, each with its label.

    Where this machine has fewer than ``gpus`` GPUs and no records/gpu-*.json has "page: key": {}, and one line says
    what to do. ``measure`` returns what JSON can hold: numbers, lists of samples, dictionaries of such.
    """
    name = f"{page}: {key}"
    if (have := num_gpus()) >= gpus:
        card = _here()
        return {card: _keys(recorded(f"gpu-{card}", name, lambda: json.loads(json.dumps(measure()))))}
    short = f"{gpus} GPUs are needed, not {have}" if have else "no GPU here"
    found = {}
    for file, record in gpu_records().items():
        if name in record["runs"]:
            found[record["gpu"]["card"]] = _keys(recorded(file, name, None, short))
    if not found:
        line = NO_GPU if gpus == 1 else f"no {gpus} GPUs here ({have}), and no record of such a machine"
        print(line.split(":")[0].split(",")[0] + ", as above" if line in _said else line)
        _said.add(line)
    return found


def gpu_records() -> dict[str, dict]:
    """{name: record} of every records/gpu-*.json that is here."""
    package = Path(__file__).resolve().parents[1]
    files = {path.stem: path for place in (package.parent / "records", package / "recorded")
             for path in sorted(place.glob("gpu-*.json"))}  # fmt: skip
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in files.items()}


def _keys(value):
    """JSON has no numbers as keys: "4" is 4 again, so that a measurement has the keys of its prediction."""
    if not isinstance(value, dict):
        return value
    return {int(key) if key.isdecimal() else key: _keys(inner) for key, inner in value.items()}


@dataclass(frozen=True)
class GpuTimes:
    """Seconds a call, a sample each round: by CUDA's events, until the call returned, and until all was done."""

    device: list[float]
    queued: list[float]
    done: list[float]


def gpu_times(function, rounds: int = 15, warm: int = 3, loops: int = 1) -> GpuTimes:
    """Time ``function`` on the current GPU: by two events on its stream, and by the host's clock beside them.

    ``loops``: calls in a row between the events, for a call so short that a clock's step would show.
    """
    import torch

    for _ in range(warm):  # libraries load, memory is allocated, clocks rise
        function()
    device, queued, done = [], [], []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start = time.perf_counter()
        begin.record()
        for _ in range(loops):
            function()
        end.record()
        returned = time.perf_counter()
        torch.cuda.synchronize()
        finished = time.perf_counter()
        for times, seconds in ((device, begin.elapsed_time(end) / 1e3), (queued, returned - start),
                               (done, finished - start)):  # fmt: skip
            times.append(seconds / loops)
    return GpuTimes(device, queued, done)


def gpu_probes(n: int = 8192, size: int = 256 * MIB) -> dict[str, float]:
    """One GPU: an operator in µs, copies and device memory in GB/s, matmul by dtype in TFLOP/s; {} without a GPU.

    "operator through PyTorch" is the least that an operator costs: its road through Python and the dispatcher, the
    launch of its kernel, and the kernel. Waited for each time, or a thousand queued. ``n``: side of the matrices;
    ``size``: bytes of a copy.
    """
    import torch

    if not torch.cuda.is_available():
        return {}

    def best(function, repeats: int = 10) -> float:
        times = []
        for _ in range(repeats + 2):
            torch.cuda.synchronize()
            start = time.perf_counter()
            function()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        return min(times[2:])

    tiny, device = torch.zeros(1, device="cuda"), torch.empty(size, dtype=torch.uint8, device="cuda")
    found = {"operator through PyTorch, and wait (µs)": best(lambda: tiny.add_(1)) * 1e6}
    found["operator through PyTorch, queued (µs)"] = best(lambda: [tiny.add_(1) for _ in range(1000)]) * 1e3
    for name, pinned in (("pageable", False), ("pinned", True)):
        host = torch.ones(size, dtype=torch.uint8, pin_memory=pinned)
        found[f"to the GPU, {name} (GB/s)"] = host.numel() / best(lambda h=host: device.copy_(h)) / 1e9
        found[f"from the GPU, {name} (GB/s)"] = host.numel() / best(lambda h=host: h.copy_(device)) / 1e9
    other = torch.empty_like(device)
    found["device memory, read and write (GB/s)"] = 2 * device.numel() / best(lambda: other.copy_(device)) / 1e9
    dtypes = [torch.float32, torch.float16] + [torch.bfloat16] * (torch.cuda.get_device_capability()[0] >= 8)
    for dtype in dtypes:
        a = torch.randn(n, n, device="cuda").to(dtype)
        found[f"matmul {str(dtype)[6:]} (TFLOP/s)"] = 2 * n**3 / best(lambda a=a: a @ a, 5) / 1e12
    return found
