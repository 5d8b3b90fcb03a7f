"""What must be true before the build starts, and the install step. Standard library only, Python 3.6 or later,
so that an old Python gets a clear line rather than a syntax error.

    preflight.py check            say what is missing; exit 1 only for what stops the build
    preflight.py install .venv    make the virtual environment, once
    preflight.py pages            the notebooks this platform can run, one a line
"""
import argparse
import errno
import glob
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOG = os.path.join("_build", "install.log")
WANTED = ((3, 11), (3, 12))  # pandas 3 needs 3.11, NumPy 1.26 has wheels up to 3.12
NEEDED_GB = 4.0              # 2 GB installed, and as much again while pip unpacks
CUDA_GB = 12.0               # the same where the package of PyTorch brings CUDA with it


def say(line):
    print(line, file=sys.stderr, flush=True)


def python_problem(version=None, has=importlib.util.find_spec):
    """One line about this Python, or None if the book can be built with it."""
    version = tuple(version or sys.version_info)[:2]
    if version not in WANTED:
        age = "old" if version < WANTED[0] else "new"
        return ("Python {}.{} is too {}: the book needs 3.11 or 3.12. Install one of them, or name it: "
                "make PYTHON=/path/to/python3.12 book".format(version[0], version[1], age))
    if not (has("venv") and has("ensurepip")):
        return ("This Python cannot make a virtual environment: on Debian and Ubuntu, "
                "run  apt-get install python3-venv")
    return None


def disk_problem(free=None):
    """One line if there is too little room to install what the book needs."""
    free = shutil.disk_usage(ROOT).free if free is None else free
    if free < NEEDED_GB * 1e9:
        return "The disk is too full: installing needs {:.1f} GB, {:.1f} GB are free.".format(NEEDED_GB, free / 1e9)
    return None


def disk_note(free=None):
    """One line if there is room for PyTorch, and not for the kind that brings CUDA."""
    free = shutil.disk_usage(ROOT).free if free is None else free
    if NEEDED_GB * 1e9 <= free < CUDA_GB * 1e9:
        return "{:.1f} GB of disk are free; a PyTorch that brings CUDA needs {:.0f} GB while it is installed.".format(
            free / 1e9, CUDA_GB)
    return None


def compiler_note(which=shutil.which, exists=os.path.exists, system=None):
    """One line if torch.compile will find no C++ compiler, or no Python headers for it."""
    default = "clang++" if (system or sys.platform) == "darwin" else "g++"
    compiler = os.environ.get("CXX") or default
    if not which(compiler):
        return "No C++ compiler ({} not found): the compiled rows are left out of the lessons.".format(compiler)
    if not exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
        return ("No Python headers (on Debian, python3-dev): the rows of torch.compile are left out of the lessons.")
    return None


def mxnet_note(system=None, machine=None):
    """One line if MXNet has no package for this platform."""
    system, machine = system or sys.platform, machine or platform.machine()
    if system in ("linux", "darwin") and machine == "x86_64":
        return None
    return "MXNet has no package for {} on {}: its pages are left out of the tests and the book.".format(
        system, machine)


def pages():
    """The notebooks that this platform can run, as paths from the root."""
    found = sorted(glob.glob(os.path.join("chapters", "*.ipynb")))
    return [p for p in found if not (mxnet_note() and p.endswith("-mxnet.ipynb"))]


def check(installing):
    """Print what there is to say. True if the build can go on. A finished .venv needs neither Python nor room."""
    fatal = [python_problem(), disk_problem()] if installing else []
    for note in (disk_note() if installing else None, compiler_note(), mxnet_note()):
        if note:
            say("note: " + note)
    for problem in filter(None, fatal):
        say("error: " + problem)
    return not any(fatal)


# --- the virtual environment: `.venv/finished` is written last, so an interrupted one does not count

