"""Tries to climb each wall of the sandbox before the first submission, in the way that a student's code would.

Each probe is a cell run by a real worker. A wall that does not hold refuses the whole run, with one line.
"""
import contextlib
import dataclasses
import os
import socket
import tempfile

from . import sandbox

CLIMB = r'''
import ctypes, os, socket
def attempt(what):
    try:
        return what() or "no error"
    except BaseException as error:
        return type(error).__name__
def opened(path, flags):
    os.close(os.open(path, flags, 0o600))
def reached(family, address):
    with socket.socket(family) as s:
        s.settimeout(2)
        s.connect(address)
def reach(family, address):
    return attempt(lambda: reached(family, address))
def seen(paths):
    return [path for path in paths if os.path.exists(path)]
def written(paths):
    return [path for path in paths if attempt(lambda: opened(path, os.O_WRONLY | os.O_CREAT)) == "no error"]
def settings():
    return [path for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger")
            if attempt(lambda: opened(path, os.O_WRONLY)) == "no error"]
def who():
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return os.getuid(), int(lines["CapEff"], 16), int(lines["NoNewPrivs"])
def unshared(flags):
    return ctypes.CDLL(None).unshare(flags)
def others():
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
def variables():
    return sorted(os.environ)
'''
FORKS = '''
import os, time
def forked(most):
    children = []
    try:
        while len(children) < most:
            child = os.fork()
            if child == 0:
                time.sleep(100)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    for child in children:
        os.kill(child, 9)
        os.waitpid(child, 0)
    return len(children)
'''
FILL = '''
def filled(folder, most):
    written = 0
    try:
        for n in range(most >> 20):
            with open(f"{folder}/fill{n}", "wb", buffering=0) as file:
                written += file.write(bytes(1 << 20))
    except OSError:
        pass
    return written
def longest(folder, most):
    try:
        with open(f"{folder}/long", "wb", buffering=0) as file:
            return sum(file.write(bytes(1 << 20)) for _ in range(most >> 20))
    except OSError:
        return 0
'''
HOLD = '''
import os, time
def held(size, processes):
    reading, writing = os.pipe()
    child = [0] * (processes - 1)
    for n in range(processes - 1):
        child[n] = os.fork()
        if child[n] == 0:
            hold = bytearray(b"x" * size)
            os.write(writing, b".")
            time.sleep(60)
            os._exit(0)
    hold = bytearray(b"x" * size)
    for _ in child:
        os.read(reading, 1)
    time.sleep(1)
    return len(hold)
'''


def check(limits, unsafe=False, worker=sandbox.Worker):
    """Raises Refused with one line where a wall does not hold."""
    if unsafe:
        return
    if why := sandbox.missing():
        raise sandbox.Refused(why)
    try:
        for probe in (files_and_network, processes, scratch, memory, time_and_end):
            if why := probe(limits, worker):
                raise sandbox.Refused(why)
    except sandbox.Died as error:
        raise sandbox.Refused(explained(str(error))) from None


def explained(said):
    """What bubblewrap says, and what helps (sources: shared faults of bubblewrap, read in November 2026)."""
    for words, advice in {
        ("uid map", "RTM_NEWADDR", "Creating new namespace failed", "No permissions to create"):
            "this system lets no ordinary user make a namespace; an administrator can allow it for bwrap with an "
            "AppArmor profile (https://github.com/containers/bubblewrap/issues/632)",
        ("mount proc",): "this container hides parts of /proc; grade on the machine itself, or in a virtual one "
                         "(https://github.com/containers/bubblewrap/issues/505)",
        ("setpriv", "setresuid", "Operation not permitted"):
            "root has not its full rights in this container; grade as an ordinary user",
    }.items():
        if any(word in said for word in words):
            return f"the sandbox does not start ({said}): {advice}"
    return f"the sandbox does not start: {said}"


@contextlib.contextmanager
def started(limits, worker, *cells):
    one = worker(limits)
    try:
        for cell in cells:
            answer = one.ask(["run", "probe", cell], 20)
            if answer[0] == "error":
                raise sandbox.Died(f"a probe does not run in it ({answer[2]})")
        yield lambda name, *arguments, seconds=20: one.ask(["call", name, list(arguments), {}], seconds)[1]
    finally:
        if one.process.poll() is None:
            one.kill()


