"""The walls around a student's code: bubblewrap, limits, and the one pipe through them.

Inside are /usr, this Python with its packages, d2l_helpers and an empty /tmp that is lost afterwards; everything is
read-only but /tmp and /dev/shm. There is no network, no other process, no home folder, no file of the submission or
of the tests, and no further user namespace. Where root grades, the code runs as `nobody`: to root, limits on
processes do not apply, and /proc/sys is open (https://man7.org/linux/man-pages/man2/getrlimit.2.html, read in
November 2026).

Time and memory are watched from outside while the judge waits for an answer. While it does not wait, every process
inside is stopped, so that nothing goes on between two calls: no thread that slows the reference down, no late work.
"""
import contextlib
import dataclasses
import functools
import json
import os
import platform
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time
from pathlib import Path

from . import wire

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
NOBODY = 65534
TICK = 0.05  # seconds between two looks at the memory
GOING = 5.0  # seconds until a killed process must be gone


class Refused(Exception):
    """Grading cannot start; one line says why and what to do."""


class Died(Exception):
    """The worker is gone; one line says why."""


@dataclasses.dataclass(frozen=True)
class Limits:
    memory: int = 4 << 30       # bytes, of all processes of one submission together
    scratch: int = 512 << 20    # bytes in /tmp, and as many in /dev/shm
    file: int = 256 << 20       # bytes of one file
    processes: int = 200        # threads count too
    files: int = 256            # open at once, by one process
    start: float = 60           # seconds until the worker answers
    cell: float = 60            # seconds for one cell
    call: float = 30            # seconds for one call of a student's function
    exercise: float = 120       # seconds for one cell of tests, with all its calls

    def inside(self):
        """What the worker sets for itself before it runs anything of the student's."""
        return {"NPROC": self.processes, "DATA": self.memory, "FSIZE": self.file, "NOFILE": self.files, "CORE": 0,
                "CPU": int(60 + 8 * (self.start + self.cell + self.exercise))}


# --- what is inside

SYSTEM = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
SETTINGS = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
            "/sys/devices/system"]  # libraries, compilers, the clock, the caches and cores of the machine
FILES = {"/etc/passwd": f"student:x:{NOBODY}:{NOBODY}::/tmp:/bin/sh\n", "/etc/group": f"student:x:{NOBODY}:\n",
         "/etc/hosts": "127.0.0.1 localhost student\n", "/etc/nsswitch.conf": "hosts: files\n"}
COURSE = {"/course/d2l_helpers": ROOT / "d2l_helpers", "/course/records": ROOT / "records",
          "/course/grading/worker.py": HERE / "worker.py", "/course/grading/wire.py": HERE / "wire.py"}


