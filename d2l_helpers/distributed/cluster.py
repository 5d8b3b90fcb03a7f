"""A cluster on one machine: network namespaces that stand for machines, joined by a bridge, each link shaped.

A namespace has no name here. It lives as long as the process that holds it, and Linux ends that process with
ours: nothing can be left behind, however a run ends. The host's own network is never touched: the bridge has
a namespace of its own. Needs Linux with `ip`, `tc` (iproute2), `unshare`, `nsenter`, `setpriv` (util-linux),
and root or user namespaces.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from functools import lru_cache

from ..machine import memory_size

MACHINE_MEMORY = 300 * 2**20  # bytes: torchrun and a rank, what each has for itself (measured, torch 2.13)
SHARED_MEMORY = 512 * 2**20  # bytes: the notebook, and the libraries that all share
TOOLS = ("ip", "tc", "unshare", "nsenter", "setpriv")


class Cluster:
    """``machines`` namespaces; each one's link carries ``rate`` (as in ``tc``: "200mbit") in either direction.

    A context manager. ``run_ranks(…, machines=cluster)`` starts its ranks on every machine.
    ``burst``: bytes that a link lets pass at full speed after a rest. Less than the 64 KiB that Linux moves in one
    piece would make it cut every piece into packets, which is work for the cores that all machines share.
    """

    interface = "eth0"

    def __init__(self, machines: int = 4, rate: str = "200mbit", burst: str = "70kb") -> None:
        if not 1 <= machines <= 200:
            raise ValueError(f"1 to 200 machines, not {machines}")
        if not re.fullmatch(r"\d+(\.\d+)?[kmg]?bit", rate):
            raise ValueError(f"a rate looks like '200mbit', not {rate!r}")
        self.machines, self.rate, self.burst = machines, rate, burst
        self._holders: list[subprocess.Popen] = []

    @staticmethod
    def missing(machines: int = 2) -> str:
        """Why there can be no cluster of so many here, in one line; an empty text where there can.

        It makes one of two to see. Each machine is taken to run one rank of PyTorch.
        """
        needed, there = SHARED_MEMORY + machines * MACHINE_MEMORY, memory_size()
        if there and there < needed:
            return (f"no cluster here: {machines} machines need {needed / 2**30:.1f} GiB of memory, "
                    f"and there are {there / 2**30:.1f}")  # fmt: skip
        return _missing()

    def __len__(self) -> int:
        return self.machines

    def address(self, machine: int) -> str:
        return f"10.77.0.{machine + 1}"

    def enter(self, machine: int) -> list[str]:
        """The command prefix that runs something on a machine."""
        return self._inside(self._holders[machine + 1])

    def slow(self, machine: int, rate: str) -> None:
        """Give one machine's link another rate, both ways, from now on."""
        self._shape(machine, rate, "replace")

    def __enter__(self) -> Cluster:
        try:
            switch = self._hold([])
            self._run(switch, "ip link add br0 type bridge", "ip link set br0 up")
            for k in range(self.machines):
                machine = self._hold(self._inside(switch, network=False))
                pair = f"ip link add m{k} type veth peer name {self.interface} netns {machine.pid}"
                self._run(switch, pair, f"ip link set m{k} master br0", f"ip link set m{k} up")
                up = (f"ip addr add {self.address(k)}/24 dev {self.interface}", f"ip link set {self.interface} up")
                self._run(machine, *up, "ip link set lo up")
                self._shape(k, self.rate, "add")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for holder in reversed(self._holders):
            holder.kill()
            holder.wait()
            holder.stderr.close()
        self._holders.clear()

    def _hold(self, prefix: list[str]) -> subprocess.Popen:
        """A process that does nothing but keep a new network namespace."""
        user = ["--user", "--map-root-user"] if os.geteuid() and not prefix else []
        # setpriv comes last: a change of user would clear what it has set
        command = [*prefix, "unshare", *user, "--net", "setpriv", "--pdeathsig", "KILL", "sleep", "infinity"]
        holder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._holders.append(holder)
        ours, end = os.readlink("/proc/self/ns/net"), time.monotonic() + 5
        while time.monotonic() < end and holder.poll() is None:
            try:  # it is ready when it sleeps, in another namespace than ours
                with open(f"/proc/{holder.pid}/comm", encoding="ascii") as name:
                    if name.read() == "sleep\n" and os.readlink(f"/proc/{holder.pid}/ns/net") != ours:
                        return holder
            except OSError:
                pass
            time.sleep(0.002)
        holder.kill()
        raise OSError(f"no network namespace: {holder.stderr.read().decode().strip() or 'it did not come up'}")

    @staticmethod
    def _inside(holder: subprocess.Popen, network: bool = True) -> list[str]:
        user = ["--user", "--preserve-credentials"] if os.geteuid() else []
        what = [*user, *(["--net"] if network else [])]
        return ["nsenter", f"--target={holder.pid}", *what] if what else []

    def _run(self, holder: subprocess.Popen, *commands: str) -> None:
        for command in commands:
            done = subprocess.run([*self._inside(holder), *command.split()], capture_output=True, text=True)
            if done.returncode:
                raise OSError(f"`{command}` failed: {(done.stderr or done.stdout).strip()}")

    def _shape(self, machine: int, rate: str, how: str) -> None:
        """A token bucket on both ends of a link; a long queue, so that TCP is slowed and not cut."""
        bucket = f"root tbf rate {rate} burst {self.burst} latency 400ms"
        self._run(self._holders[machine + 1], f"tc qdisc {how} dev {self.interface} {bucket}")
        self._run(self._holders[0], f"tc qdisc {how} dev m{machine} {bucket}")


@lru_cache
def _missing() -> str:
    if sys.platform != "linux":
        return f"no cluster here: network namespaces are Linux's, and this is {sys.platform}"
    if absent := [tool for tool in TOOLS if not shutil.which(tool)]:
        return f"no cluster here: {', '.join(absent)} missing (Debian: apt-get install iproute2 util-linux)"
    try:
        with Cluster(2):
            return ""
    except OSError as error:
        return f"no cluster here: {error}"