@contextlib.contextmanager
def listeners():
    """Sockets outside that must not be reached, and a file that must not be seen."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        addresses = [(socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, f"{folder}/socket"),
                     (socket.AF_UNIX, f"\0grading-{os.getpid()}")]
        reached = []
        for family, address in addresses:
            one = stack.enter_context(socket.socket(family))
            one.bind(address)
            one.listen()
            reached.append((int(family), one.getsockname()))
        yield reached, folder


def elsewhere(folder):
    """A folder of this machine; where Python lies in it, and so the way to Python is seen, all else in it."""
    python = sandbox.python_folders()
    if not any(sandbox.covered(path, [folder]) for path in python):
        return [folder]
    inside = [f"{folder}/{name}" for name in sorted(os.listdir(folder))]
    return [path for path in inside if not any(sandbox.covered(way, [path]) for way in python)]


def files_and_network(limits, worker):
    with listeners() as (addresses, folder), started(limits, worker, CLIMB) as call:
        for family, address in addresses:
            address = address.decode() if isinstance(address, bytes) else address
            if call("reach", family, address) == "no error":
                return f"the network is open inside the sandbox ({address}): --unshare-net does not hold here"
        secret = [folder, str(sandbox.ROOT / "chapters"), str(sandbox.HERE / "judge.py"), "/etc/shadow",
                  *elsewhere("/run"), *elsewhere("/var")]
        if seen := call("seen", secret):
            return f"{seen[0]} can be read inside the sandbox: keep Python and its packages in a folder of their own"
        if written := call("written", ["/x", "/usr/x", "/dev/x", "/course/x", "/etc/passwd", "/sys/x"]):
            return f"{written[0]} can be written inside the sandbox: is this bubblewrap older than 0.5?"
        if writable := call("settings"):
            return f"{writable[0]} can be written inside the sandbox: grade as an ordinary user"
        uid, rights, frozen = call("who")
        if uid == 0 or rights or not frozen:
            return "the code in the sandbox has rights of root: grade as an ordinary user"
        if call("unshared", 0x10000000) == 0:
            return "the code in the sandbox can make a namespace of its own: install bubblewrap 0.8 or later"
        if len(others := call("others")) > 4:
            return f"other processes are seen inside the sandbox ({len(others)}): --unshare-pid does not hold here"
        if open_to := set(call("variables")) & (set(os.environ) - ALLOWED):
            return f"the variable {sorted(open_to)[0]} of this machine is seen inside the sandbox"


ALLOWED = {"PATH", "HOME", "USER", "LANG", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "MPLBACKEND",
           "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PWD", "LC_CTYPE"}  # set anew inside


def processes(limits, worker):
    with started(limits, worker, FORKS) as call:
        count = call("forked", 2 * limits.processes)
        if count >= limits.processes:
            return (f"{count} processes can be started inside the sandbox, {limits.processes} are allowed: "
                    "the limit needs Linux 5.14 or later")
        if count < 4:
            return (f"only {count} processes can be started inside the sandbox: the limit counts those of the whole "
                    "machine, it needs Linux 5.14 or later")


def scratch(limits, worker):
    small = dataclasses.replace(limits, scratch=8 << 20, file=4 << 20)
    with started(small, worker, FILL) as call:
        if call("longest", "/tmp", 6 << 20):
            return "a file inside the sandbox has no largest size: RLIMIT_FSIZE does not hold here"
        for folder in ("/tmp", "/dev/shm"):
            if call("filled", folder, 16 << 20) > 8 << 20:
                return f"{folder} inside the sandbox has no limit: install bubblewrap 0.7 or later"


def memory(limits, worker):
    """With a small limit, so that probing takes no memory from others: one process, and several together."""
    small = dataclasses.replace(limits, memory=256 << 20)
    for size, number in ((300, 1), (90, 4)):
        with contextlib.suppress(sandbox.Died), started(small, worker, HOLD) as call:
            if call("held", size << 20, number, seconds=15) == size << 20:
                return "memory has no limit inside the sandbox: /proc must show the processes of this user"


def time_and_end(limits, worker):
    one = worker(limits)
    inside = sandbox.descendants(one.process.pid)
    try:
        one.ask(["run", "probe", "import os, signal\nfor n in range(1, 30):\n    if n not in (9, 19):\n"
                 "        signal.signal(n, signal.SIG_IGN)\nos.fork()\nwhile True: pass"], 0.5)
        return "the time limit does not hold"
    except sandbox.Died as error:
        if "took longer" not in str(error):
            return f"the time limit does not hold ({error})"
    if left := [pid for pid in inside if sandbox.alive(pid)]:
        return f"{len(left)} processes of the sandbox outlive it: --die-with-parent does not hold here"