def covered(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


@functools.cache
def view():
    """The arguments of bubblewrap that say which files are seen, all of them read-only."""
    links, binds, seen = {}, {"/usr": "/usr"}, ["/usr", *SYSTEM]
    for path in SYSTEM:
        if os.path.islink(path):
            links[path] = os.readlink(path)
        elif os.path.isdir(path):
            binds[path] = path
    for path in python_folders():
        if not covered(path, seen):
            binds[path] = path
            seen.append(path)
    link = sys.executable  # and the links by which a virtual environment leads to its Python
    while os.path.islink(link):
        target = os.readlink(link)
        if not covered(link, seen):
            links[link] = target
        link = os.path.normpath(os.path.join(os.path.dirname(link), target))
    binds |= {path: path for path in SETTINGS if os.path.exists(path)}
    binds |= {inside: str(path) for inside, path in COURSE.items() if path.exists()}
    inner = {str(folder) for path in [*binds, *links, *FILES] for folder in Path(path).parents}
    return [*(word for folder in sorted(inner) if folder != "/" and not covered(folder, [*binds, *links])
              for word in ("--perms", "0755", "--dir", folder)),  # those that bubblewrap makes are closed to others
            *(word for path, target in links.items() for word in ("--symlink", target, path)),
            *(word for inside, path in binds.items() for word in ("--ro-bind", path, inside))]


def python_folders():
    """Where this Python lies, and its virtual environment."""
    return sys.base_prefix, os.path.realpath(sys.base_prefix), sys.prefix


def over_tmp():
    """Where Python itself lies in /tmp, as in a trial checkout, it is seen there again."""
    return [word for path in sorted({*python_folders()}) if covered(path, ["/tmp"])
            for word in ("--ro-bind", path, path)]


def walls(limits, filter_file, has):
    """The arguments of bubblewrap that shut everything else out."""
    threads = str(min(2, os.cpu_count() or 1))
    environment = {"PATH": f"{os.path.dirname(sys.executable)}:/usr/bin:/bin", "HOME": "/tmp", "USER": "student",
                   "LANG": "C.UTF-8", "PYTHONPATH": "/course", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
                   "MPLBACKEND": "agg", "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    return ["--unshare-all", "--unshare-user", *(["--disable-userns"] if "--disable-userns" in has else []),
            "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "student", "--new-session", "--die-with-parent",
            "--clearenv", *(word for item in environment.items() for word in ("--setenv", *item)),
            "--proc", "/proc", "--dev", "/dev", "--size", str(limits.scratch), "--tmpfs", "/dev/shm",
            "--remount-ro", "/dev", "--size", str(limits.scratch), "--tmpfs", "/tmp", *over_tmp(), "--remount-ro", "/",
            *(["--seccomp", str(filter_file)] if filter_file else []), "--chdir", "/tmp", "--"]


# Calls to the kernel that no exercise needs: memory that no limit counts, other people's processes and keys, mounts,
# and what a kernel's faults are most often reached by. Numbers: x86-64, AArch64.
FORBIDDEN = {"memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "mq_open": (240, 180),
             "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
             "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
             "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
             "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
             "pivot_root": (155, 41), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
             "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432), "fspick": (433, 433)}
CLONE, CLONE3 = (56, 220), 435
NEW_NAMESPACES = 0x7E020000
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def system_calls(machine=None):
    """The filter of system calls as a program of the kernel's BPF, or None for a processor that it does not know."""
    if (machine or platform.machine()) not in MACHINES:
        return None
    column, audit = MACHINES[machine or platform.machine()]
    load, equal, at_least, bits, back = 0x20, 0x15, 0x35, 0x45, 0x06
    kill, refuse, unknown, allow = 0x80000000, 0x00050001, 0x00050026, 0x7FFF0000
    program = [(load, 0, 0, 4), (equal, 1, 0, audit), (back, 0, 0, kill), (load, 0, 0, 0),
               (at_least, 0, 1, 0x40000000), (back, 0, 0, refuse)]
    for numbers in FORBIDDEN.values():
        program += [(equal, 0, 1, numbers[column]), (back, 0, 0, refuse)]
    program += [(equal, 0, 1, CLONE3), (back, 0, 0, unknown),  # the C library then uses clone, whose flags are seen
                (equal, 0, 3, CLONE[column]), (load, 0, 0, 16), (bits, 0, 1, NEW_NAMESPACES), (back, 0, 0, refuse),
                (back, 0, 0, allow)]
    return b"".join(struct.pack("<HBBI", *step) for step in program)


# --- one worker

def missing():
    """One line if there is no bubblewrap here that can be used."""
    if sys.platform != "linux":
        return "the sandbox needs Linux: grade on a Linux machine, or in a virtual one"
    program = shutil.which("bwrap")
    if not program:
        return "bubblewrap is not installed: on Debian and Ubuntu, run  apt-get install bubblewrap"
    if os.stat(program).st_mode & stat.S_ISUID:
        return f"{program} is setuid root, a mode with known holes: run  chmod u-s {program}"
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        return "setpriv is not installed, by which root becomes nobody: install util-linux, or grade as another user"
    return None


@functools.cache
def options():
    return subprocess.run(["bwrap", "--help"], capture_output=True, text=True).stdout


def in_memory(data):
    file = os.memfd_create("sandbox")
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def started(limits, unsafe=False):
    """The process of a new worker (the outermost one of those that hold it)."""
    common = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0, "start_new_session": True}
    inside = limits.inside()
    if unsafe:
        del inside["NPROC"]  # it would count all processes of this user
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
        return subprocess.Popen([sys.executable, str(HERE / "worker.py"), json.dumps(inside)], env=environment,
                                stderr=subprocess.DEVNULL, **common)
    calls = system_calls()
    filter_file = in_memory(calls) if calls else None
    files = {path: in_memory(text.encode()) for path, text in FILES.items()}
    seen = [*view(), *(word for path, file in files.items() for word in ("--perms", "0444", "--file", str(file), path))]
    shut = [*walls(limits, filter_file, options()), sys.executable, "/course/grading/worker.py",
            json.dumps(inside)]
    program = shutil.which("bwrap")
    if os.geteuid() == 0:
        # A first bubblewrap shows `nobody` these files only; a second, as nobody, shuts it in. The first has lost
        # the right to signal the second, so it takes a space of processes, whose end is the end of all in it.
        command = [program, *seen, "--unshare-pid", "--perms", "01777", "--dir", "/tmp", "--bind", "/proc", "/proc",
                   "--dev-bind", "/dev", "/dev", "--die-with-parent", "--",
                   "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs",
                   "--inh-caps=-all", "--bounding-set=-all",
                   "--", os.path.realpath(program), "--ro-bind", "/", "/", *shut]
    else:
        command = [program, *seen, *shut]
    passed = [*files.values(), *filter(None, [filter_file])]
    try:
        return subprocess.Popen(command, stderr=subprocess.PIPE, pass_fds=passed, cwd="/",
                                env={"PATH": os.defpath + ":/usr/sbin"}, **common)
    finally:
        for file in passed:
            os.close(file)


def descendants(pid):
    """This process and all below it."""
    found, ahead = [], [pid]
    while ahead:
        process = ahead.pop()
        found.append(process)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/children") as file:
                    ahead += [int(child) for child in file.read().split()]
    return found


def alive(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    return False


def memory_of(pid, name="status", fields=("RssAnon:", "RssShmem:")):
    """Bytes of a process that are its own; 0 where it has ended."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/{name}") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(fields))
    return 0


def memory_left():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


class Worker:
    """A worker in its sandbox. ask() sends a request and returns the answer, or raises Died."""

    def __init__(self, limits, unsafe=False):
        self.limits, self.looked, self.watched = limits, 0.0, not unsafe or sys.platform == "linux"
        self.number = 0  # of the request: an answer bears it, so that a forged one puts nothing out of step
        self.process = started(limits, unsafe)
        self.into, self.out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.into, False)
        os.set_blocking(self.out, False)
        self.deadline = time.monotonic() + limits.start
        with self.killed_on_error():
            try:
                self.receive()
            except Died as error:
                said = self.complaint()
                raise Died(f"{error}: {said}" if said else str(error)) from None
            self.freeze()

    def complaint(self):
        """The last line that bubblewrap wrote, where it did not start."""
        if self.process.stderr is None or self.process.poll() is None:
            return ""
        os.set_blocking(self.process.stderr.fileno(), False)
        lines = (self.process.stderr.read(2000) or b"").decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    @contextlib.contextmanager
    def killed_on_error(self):
        try:
            yield
        except (Died, wire.WireError) as error:
            self.kill()
            raise Died(str(error) if isinstance(error, Died) else f"it answered nonsense: {error}") from None
        except BaseException:  # the judge's own time limit, or a Ctrl-C
            self.kill()
            raise

    def ask(self, request, seconds):
        self.number += 1
        data = wire.pack([self.number, request])  # what cannot be sent is a fault of the tests, and the worker lives on
        self.deadline = time.monotonic() + seconds
        with self.killed_on_error():
            self.thaw()
            view = memoryview(data)
            while view:
                self.wait(self.into, select.POLLOUT, seconds)
                try:
                    view = view[os.write(self.into, view):]
                except BrokenPipeError:
                    raise Died(self.end()) from None
            answer = self.receive(seconds)
            self.freeze()
        return answer

    def receive(self, seconds=None):
        def read(size):
            data = bytearray()
            while len(data) < size:
                self.wait(self.out, select.POLLIN, seconds)
                piece = os.read(self.out, min(size - len(data), 1 << 20))
                if not piece:
                    raise Died(self.end())
                data += piece
            return data
        answer = wire.unpack(read)
        if type(answer) is not list or answer[:1] != [self.number]:
            raise Died("it answered what was not asked")
        return answer[1:]

    def wait(self, file, event, seconds):
        """Until the pipe is ready, with a look at the clock and the memory at each tick."""
        poll = select.poll()
        poll.register(file, event)
        while True:
            now = time.monotonic()
            if now > self.deadline:
                raise Died(f"it took longer than {seconds or self.limits.start:.3g} s")
            if now > self.looked + TICK and self.watched:
                self.looked = now
                if self.memory() > self.limits.memory:
                    raise Died(f"it used more than {self.limits.memory >> 20} MB of memory")
                if memory_left() < 256 << 20:
                    raise Died("this machine ran out of memory")
            if poll.poll(1000 * min(TICK, self.deadline - now + 0.001)):
                return

    def memory(self):
        processes = descendants(self.process.pid)
        used = sum(map(memory_of, processes))
        if used > self.limits.memory and len(processes) > 1:  # what a fork shares counts once
            shares = [memory_of(pid, "smaps_rollup", ("Pss_Anon:", "Pss_Shmem:")) for pid in processes]
            used = min(used, sum(share or memory_of(pid) for share, pid in zip(shares, processes, strict=True)))
        return used

    def freeze(self):
        """Stop every process inside; again until no new one has come meanwhile."""
        self.stopped = set()
        while self.watched and (new := set(descendants(self.process.pid)[1:]) - self.stopped):
            self.signal(signal.SIGSTOP, new)
            self.stopped |= new

    def thaw(self):
        self.signal(signal.SIGCONT, self.stopped)

    @staticmethod
    def signal(number, processes):
        for pid in processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def end(self):
        """Why the pipe is closed, in words."""
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        number = code - 128 if code > 128 else -code
        with contextlib.suppress(ValueError):
            if number > 0:
                return f"its process was ended by {signal.Signals(number).name}"
        return f"its process ended itself (exit status {code})"

    def kill(self):
        """End every process of the sandbox, and return when they are gone."""
        inside = descendants(self.process.pid)
        self.process.kill()
        self.signal(signal.SIGKILL, inside[1:])
        self.process.wait()
        limit = time.monotonic() + GOING
        while any(map(alive, inside[1:])) and time.monotonic() < limit:
            time.sleep(0.002)
        for file in filter(None, (self.process.stdin, self.process.stdout, self.process.stderr)):
            file.close()
