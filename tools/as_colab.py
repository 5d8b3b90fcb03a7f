"""Runs pages of the Colab edition as Colab does: its Python and packages, an empty folder, no network after set-up.

What passed stands in records/colab.json with a digest of all that it depends on, and is not run again.
"""
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import colab
import execute
import nbformat
import pages
import run

import d2l_helpers

RECORD = pages.ROOT / "records" / "colab.json"
PYTHONS = ("3.13", "3.12")  # Colab's of today and the one before; where neither is here, the one that runs this
# Colab, August 2026; the last line is what makes it run here, and what its image has of libraries that pages use.
PACKAGES = ("torch==2.11.0 numpy==2.1.3 pandas==2.2.3 matplotlib==3.10.0 ipython==7.34.0 ipykernel==6.17.1 "
            "psutil scikit-learn scipy networkx threadpoolctl requests setuptools pip").split()
STUB = "def _missing(*_, **__): raise RuntimeError('this is not Colab')\n"


def interpreter():
    """The first Python of PYTHONS that works, else this one."""
    for name in PYTHONS:
        homes = sorted(Path.home().glob(f".pyenv/versions/{name}.*/bin/python"))
        for path in [shutil.which(f"python{name}"), *homes]:
            with contextlib.suppress(OSError):
                if path and subprocess.run([path, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
                    return str(path)
    return sys.executable


def environment():
    """The python of an environment with Colab's packages, made once: 5 GB and some minutes."""
    base = interpreter()
    version = subprocess.run([base, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                             capture_output=True, text=True).stdout.strip()
    place = Path(os.environ.get("D2L_COLAB") or run.BUILD / f"colab-python-{version}")
    python = place / "bin" / "python"
    if (place / "finished").exists() and (place / "finished").read_text() == " ".join(PACKAGES):
        return python
    print(f"Making an environment with Colab's packages, for Python {version} (once; 5 GB, some minutes)", flush=True)
    shutil.rmtree(place, ignore_errors=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    for command in ([base, "-m", "venv", place], [*pip, *PACKAGES]):
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
            raise ValueError("the environment with Colab's packages could not be made; pip's own lines above say why")
    (place / "finished").write_text(" ".join(PACKAGES))
    return python


def installed(python):
    """A digest of what is installed: names, sizes and times of all files, but not what Python compiles."""
    found = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
                           capture_output=True, text=True, check=True)
    files = [path for path in Path(found.stdout.strip()).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return hashlib.sha256(repr(sorted((str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files)).encode()
                          ).hexdigest()


@contextlib.contextmanager
def colab_like(python):
    """(folder, what a command begins with, variables): an empty home and folder, a stub of google.colab, no network."""
    with tempfile.TemporaryDirectory(prefix="content-", ignore_cleanup_errors=True) as base:
        base = Path(base)
        for name in ("content", "home", "stub/google/colab", "jupyter/kernels/colab"):
            (base / name).mkdir(parents=True)
        (base / "stub/google/colab/__init__.py").write_text(STUB)
        (base / "jupyter/kernels/colab/kernel.json").write_text(json.dumps({
            "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "Colab", "language": "python", "env": {
                "PYTHONPATH": str(base / "stub"),
                # Of 3.13.0 only (https://github.com/python/cpython/issues/125608); Colab has a later one.
                "PYTHONWARNINGS": "ignore:Guards may run slower on Python 3.13.0:RuntimeWarning"}}))
        env = {key: value for key, value in os.environ.items() if not key.startswith(("D2L_", "PYTHON"))}
        env |= {"HOME": str(base / "home"), "JUPYTER_PATH": str(base / "jupyter"), "D2L_KERNEL": "colab",
                "PATH": f"{python.parent}{os.pathsep}{env['PATH']}"}
        offline = [shutil.which("unshare") or "false", *([] if os.getuid() == 0 else ["-r"]), "-n", "sh", "-ec",
                   'ip link set lo up; exec "$@"', "sh"]
        if subprocess.run([*offline, "true"], capture_output=True).returncode:
            print("(the network is there: no namespace is allowed here) ", end="", flush=True)
            offline = []
        yield base, offline, env


def bring_mxnet(python, env):
    """What the set-up cell of an MXNet page does with a network."""
    command = [python, "-c", "import d2l_helpers; d2l_helpers.need_mxnet()"]
    done = subprocess.run(command, env={**env, "PYTHONPATH": str(pages.ROOT)}, capture_output=True, text=True)
    if done.returncode:
        raise run.Failed(done.stderr.strip())


def problems(notebook, problem):
    """What a reader on Colab would stumble over, one line each."""
    number, error = execute.error_of(notebook) if notebook else (0, None)
    if error:
        return [f"cell {number}: {error.ename}: {error.evalue}"[:300]]
    return [problem] if problem else pages.output_problems(notebook)


def attempt(name, notebook, python):
    """Run one page; raises run.Failed with what went wrong."""
    with colab_like(python) as (base, offline, env):
        if name.endswith("-mxnet"):
            env["XDG_CACHE_HOME"] = str(run.BUILD / "colab-cache")  # fetched once for all pages
            bring_mxnet(python, env)
        before, path = installed(python), base / "content" / f"{name}.ipynb"
        path.write_text(nbformat.writes(notebook), encoding="utf-8")
        if wrong := problems(*execute.executed(path, offline, env)):
            raise run.Failed("\n".join(wrong))
        if installed(python) != before:
            raise run.Failed("what Colab ships has changed")


def fingerprint(path):
    """A digest of what a page's outcome here depends on."""
    ours = [colab.SETUP, colab.PROGRESS, colab.FEW, colab.OLD_GPU, colab.END, PACKAGES]
    return hashlib.sha256(json.dumps([pages.made_from(pages.read(path)), ours], sort_keys=True).encode()).hexdigest()


def try_all(names=(), everything=False, limit=None):
    """Run what has not passed yet, or all; keep what passes. Returns how many pages (passed, failed, not tried).

    After ``limit`` seconds no further page is begun: the rest is named and left for another time.
    """
    until = None if limit is None else time.monotonic() + limit
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"pages": {}}
    paths = run.runnable(pages.chosen(names))
    due = [path for path in paths if everything or record["pages"].get(path.stem, {}).get("of") != fingerprint(path)]
    if len(due) < len(paths):
        print(f"{len(paths) - len(due)} pages passed as on Colab, and nothing that they depend on has changed.")
    if not due:
        return len(paths), 0, 0
    tried = []
    python, made = environment(), dict(colab.editions([path.stem for path in due], solved=True))
    version = subprocess.run([python, "--version"], capture_output=True, text=True).stdout.split()[-1]

    def work(path):
        begun = time.monotonic()
        tried.append(path)
        attempt(path.stem, made[path.stem], python)
        record["pages"][path.stem] = {"of": fingerprint(path), "python": version,
                                      "seconds": round(time.monotonic() - begun)}
        kept = {**d2l_helpers.machine(), "packages": PACKAGES, "pages": dict(sorted(record["pages"].items()))}
        RECORD.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")  # each time

    failed = len(run.each(due, work, until))
    if left := [path for path in due if path not in tried]:
        print(f"Not tried as on Colab, for want of time: {', '.join(path.stem for path in left)}.\n"
              "To try them: make colab TRY=1", flush=True)
    return len(paths) - failed - len(left), failed, len(left)
