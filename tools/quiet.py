"""Is the machine quiet? And one lock for the whole machine, so that two checkouts never measure at once.

Each figure has its blind spot: `cores` (this process beside a busy one, against alone) sees neighbours outside this
virtual machine, `others` and `stolen` are the kernel's account over a whole page, `spread` sees short bursts, and
whoever shares our physical core.
"""
import contextlib
import ctypes
import fcntl
import os
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from d2l_helpers import cores, noisy_neighbour

LIMITS = {  # name: (at least, at most, what it means)
    # seen on two quiet cores: 1.8 to 2.3, since their clock moves; a third busy process leaves 1.3
    "cores": (1.6, 9, "two processes get {:.2f} cores, at least {} wanted"),
    # shares of all core time: a busy process on one core of two takes 0.5, of sixteen 0.06; the kernel's own work 0.02
    "others": (0, 0.05, "others use {:.3f} of all core time, at most {} allowed"),
    "stolen": (0, 0.02, "the hypervisor takes {:.3f} of all core time, at most {} allowed"),
    # of a loop of half a millisecond, from the 10 % to the 90 % quantile over the median. The clock alone moves it by
    # 0.1 to 0.3. A stranger on the other half of our physical core halves our speed for tenths of a second at a time,
    # which no account shows: 0.5 to 0.9. Whoever takes time slices of 4 ms from us: 8
    "spread": (0, 1, "the time of a short loop varies by {:.2f}, at most {} allowed"),
}
CALM = 0.4  # spread: nobody shares our physical core. It is waited for a while, and a run without it made again
PATIENCE = 40  # seconds for that
SETTLE = 2  # seconds for what has just ended to be gone: the memory of a page's processes is given back only then
WAIT = 600  # seconds to wait for quiet; the environment variable D2L_WAIT sets others
LOCK = Path("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir(), "d2l-measuring.lock")  # whatever TMPDIR is


class Disturbed(Exception):
    """The machine did not become quiet; the reason in one line."""


def verdict(figures):
    """What is disturbed, in words; an empty text for a quiet machine. What a machine cannot measure is left out."""
    if "spread" not in figures:
        return "no figure of quietness"
    said = []
    for name, value in figures.items():
        least, most, words = LIMITS[name]
        if not least <= value <= most:
            said.append(words.format(value, least or most))
    return "; ".join(said)


def calm(figures):
    return figures.get("spread", 0) <= CALM


def worst(*looks):
    """The worst of each figure."""
    found = {name: [look[name] for look in looks if name in look] for name in LIMITS}
    return {name: (min if name == "cores" else max)(values) for name, values in found.items() if values}


# --- the figures

def loops(count=100, steps=50_000, warm=0.05):
    """Seconds of each of some short loops, which use no memory and no library.

    The first ``warm`` seconds do not count: the clock rises, and the scheduler parts two who start on one core.
    """
    seconds, start = [], time.perf_counter() + warm
    while time.perf_counter() < start:
        pass
    for _ in range(count):
        begun = time.perf_counter()
        for _ in range(steps):
            pass
        seconds.append(time.perf_counter() - begun)
    return seconds


def look(rounds=7):
    """All figures of this moment, over some seconds."""
    time.sleep(SETTLE)
    watch, alone, gained = Watch(), [], []
    for _ in range(rounds):
        alone.append(loops())
        if cores() > 1:
            with noisy_neighbour(1):
                gained.append(2 * sum(alone[-1]) / sum(loops()))  # the two are equal: each is slowed by as much
    tenths = quantiles([seconds for part in alone for seconds in part], n=10)
    calibrated = {"cores": round(median(gained), 2)} if gained else {}
    return {**calibrated, "spread": round((tenths[-1] - tenths[0]) / tenths[4], 3), **watch.figures()}


def account(text):
    """Seconds of core time since the start, on the cores that we may use, from /proc/stat: (busy, stolen)."""
    ours = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    rows = [[int(ticks) for ticks in line.split()[1:9]] for line in text.splitlines() if line.split()[0] in ours]
    return [sum(column) / os.sysconf("SC_CLK_TCK") for column in zip(*((sum(row[:3]), row[7]) for row in rows),
                                                                    strict=True)]


class Watch:
    """The share of core time stolen, and used by others, since it was made. Nothing where the kernel has no account."""

    STAT = Path("/proc/stat")

    def __init__(self):
        self.begun = self.now()

    def now(self):
        """[seconds of all cores, busy, stolen, of these our own], or nothing."""
        if not self.STAT.exists():
            return []
        with contextlib.suppress(ChildProcessError):  # what has ended counts as ours once it is waited for
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        return [time.monotonic() * cores(), *account(self.STAT.read_text()), sum(os.times()[:4])]

    def figures(self):
        if not self.begun:
            return {}
        total, busy, stolen, own = (now - then for now, then in zip(self.now(), self.begun, strict=True))
        return {"others": round(max(0.0, busy - own) / total, 4), "stolen": round(stolen / total, 4)}


def adopt_orphans():
    """Processes that a kernel leaves behind become this one's children, so that their time is known. Linux only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def wait(say=print, pause=10):
    """The figures of a quiet machine. Waits for one with a line; raises Disturbed when the time is up."""
    limit, begun, told = float(os.environ.get("D2L_WAIT", WAIT)), time.monotonic(), False
    while (problem := verdict(figures := look())) or not calm(figures) and time.monotonic() - begun < PATIENCE:
        if not problem:
            continue
        if time.monotonic() - begun >= limit:
            raise Disturbed(f"the machine is not quiet after {limit:g} s: {problem}. D2L_WAIT=SECONDS waits longer")
        if not told:
            say(f"waiting up to {limit:g} s for a quiet machine: {problem}")
        told = True
        time.sleep(min(pause, limit))
    return figures


# --- the lock

@contextlib.contextmanager
def alone(say=print):
    """Hold the machine's lock while the block runs. A killed process gives it back."""
    try:
        file = os.open(LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except PermissionError:  # another user's file: it can be locked, not written
        file = os.open(LOCK, os.O_RDONLY)

    def write(text):
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, text.encode(), 0)

    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, 500, 0).decode(errors="replace") or "another user's process"
            say(f"waiting: this machine is measuring already ({holder})", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        write(f"process {os.getpid()} in {os.getcwd()}")
        yield
        write("")
    finally:
        os.close(file)
