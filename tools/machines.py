"""Runs pages as on other machines, from this one: machines.py [--on "older narrow"] [NAME…]

A failing cell or a traceback in an output is a failure. A page that ends with one clear line is not.
The table of pages and machines is kept in records/machines.json, with the version of the code that each entry is of.
"""
import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import execute
import pages
import quiet
import run

import d2l_helpers

RECORD = pages.ROOT / "records" / "machines.json"
MEMORY = 2 * 2**30  # bytes, of the small machine
HIDDEN = re.compile(r"(.*-)?(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|c89|c99|tcc|ip|unshare|nsenter)(-[\d.]+)?")  # programs
WITHOUT_MXNET = """
from importlib.machinery import PathFinder
find, hidden = PathFinder.find_spec, {"mxnet", "pip"}  # pip would find it installed
PathFinder.find_spec = lambda name, path=None, target=None: None if name in hidden else find(name, path, target)
"""
SHELL = 'exec "$@"', "sh"  # what a shell in a namespace does at last


def note(text):
    print(f"({text}) ", end="", flush=True)


def inside(setup, option, otherwise):
    """The beginning of a command in a namespace of its own, after a shell's `setup`; [] and a note where it may not."""
    before = [shutil.which("unshare") or "false", *([] if os.getuid() == 0 else ["-r"]), option,
              "sh", "-ec", f"{setup}; {SHELL[0]}", SHELL[1]]
    if subprocess.run([*before, "true"], capture_output=True).returncode:
        note(otherwise)
        return []
    return before


@contextlib.contextmanager
def older(env):
    """Libraries held to the instructions of an older processor."""
    yield [], {**env, "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell",
               "MKL_ENABLE_INSTRUCTIONS": "AVX2"}


@contextlib.contextmanager
def narrow(env):
    """One core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})  # what is started from now on inherits it
    try:
        yield [], env
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def busy(env):
    """A neighbour on every core."""
    with d2l_helpers.noisy_neighbour():
        yield [], env


@contextlib.contextmanager
def small(env):
    """2 GB of memory, no /dev/shm, a home that cannot be written."""
    with tempfile.TemporaryDirectory() as folder, limited(MEMORY) as group:
        home = Path(folder, "home")
        home.mkdir()
        empty = f"mount -t tmpfs -o ro none {home}; mount -t tmpfs -o ro none /dev/shm"
        join = ["sh", "-c", f"echo $$ > {group}/cgroup.procs; {SHELL[0]}", SHELL[1]] if group else []
        join += inside(empty, "-m", "home and /dev/shm can be written: no mount is allowed here")
        yield join, {**env, "HOME": str(home), "JUPYTER_RUNTIME_DIR": folder}


@contextlib.contextmanager
def limited(size):
    """The folder of a new cgroup with so much memory and no swap (version 1 or 2), or None with a note."""
    v1 = Path("/sys/fs/cgroup/memory")
    group = (v1 if v1.exists() else v1.parent) / f"d2l-{os.getpid()}"
    limits = ("memory.limit_in_bytes", "memory.swappiness") if v1.exists() else ("memory.max", "memory.swap.max")
    try:
        group.mkdir()
        for name, value in zip(limits, (size, 0), strict=True):
            (group / name).write_text(str(value))
    except OSError as error:
        note(f"memory is not limited: {error.strerror}")
        with contextlib.suppress(OSError):
            group.rmdir()
        yield None
        return
    try:
        yield group
    finally:
        while processes := (group / "cgroup.procs").read_text().split():  # what the page left behind
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
            time.sleep(0.1)
        group.rmdir()


@contextlib.contextmanager
def bare(env):
    """No compiler, no MXNet, no cluster of network namespaces, no network."""
    with tempfile.TemporaryDirectory() as folder:
        programs, modules = Path(folder, "bin"), Path(folder, "python")
        programs.mkdir()
        modules.mkdir()
        (modules / "sitecustomize.py").write_text(WITHOUT_MXNET)
        for place in env["PATH"].split(os.pathsep):
            for program in Path(place).glob("*"):
                if not HIDDEN.fullmatch(program.name):
                    with contextlib.suppress(FileExistsError):  # the first of a name counts
                        (programs / program.name).symlink_to(program)
        kept = {key: value for key, value in env.items() if key not in ("CC", "CXX")}
        loopback = f"{shutil.which('ip') or 'false'} link set lo up"
        before = inside(loopback, "-n", "the network is there: no namespace is allowed here")
        yield before, {**kept, "PATH": str(programs), "PYTHONPATH": str(modules)}


MACHINES = {machine.__name__: machine for machine in (older, narrow, busy, small, bare)}


def judged(notebook, problem):
    """(whether it is well, what there is to say) of an executed page."""
    number, error = execute.error_of(notebook) if notebook else (0, None)
    if error:
        line = f"{error.ename}: {error.evalue}".split("\n")[0][:120]
        return error.ename == "SystemExit", f"cell {number}: {line}"
    if problem:
        return False, problem.split("\n")[0][:120]
    for number, cell in enumerate(notebook.cells, 1):
        if any("Traceback (most recent call last)" in text for _, text in pages.output_texts(cell)):
            return False, f"cell {number}: a traceback in its output"
    return True, ""


def try_page(path, machine):
    """One page on one machine, as a short text."""
    begun = time.monotonic()
    with MACHINES[machine](dict(os.environ)) as (before, env):
        well, said = judged(*execute.executed(path, before, env))
    if not well:
        return f"FAILED {said}"
    return f"ok {time.monotonic() - begun:.0f} s" + (f", ended with a line: {said}" if said else "")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="chapters/NAME.ipynb or NAME (default: all)")
    parser.add_argument("--on", default=" ".join(MACHINES), help="of: %(default)s (default: all)")
    options = parser.parse_args(arguments)

    def work():
        on = options.on.split()
        if unknown := set(on) - set(MACHINES):
            raise ValueError(f"there is no machine {min(unknown)}, only {', '.join(MACHINES)}")
        paths, failed = run.runnable(pages.chosen(options.names)), 0
        record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"pages": {}}
        with quiet.alone():
            for number, (path, machine) in enumerate([(path, machine) for path in paths for machine in on], 1):
                print(f"[{number}/{len(paths) * len(on)}] {path.stem} on {machine} … ", end="", flush=True)
                said = try_page(path, machine)
                print(said, flush=True)
                failed += said.startswith("FAILED")
                record["pages"].setdefault(path.stem, {})[machine] = said
                record.setdefault("of", {}).setdefault(path.stem, {})[machine] = pages.version(pages.read(path))
                kept = {key: record[key] for key in ("pages", "of")}
                text = json.dumps({**d2l_helpers.machine(), **kept}, indent=1, ensure_ascii=False)
                RECORD.write_text(text + "\n", encoding="utf-8")  # each time: a long run may be broken off
        rows = [(path.stem, *(re.split(r"[:,]", record["pages"][path.stem].get(name, "-"))[0] for name in MACHINES))
                for path in paths]
        print("\n" + run.table([("page", *MACHINES), *rows]) + "\n\nWritten to records/machines.json")
        return 1 if failed else 0

    return run.guarded(work)


if __name__ == "__main__":
    sys.exit(main())
