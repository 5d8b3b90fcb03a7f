"""A script in a process of its own: what it reports, what it prints, and nobody left running.

``run_script`` starts one process; ``distributed.run_ranks`` starts several and shares what is here: it follows
their lines, ends them at a time limit with all that they have started, and says in one line what went wrong.
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
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = "D2L_RESULTS"  # the folder for reports; by this variable we know who belongs to a run
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL


class ScriptFailed(RuntimeError):
    """A script raised, hung or was killed. ``output``: all its lines; ``values``: what it had reported by then."""

    def __init__(self, message: str, output: str = "", values=None) -> None:
        super().__init__(message)
        self.output, self.values = output, values


@dataclass(frozen=True)
class Run:
    """What came back: the ``values`` that it reported, its ``lines``, the ``seconds`` from start to end."""

    values: dict
    lines: list[str] = field(repr=False)
    seconds: float


def report(**values) -> None:
    """In a script: hand values back, as ``run_script(…).values`` or ``run_ranks(…).results[rank]``.

    Tensors and arrays become lists, the keys of a dictionary text. What is reported later, also after a restart,
    is added; the same key is replaced. Started by hand, the script prints them as one line of JSON.
    """
    text = json.dumps(values, default=_as_list)
    folder = os.environ.get(RESULTS)
    if not folder:
        print(text, flush=True)
        return
    path = _file(folder, os.environ.get("RANK", "0"))
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    part = path.with_suffix(".part")  # replaced as a whole: a script may be killed while it writes
    part.write_text(json.dumps({**known, **json.loads(text)}), encoding="utf-8")
    part.replace(path)


def run_script(script: str | Path, *args, env: dict | None = None, timeout: float = 120.0) -> Run:
    """Run a Python script in a fresh process, with ``args`` and with ``env`` added to this process's variables.

    Raises ``ScriptFailed``, also after ``timeout`` seconds. The script and all that it has started are gone then,
    and also when it has ended well: it leaves nobody behind.
    """
    if not Path(script).is_file():
        raise FileNotFoundError(f"there is no script {str(script)!r} in this folder")
    name, lines = Path(script).name, []
    with tempfile.TemporaryDirectory(prefix="script-", ignore_cleanup_errors=True) as folder:
        outer = {key: value for key, value in os.environ.items() if key != "RANK"}
        environment = {**outer, "PYTHONUNBUFFERED": "1", **_texts(env), RESULTS: folder}
        start = time.perf_counter()
        command = [*die_with_us("KILL"), sys.executable, str(script), *map(str, args)]
        code = follow([command], environment, timeout, lines.append)
        seconds, values = time.perf_counter() - start, reports(folder, [environment.get("RANK", "0")])[0]
    if code is None:
        raise ScriptFailed(f"{name}: no end within {timeout:g} s; it was ended", "\n".join(lines), values)
    if code:
        raise ScriptFailed(f"{name} {reason(code, lines)}", "\n".join(lines), values)
    return Run(values, lines, seconds)


# --- what ranks share


def follow(
    commands: Sequence[Sequence[str]], environment: dict[str, str], timeout: float, take: Callable[[str], None]
) -> int | None:
    """Run commands side by side and ``take`` their lines as they come; 0, the first exit code that is not, or None.

    None: they had not ended after ``timeout`` seconds. However this ends, by an interrupt too, all of them and
    all that they have started are gone: known by descent, and by the folder in ``environment[RESULTS]``.
    """
    arrived: queue.Queue = queue.Queue()
    processes: list[subprocess.Popen] = []
    deadline, gone = time.monotonic() + timeout, False

    def read(process) -> None:
        with process.stdout:
            for line in process.stdout:
                arrived.put(line.rstrip("\n"))
        arrived.put(process)

    try:
        for command in commands:
            process = subprocess.Popen(
                list(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                text=True, encoding="utf-8", errors="replace", env=environment, start_new_session=True,
            )  # fmt: skip
            processes.append(process)
            threading.Thread(target=read, args=(process,), daemon=True).start()
        running, silent = set(processes), set()
        while running:
            if (left := deadline - time.monotonic()) <= 0:
                return None
            try:
                item = arrived.get(timeout=min(0.2, left))
            except queue.Empty:
                item = None
            if isinstance(item, str):
                take(item)
                continue
            if item:  # its output is closed: its end is near, as a rule
                silent.add(item)
                with suppress(subprocess.TimeoutExpired):
                    item.wait(timeout=min(1.0, left))
            for process in [process for process in running & silent if process.poll() is not None]:
                if process.returncode:
                    return process.returncode
                running.discard(process)
            if item is None and all(process.poll() is not None for process in running):  # others hold their output
                if gone:
                    break
                gone = _end(processes, environment[RESULTS]) or True
        return next((process.returncode for process in processes if process.wait()), 0)
    finally:
        _end(processes, environment[RESULTS])


def reports(folder: str | Path, ranks: Sequence) -> list[dict]:
    """What each of ``ranks`` has reported into ``folder``; an empty dictionary where it was nothing."""
    files = [_file(folder, rank) for rank in ranks]
    return [json.loads(file.read_text(encoding="utf-8")) if file.exists() else {} for file in files]


def reason(code: int, lines: Sequence[str]) -> str:
    """What to say after the name of a script that ended with ``code``: its own error, if ``lines`` has one."""
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    if error := last_error(lines):
        return f"failed: {error}"
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"failed with exit code {code}" + (f"; its last line: {last}" if last else "")


def last_error(lines: Sequence[str]) -> str:
    """The line that names the error of the last traceback, or of a script that is no Python; else empty."""
    starts = [place for place, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")]
    after = lines[starts[-1] + 1 :] if starts else ()
    found = next((line for line in after if line and not line[0].isspace()), "")
    return found or next((line for line in reversed(lines) if re.match(r"[\w.]*Error\b", line)), "")


def die_with_us(how: str) -> list[str]:
    """A prefix that has Linux send the signal ``how`` to a child when the notebook's process is gone."""
    return ["setpriv", "--pdeathsig", how] if sys.platform == "linux" and shutil.which("setpriv") else []


