"""The one shape of provenance, and its line."""

import sys

import torch

import d2l_helpers as d2l

machine = sys.modules["d2l_helpers.machine"]  # the name d2l.machine is the function


def test_machine_says_what_matters():
    found = d2l.machine()
    assert found["machine"]["cpu"] and found["machine"]["cores"] == d2l.cores()
    assert found["versions"]["python"].count(".") == 2
    assert found["versions"]["torch"].startswith(torch.__version__.split("+")[0])
    assert len(found["date"]) == 10


def test_its_line_holds_for_a_record_too():
    about = {"cpu": "Z80", "cores": 1, "gpu": "T4", "system": "CP/M"}
    record = {"machine": about, "versions": {"torch": "0.1"}, "runs": {}}
    assert d2l.machine_line(record) == "Z80, 1 core, T4, CP/M, PyTorch 0.1"


def test_sizes_are_bytes():
    assert d2l.memory_size() is None or d2l.memory_size() > 2**28
    assert all(size % 1024 == 0 for size in d2l.caches().values())


def test_a_container_has_no_more_memory_than_its_group(tmp_path):
    """Version 1 with a limit above; version 2 without one; a machine without groups."""
    membership, mounted = tmp_path / "cgroup", tmp_path / "mounted"
    group = mounted / "memory" / "jobs" / "ours"
    group.mkdir(parents=True)
    (mounted / "memory/jobs/memory.limit_in_bytes").write_text("2147483648\n")
    (mounted / "memory.max").write_text("max\n")
    membership.write_text("4:memory:/jobs/ours\n3:cpuset:/\n0::/\n")
    assert machine._cgroup_limits(membership, mounted) == [2**31]
    (mounted / "memory.max").write_text("1073741824\n")
    assert sorted(machine._cgroup_limits(membership, mounted)) == [2**30, 2**31]
    assert machine._cgroup_limits(tmp_path / "none", mounted) == []


def test_two_processors_of_one_name_are_told_apart(tmp_path):
    """A virtual machine may call every processor "AMD EPYC"; other architectures have no family."""
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n")
    assert machine._cpu_name(info) == "AMD EPYC (family 25, model 17)"
    info.write_text("processor\t: 0\nmodel name\t: Neoverse\n")
    assert machine._cpu_name(info) == "Neoverse"
    assert machine._cpu_name(tmp_path / "none")
