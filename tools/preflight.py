"""Says what is missing, and makes the virtual environment where there is no finished one: preflight.py .venv

Standard library only, Python 3.6 or later, so that an old Python gets a clear line rather than a syntax error.
"""
import errno
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
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
        return "This Python cannot make a virtual environment: on Debian and Ubuntu, run  apt-get install python3-venv"
    return None


def disk_problem(free=None, needed=NEEDED_GB, why="installing needs"):
    """One line if there is too little room."""
    free = shutil.disk_usage(ROOT).free if free is None else free
    if free >= needed * 1e9:
        return None
    return "{:.1f} GB of disk are free: {} {:.0f} GB.".format(free / 1e9, why, needed)


def compiler_note(which=shutil.which, exists=os.path.exists, system=None):
    """One line if torch.compile will find no C++ compiler, or no Python headers for it."""
    default = "clang++" if (system or sys.platform) == "darwin" else "g++"
    compiler = os.environ.get("CXX") or default
    if not which(compiler):
        return "No C++ compiler ({} not found): the compiled rows are left out of the lessons.".format(compiler)
    if not exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
        return "No Python headers (on Debian, python3-dev): the rows of torch.compile are left out of the lessons."
    return None


def mxnet_note(system=None, machine=None):
    """One line if MXNet has no package for this platform. Its pages are built all the same, from their outputs."""
    system, machine = system or sys.platform, machine or platform.machine()
    if system in ("linux", "darwin") and machine == "x86_64":
        return None
    return "MXNet has no package for {} on {}.".format(system, machine)


# --- the virtual environment: `.venv/finished` is written last, so an interrupted one does not count

def key(*names):
    """What a .venv was made from. Another folder counts as a change: it holds absolute paths."""
    digest = hashlib.sha256(os.path.realpath(ROOT).encode())
    for name in names:
        with open(os.path.join(ROOT, name), "rb") as f:
            digest.update(f.read())
    return digest.hexdigest()


def now():
    """The mark of a .venv that is finished: of its requirements, then of all it was made from."""
    return "{} {}".format(key("requirements.txt"), key("requirements.txt", "pyproject.toml"))


def finished(venv):
    """What the virtual environment says it was made from; empty for none, or one that was interrupted."""
    try:
        with open(os.path.join(venv, "finished")) as f:
            return f.read() if os.path.exists(os.path.join(venv, "bin", "python")) else ""
    except OSError:
        return ""


CAUSES = (  # what pip complains of, what it means; the first that matches
    (r"No space left on device|Errno 28|Disk quota exceeded", "the disk is full"),
    (r"name resolution|not known|Network is unreachable|New\w*ConnectionError|\w+Timeout|ProxyError|Connection refused",
     "the network does not answer"),
    (r"ResolutionImpossible|conflicting dependencies", "the requirements contradict each other"),
    (r"No matching distribution", "a package has no version for this Python and platform"),
    (r"Permission denied|Errno 13", "a folder cannot be written"),
)


def loud(command):
    """Run a command, which shows its own progress. Returns what went wrong in a few words, or an empty text."""
    said = ""
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT,
                          universal_newlines=True) as child:
        for line in child.stderr:
            sys.stderr.write(line)
            said += line
    if child.returncode == 0:
        return ""
    return next((meaning for pattern, meaning in CAUSES if re.search(pattern, said)), "pip's own lines above say why")


def install(venv, requirements):
    """Make the virtual environment; with `requirements` from nothing, else only the helper module anew."""
    pip = [os.path.join(venv, "bin", "python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    steps = [pip + ["--quiet", "--no-deps", "--no-build-isolation", "-e", "."]]
    if requirements:
        say("Making {} (once; 2 GB, or 6 GB with CUDA; some minutes)".format(venv))
        if os.path.islink(venv):
            os.remove(venv)
        shutil.rmtree(venv, ignore_errors=True)
        steps = [[sys.executable, "-m", "venv", venv], pip + ["-r", "requirements.txt"]] + steps
    else:
        os.remove(os.path.join(venv, "finished"))
    for command in steps:
        problem = loud(command)
        if problem:
            say("error: installing stopped: " + problem)
            return 1
    with open(os.path.join(venv, "finished"), "w") as f:
        f.write(now())
    return 0


def main(venv=".venv"):
    """Exit status 1, with one line, for what stops the build. A finished .venv needs neither Python nor room."""
    os.chdir(ROOT)
    known = finished(venv)
    anew = known.split(" ")[0] != key("requirements.txt")
    notes = [compiler_note(), mxnet_note()]
    if anew:
        problems = [line for line in (python_problem(), disk_problem()) if line]
        for line in problems:
            say("error: " + line)
        if problems:
            return 1
        notes.append(disk_problem(needed=CUDA_GB, why="a PyTorch that brings CUDA needs, while it is installed,"))
    for line in notes:
        if line:
            say("note: " + line)
    try:
        return 0 if known == now() else install(venv, anew)
    except KeyboardInterrupt:
        say("\nInterrupted; the next make starts this step again.")
        return 130
    except OSError as error:
        say("error: " + ("the disk is full" if error.errno == errno.ENOSPC else str(error)))
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
