"""The cluster: links carry what they are set to, machines reach each other, and nothing is left."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from d2l_helpers.distributed import Cluster, cluster, run_ranks

pytestmark = pytest.mark.slow


@pytest.fixture
def can_be():
    """Skips where there can be no cluster; in CI, which has all that it needs, it fails instead."""
    if missing := Cluster.missing():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)


ONE_WAY = """
import os, socket, sys, time
from d2l_helpers.distributed import report
rank, size, address = int(os.environ["RANK"]), 2**19, (os.environ["MASTER_ADDR"], 5000)
up = os.path.join(sys.argv[1], "up")
if rank == 0:
    server = socket.create_server(address)
    open(up, "w").close()
    line, _ = server.accept()
    while size:
        size -= len(line.recv(2**16))
    line.send(b"!")
elif rank == 1:
    while not os.path.exists(up):
        time.sleep(0.01)
    with socket.create_connection(address) as line:
        start = time.perf_counter()
        line.sendall(bytes(size))
        line.recv(1)  # whatever disturbs them can only make this later
        report(rate=size * 8 / (time.perf_counter() - start))
"""


def holders() -> list[int]:
    """Processes of ours that keep a namespace: other clusters on this machine do not count."""
    ours = psutil.Process().children(recursive=True)
    return [process.pid for process in ours if process.cmdline()[-2:] == ["sleep", "infinity"]]


def interfaces() -> set[str]:
    return set(os.listdir("/sys/class/net"))


def test_too_little_memory_is_said_before_anything_starts(monkeypatch):
    monkeypatch.setattr(cluster, "memory_size", lambda: 2 * 2**30)
    assert Cluster.missing(8) == "no cluster here: 8 machines need 2.8 GiB of memory, and there are 2.0"
    assert "memory" not in Cluster.missing(4)


@pytest.mark.usefixtures("can_be")
def test_a_link_carries_its_rate_and_a_slow_one_less(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one_way.py").write_text(ONE_WAY)
    before, host = holders(), interfaces()
    with Cluster(2, rate="80mbit") as machines:
        assert len(machines) == 2 and len(holders()) == len(before) + 3  # two machines and the switch
        rates = [run_ranks("one_way.py", 1, machines=machines, args=[tmp_path], show="").results[1]["rate"]]
        (tmp_path / "up").unlink()
        machines.slow(1, "5mbit")
        rates += [run_ranks("one_way.py", 1, machines=machines, args=[tmp_path], show="").results[1]["rate"]]
        assert interfaces() == host  # the host's own network is as it was
    assert holders() == before
    # no faster than the link, but for the 70 kB that a rested one lets pass: that holds on a busy machine as well
    assert rates[0] < 1.2 * 80e6 and rates[1] < 1.2 * 5e6
    assert rates[0] > rates[1]  # sixteen to one, undisturbed


@pytest.mark.usefixtures("can_be")
def test_two_ranks_on_each_machine_know_their_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "who.py").write_text(
        "import os\nfrom d2l_helpers.distributed import report\n"
        "rank, machine = int(os.environ['RANK']), int(os.environ['GROUP_RANK'])\n"
        "report(rank=rank, machine=machine, net=os.readlink('/proc/self/ns/net'))\n"
    )
    with Cluster(2) as machines:
        results = run_ranks("who.py", 2, machines=machines, show="").results
    assert [(r["rank"], r["machine"]) for r in results] == [(0, 0), (1, 0), (2, 1), (3, 1)]
    nets = [r["net"] for r in results]
    assert nets[0] == nets[1] != nets[2] == nets[3] and os.readlink("/proc/self/ns/net") not in nets


@pytest.mark.usefixtures("can_be")
def test_an_error_inside_leaves_nothing():
    before = holders()
    with pytest.raises(ZeroDivisionError), Cluster(3):
        1 / 0  # noqa: B018
    assert holders() == before


@pytest.mark.usefixtures("can_be")
def test_nothing_outlives_a_notebook_that_is_killed():
    text = "import time\nfrom d2l_helpers.distributed import Cluster\n"
    text += "with Cluster(2):\n    print('up', flush=True)\n    time.sleep(1000)\n"
    notebook = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert notebook.stdout.readline() == "up\n"
    kept = holders()
    assert len(kept) == 3
    notebook.send_signal(signal.SIGKILL)
    notebook.wait(timeout=60)
    notebook.stdout.close()
    end = time.monotonic() + 30
    while any(map(psutil.pid_exists, kept)):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.usefixtures("can_be")
def test_a_failure_on_the_way_up_leaves_nothing(monkeypatch):
    before = holders()
    monkeypatch.setattr(Cluster, "interface", "a-name-that-is-too-long")
    with pytest.raises(OSError, match="failed"), Cluster(2):
        pass
    assert holders() == before


@pytest.mark.parametrize("machines, rate", [(0, "200mbit"), (201, "200mbit"), (2, "fast"), (2, "10mbit; reboot")])
def test_bad_input_is_refused(machines, rate):
    with pytest.raises(ValueError, match="machines|rate"):
        Cluster(machines, rate)


@pytest.mark.parametrize("platform, tools, words", [("darwin", True, "Linux's"), ("linux", False, "missing")])
def test_where_there_can_be_none_one_line_says_why(monkeypatch, platform, tools, words):
    monkeypatch.setattr(cluster.sys, "platform", platform)
    if not tools:
        monkeypatch.setattr(cluster.shutil, "which", lambda name: None)
    reason = cluster._missing.__wrapped__()
    assert words in reason and reason.startswith("no cluster here: ") and "\n" not in reason


def test_the_record_has_the_runs_that_the_page_asks_for():
    """Without a cluster the page shows them: under their short names, whatever its list of cases is."""
    root = Path(__file__).resolve().parents[2]
    page = json.loads((root / "chapters/all-reduce.ipynb").read_text(encoding="utf-8"))
    code = "\n".join("".join(cell["source"]) for cell in page["cells"] if cell["cell_type"] == "code")
    record = json.loads((root / "records/cluster.json").read_text(encoding="utf-8"))
    assert set(re.findall(r'race\("([^"]+)"', code)) == set(record["runs"])
    times = [times for run in record["runs"].values() for times in run.values()]
    assert all(len(each) >= 6 and min(each) > 0 for each in times), "too few rounds for an interval"
