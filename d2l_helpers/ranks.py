"""Start N ranks of a script with torchrun from a notebook, and get their output and results back.

torchrun does the launching. This file adds what a notebook needs: lines by rank, a time limit, results as
data, one readable line when something goes wrong, and nobody left running.
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_MARK = re.compile(r"^(?:\[rank(\d+)\]:\s?)+(.*)$", re.S)  # ours, and once more torch's own on a traceback
_RESULTS = "D2L_RESULTS"


class RanksFailed(RuntimeError):
    """A rank raised, hung, was killed or never came; ``output`` has every line of all of them."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True)
class Run:
    """What came back: ``results`` by rank, ``lines`` by rank, and the seconds from start to end."""

    results: list[dict]
    lines: dict[int, list[str]] = field(repr=False)
    seconds: float


def report(**values) -> None:
    """In a rank's script: hand values back to the notebook, as ``run_ranks(…).results[rank]``.

    Tensors and arrays become lists. What a rank reports later, also after a restart, is added; the same key is
    replaced. Started by hand, on a cluster, the rank prints them as one line of JSON.
    """
    text = json.dumps(values, default=lambda value: value.tolist())
    rank, folder = os.environ.get("RANK", "0"), os.environ.get(_RESULTS)
    if not folder:
        print(text, flush=True)
        return
    path = Path(folder, f"rank{rank}.json")
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    part = path.with_suffix(".part")  # replaced as a whole: a rank may be killed while it writes
    part.write_text(json.dumps({**known, **json.loads(text)}), encoding="utf-8")
    part.replace(path)


def run_ranks(
    script: str | Path,
    ranks: int = 2,
    *,
    args=(),
    env: dict[str, str] | None = None,
    timeout: float = 120.0,
    threads: int = 1,
    restarts: int = 0,
    machines=None,
    show: str = "live",
) -> Run:
    """Run ``ranks`` processes of ``script`` under torchrun; on each machine of a ``Cluster``, if one is given.

    ``show``: ``"live"`` prints each line as it comes, ``"by rank"`` all lines at the end in the order of the
    ranks (the same in every run), ``""`` nothing. ``threads`` is OMP_NUM_THREADS of a rank. ``restarts`` is
    torchrun's ``--max-restarts``. Raises ``RanksFailed``; whatever happens, no process is left. Where the
    notebook itself is killed, Linux's ``setpriv`` sees to that; elsewhere torchrun goes on until its end.
    """
    if not Path(script).is_file():
        raise FileNotFoundError(f"there is no script {str(script)!r} in this folder")
    if ranks < 1 or show not in ("live", "by rank", ""):
        raise ValueError(f"ranks must be at least 1 and show one of 'live', 'by rank', ''; not {ranks}, {show!r}")
    with tempfile.TemporaryDirectory(prefix="ranks-") as folder:
        results = Path(folder, "results")
        results.mkdir()
        environment = {
            **os.environ, "OMP_NUM_THREADS": str(threads), "PYTHONUNBUFFERED": "1", "TMPDIR": folder,
            "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE": "[rank${rank}]:", "TORCH_CPP_LOG_LEVEL": "ERROR",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",  # shared, a restart finds addresses of the dead: pytorch #135712
            _RESULTS: str(results), **({"GLOO_SOCKET_IFNAME": "lo"} if sys.platform == "linux" else {}), **(env or {}),
        }  # fmt: skip
        command = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", "--tee=3"]
        command += [f"--max-restarts={restarts}", f"--log-dir={folder}/log", "--monitor-interval=0.1"]
        rest = [str(script), *map(str, args)]
        start = time.perf_counter()
        if machines is None:
            launches = [[*_die_with_us(), *command, "--standalone", "--local-addr=127.0.0.1", *rest]]
        else:
            environment["GLOO_SOCKET_IFNAME"] = machines.interface
            command += [f"--nnodes={len(machines)}", f"--master-addr={machines.address(0)}", "--master-port=29500"]
            launches = [
                [*machines.enter(k), *_die_with_us(), *command, f"--node-rank={k}", *rest] for k in range(len(machines))
            ]
        everything = ranks * len(launches)
        lines = _follow(launches, environment, timeout, everything, results, show)
        files = [results / f"rank{rank}.json" for rank in range(everything)]
        found = [json.loads(file.read_text(encoding="utf-8")) if file.exists() else {} for file in files]
    if show == "by rank":
        for rank in sorted(lines):
            print("\n".join(f"[{rank}] {line}" for line in lines[rank]))
    return Run(found, lines, time.perf_counter() - start)