# --- the ends of things


def _end(processes: Sequence[subprocess.Popen], mark: str, limit: float = 10.0) -> None:
    """Kill processes, their descendants, and whoever carries the mark: a rank that lost its launcher does."""
    deadline = time.monotonic() + limit
    if sys.platform != "linux" and not _psutil():  # we cannot look around: torchrun ends its ranks if it is asked to
        for process in processes:
            with suppress(OSError, AttributeError, subprocess.TimeoutExpired):
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=5)
                os.killpg(process.pid, _KILL)
    while left := _left(processes, mark):
        if time.monotonic() > deadline:
            warnings.warn(f"could not end the processes {sorted(left)}", stacklevel=2)
            break
        for pid in [*(process.pid for process in processes if process.pid in left), *left]:  # launchers first
            with suppress(OSError):
                os.kill(pid, _KILL)
        time.sleep(0.01)
    for process in processes:
        with suppress(OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait(timeout=max(0.1, deadline - time.monotonic()))


def _left(processes: Sequence[subprocess.Popen], mark: str) -> set[int]:
    """Who of a run is alive: its processes, those that carry its mark, and the descendants of both."""
    parents, found = {}, {process.pid for process in processes if process.poll() is None}
    for pid, parent, marked in _everybody(f"{RESULTS}={mark}".encode()):
        parents[pid] = parent
        if marked:
            found.add(pid)
    new = found
    while new := {pid for pid, parent in parents.items() if parent in new} - found:
        found |= new
    return (found & set(parents)) - {os.getpid()}


def _everybody(mark: bytes) -> Iterator[tuple[int, int, bool]]:
    """Each process that is no zombie: its number, its parent's, and whether its environment has the mark."""
    if sys.platform != "linux":
        psutil = _psutil()
        for process in psutil.process_iter() if psutil else ():
            with suppress(psutil.Error, OSError):
                if process.status() != psutil.STATUS_ZOMBIE:
                    name, value = mark.decode().split("=", 1)
                    yield process.pid, process.ppid(), process.environ().get(name) == value
        return
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # gone meanwhile
            state, parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:2]
            if state in b"ZX":
                continue
            marked = False
            with suppress(PermissionError):  # somebody else's
                marked = mark in (folder / "environ").read_bytes().split(b"\0")
            yield int(folder.name), int(parent), marked


def _psutil():
    """The package, which Linux does not need; None where it is missing."""
    try:
        import psutil
    except ImportError:
        return None
    return psutil


def _file(folder: str | Path, rank) -> Path:
    return Path(folder, f"rank{rank}.json")


def _texts(env: dict | None) -> dict[str, str]:
    return {key: str(value) for key, value in (env or {}).items()}


def _as_list(value):
    if not hasattr(value, "tolist"):
        raise TypeError(f"report takes numbers, text, lists, dictionaries, arrays and tensors, not {type(value)}")
    return value.tolist()