def key(root=None):
    """What a finished .venv was made from. Another folder counts as a change: it holds absolute paths."""
    root = root or ROOT
    with open(os.path.join(root, "requirements.txt"), "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    return "{} {}\n".format(digest, os.path.realpath(root))


def is_finished(venv):
    """True if the virtual environment is complete and of these requirements."""
    try:
        with open(os.path.join(venv, "finished")) as f:
            return f.read() == key() and os.path.exists(os.path.join(venv, "bin", "python"))
    except OSError:
        return False


def forget_moved(venv):
    """Drop the mark of a .venv that was copied or moved here with its folder, or lost its Python."""
    mark = os.path.join(venv, "finished")
    if os.path.exists(mark):
        with open(mark) as f:
            place = f.read().rstrip("\n").split(" ", 1)[-1]
        if place != os.path.realpath(ROOT) or not os.path.exists(os.path.join(venv, "bin", "python")):
            os.remove(mark)


CAUSES = (  # what the log says, what it means; the first that matches
    (r"No space left on device|Errno 28|Disk quota exceeded", "the disk is full"),
    (r"ResolutionImpossible|conflicting dependencies", "the requirements contradict each other"),
    (r"name resolution|Name or service not known|Failed to establish a new connection|NewConnectionError|"
     r"Network is unreachable|ConnectTimeout|ReadTimeoutError|ProxyError|Max retries exceeded|"
     r"nodename nor servname|ConnectionResetError|Connection refused",
     "the network does not answer"),
    (r"Permission denied|Errno 13", "a folder cannot be written"),
)


def explain(log):
    """The cause of a failed install, in words, from pip's own log."""
    for pattern, meaning in CAUSES:
        if re.search(pattern, log):
            return meaning
    missing = re.search(r"No matching distribution found for (\S+)", log)
    if missing:
        return "no package {} for this Python and platform".format(missing.group(1))
    errors = re.findall(r"(?im)^\s*error: *(.+)$", log)
    return errors[-1].strip() if errors else "the installer stopped without saying why"


def last_step(log):
    """What pip is doing now, in a few words."""
    steps = re.findall(r"(?m)^\s*(Collecting \S+|Downloading \S+|Building \S+|Installing collected packages)", log)
    return re.sub(r"https?://\S*/", "", steps[-1])[:60] if steps else "starting"


def run_logged(command, label, log, every=None):
    """Run a command into the log, showing that it works. Returns its exit status."""
    live = sys.stderr.isatty()
    every = every or (1 if live else 15)
    begun = shown = time.monotonic()
    with open(LOG, "a") as out:
        out.write("$ {}\n".format(" ".join(command)))
        out.flush()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=ROOT)
        try:
            while child.poll() is None:
                time.sleep(0.2)
                now = time.monotonic()
                if now - shown >= every:
                    shown = now
                    line = "  {} … {:.0f} s, {}".format(label, now - begun, last_step(log()))
                    sys.stderr.write("\r\033[K" + line if live else line + "\n")
                    sys.stderr.flush()
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
    if live:
        sys.stderr.write("\r\033[K")
    say("  {} … {}, {:.0f} s".format(label, "ok" if child.returncode == 0 else "FAILED", time.monotonic() - begun))
    return child.returncode


def install(venv):
    """Make the virtual environment, or bring it up to date. Returns an exit status."""
    kept = is_finished(venv)  # then only pyproject.toml changed: the helper module alone is installed again
    if not check(installing=not kept):
        return 1
    os.makedirs("_build", exist_ok=True)
    open(LOG, "w").close()

    def log():
        with open(LOG, errors="replace") as f:
            return f.read()

    mark, python = os.path.join(venv, "finished"), os.path.join(venv, "bin", "python")
    pip = [python, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    steps = [(pip + ["--no-deps", "--no-build-isolation", "-e", "."], "the course's helper module")]
    if os.path.exists(mark):
        os.remove(mark)
    if not kept:
        say("Making {} (once; 2 GB, or 6 GB with CUDA; some minutes; log in {})".format(venv, LOG))
        if os.path.islink(venv):
            os.remove(venv)
        shutil.rmtree(venv, ignore_errors=True)
        steps = [([sys.executable, "-m", "venv", venv], "virtual environment"),
                 (pip + ["-r", "requirements.txt"], "requirements.txt")] + steps
    for command, label in steps:
        if run_logged(command, label, log) != 0:
            say("error: installing stopped: {}. The whole log is in {}".format(explain(log()), LOG))
            return 1
    with open(mark, "w") as f:
        f.write(key())
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "install", "pages"))
    parser.add_argument("venv", nargs="?", default=".venv")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    try:
        if options.command == "pages":
            forget_moved(options.venv)
            print("\n".join(pages()))
            return 0
        if options.command == "check":
            return 0 if check(installing=not is_finished(options.venv)) else 1
        return install(options.venv)
    except KeyboardInterrupt:
        say("\nInterrupted; the next make starts this step again.")
        return 130
    except OSError as error:
        full = error.errno == errno.ENOSPC
        say("error: " + ("the disk is full" if full else str(error)))
        return 1


if __name__ == "__main__":
    sys.exit(main())