def _die_with_us() -> list[str]:
    """A prefix that has Linux end torchrun, and torchrun its ranks, when the notebook's process is gone."""
    return ["setpriv", "--pdeathsig", "TERM"] if sys.platform == "linux" and shutil.which("setpriv") else []


def _follow(launches, environment, limit, ranks, results, show):
    """Print and keep the ranks' lines until all launchers have ended; raise RanksFailed if one fails."""
    arrived: queue.Queue = queue.Queue()
    processes, lines, other = [], {}, []
    deadline = time.perf_counter() + limit

    def read(process) -> None:
        for line in process.stdout:
            arrived.put(line.rstrip("\n"))
        arrived.put(process)

    try:
        for command in launches:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                text=True, errors="replace", env=environment, start_new_session=True,
            )  # fmt: skip
            processes.append(process)
            threading.Thread(target=read, args=(process,), daemon=True).start()
        running = len(processes)
        while running:
            try:
                line = arrived.get(timeout=max(0.0, deadline - time.perf_counter()))
            except queue.Empty:
                silent = [r for r in range(ranks) if not (results / f"rank{r}.json").exists()]
                who = f"rank {', '.join(map(str, silent))} had reported nothing" if silent else "all had reported"
                raise RanksFailed(f"no end within {limit:g} s: {who}; all were ended", _text(lines, other)) from None
            if isinstance(line, subprocess.Popen):
                running -= 1
                if line.wait() != 0:
                    raise RanksFailed(_reason(lines, other, line.returncode), _text(lines, other))
            elif found := _MARK.match(line):
                rank, words = int(found[1]), found[2]
                lines.setdefault(rank, []).append(words)
                if show == "live":
                    print(f"[{rank}] {words}", flush=True)
            else:
                other.append(line)
    finally:
        _end(processes, results)
    return lines


def _end(processes, results: Path) -> None:
    """Kill the launchers, then whoever carries this run's mark: a rank has a session of its own, and may have
    lost its launcher."""
    import psutil

    for process in processes:  # first, so that they start no new ranks
        process.kill()
    left = True
    while left:
        left = False
        for process in psutil.process_iter():
            try:
                if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_RESULTS) == str(results):
                    process.kill()
                    left = True
            except psutil.Error:  # gone meanwhile, or somebody else's
                pass
    for process in processes:
        process.wait()
        process.stdout.close()


def _text(lines, other) -> str:
    return "\n".join([f"[{rank}] {line}" for rank in sorted(lines) for line in lines[rank]] + other)


def _reason(lines, other, code) -> str:
    """One line: which rank failed first, and its own last words."""
    said = "\n".join(other)
    root = said[said.rfind("Root Cause") :] if "Root Cause" in said else said
    found = re.search(r"rank\s*:\s*(\d+).*?exitcode\s*:\s*(-?\d+)", root, re.S)
    if not found:
        last = next((line for line in reversed(other) if re.match(r"[\w.]*(Error|Exception)\b", line)), "")
        return f"torchrun failed (exit code {code}){': ' + last if last else ''}"
    rank, exitcode = int(found[1]), int(found[2])
    if exitcode < 0:
        return f"rank {rank} was killed by {signal.Signals(-exitcode).name}"
    words = reversed(lines.get(rank, []))
    error = next((line for line in words if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt)?: ", line)), "")
    return f"rank {rank} failed" + (f": {error}" if error else f" with exit code {exitcode}")
