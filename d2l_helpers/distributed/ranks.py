"""Start N ranks of a script with torchrun from a notebook, and get their output and results back.

torchrun does the launching. This file adds what a notebook needs: lines by rank, a time limit, results as
data, one readable line when something goes wrong, and nobody left running.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from ..child import RESULTS, ScriptFailed, die_with_us, follow, last_error, reason, reports

_MARK = re.compile(r"^(?:\[rank(\d+)\]:\s?)+(.*)$", re.S)  # ours, and once more torch's own on a traceback


class RanksFailed(ScriptFailed):
    """A rank raised, hung, was killed or never came.

    ``output`` has every line of all of them, ``results`` what each rank had reported by then.
    """

    @property
    def results(self) -> list[dict]:
        return self.values or []


@dataclass(frozen=True)
class Run:
    """What came back: ``results`` by rank, ``lines`` by rank, and the seconds from start to end."""

    results: list[dict]
    lines: dict[int, list[str]] = field(repr=False)
    seconds: float


def run_ranks(
    script: str | Path,
    ranks: int = 2,
    *,
    args=(),
    env: dict[str, str] | None = None,
    timeout: float = 300.0,
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
    if importlib.util.find_spec("torch") is None:
        raise RanksFailed("ranks are started by torchrun, which comes with PyTorch: pip install torch")
    lines, other, start = {}, [], time.perf_counter()

    def take(line: str) -> None:
        if not (found := _MARK.match(line)):
            other.append(line)
            return
        rank, words = int(found[1]), found[2]
        lines.setdefault(rank, []).append(words)
        if show == "live":
            print(f"[{rank}] {words}", flush=True)

    with tempfile.TemporaryDirectory(prefix="ranks-", ignore_cleanup_errors=True) as folder:
        runner = str(Path(__file__).with_name("rank.py"))
        commands = _commands(folder, ranks, restarts, machines, [runner, str(script), *map(str, args)])
        environment = _environment(folder, threads, machines, env or {})
        everybody = range(ranks * len(commands))
        code = follow(commands, environment, timeout, take)
        results = reports(environment[RESULTS], everybody)
    if code != 0:
        output = "\n".join([f"[{rank}] {line}" for rank in sorted(lines) for line in lines[rank]] + other)
        raise RanksFailed(_why(code, timeout, results, lines, other), output, results)
    if show == "by rank":
        for rank in sorted(lines):
            print("\n".join(f"[{rank}] {line}" for line in lines[rank]))
    return Run(results, lines, time.perf_counter() - start)


def _commands(folder, ranks, restarts, machines, rest) -> list[list[str]]:
    """torchrun's command, one for each machine; SIGTERM has torchrun end its ranks when the notebook is gone."""
    command = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", "--tee=3"]
    command += [f"--max-restarts={restarts}", f"--log-dir={folder}/log", "--monitor-interval=0.1"]
    with_us = die_with_us("TERM")
    if machines is None:
        return [[*with_us, *command, "--standalone", "--local-addr=127.0.0.1", *rest]]
    command += [f"--nnodes={len(machines)}", f"--master-addr={machines.address(0)}", "--master-port=29500"]
    return [[*machines.enter(k), *with_us, *command, f"--node-rank={k}", *rest] for k in range(len(machines))]


def _environment(folder, threads, machines, env) -> dict[str, str]:
    results = Path(folder, "results")
    results.mkdir()
    interface = machines.interface if machines is not None else "lo" if sys.platform == "linux" else ""
    return {
        **os.environ, "OMP_NUM_THREADS": str(threads), "PYTHONUNBUFFERED": "1", "TMPDIR": folder,
        "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE": "[rank${rank}]:", "TORCH_CPP_LOG_LEVEL": "ERROR",
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",  # shared, a restart finds addresses of the dead: pytorch #135712
        **({"GLOO_SOCKET_IFNAME": interface} if interface else {}), RESULTS: str(results),
        **{key: str(value) for key, value in env.items()},
    }  # fmt: skip


def _why(code, timeout, results, lines, other) -> str:
    """One line: which rank failed first, and its own last words."""
    if code is None:
        silent = [str(rank) for rank, result in enumerate(results) if not result]
        who = f"rank {', '.join(silent)} had reported nothing" if silent else "all had reported"
        return f"no end within {timeout:g} s: {who}; all were ended"
    said = "\n".join(other)
    root = said[said.rfind("Root Cause") :] if "Root Cause" in said else said
    found = re.search(r"rank\s*:\s*(\d+).*?exitcode\s*:\s*(-?\d+)", root, re.S)
    if not found:
        last = last_error(other)
        return f"torchrun failed (exit code {code}){': ' + last if last else ''}"
    rank = int(found[1])
    return f"rank {rank} {reason(int(found[2]), lines.get(rank, []))}"
