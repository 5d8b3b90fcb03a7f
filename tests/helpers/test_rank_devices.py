"""Which device a rank gets: its own GPU where each of them has one, and the CPU for all where not, said in a line."""

import pytest
import torch
import torch.distributed as dist

from d2l_helpers.distributed import join, ranks_here


@pytest.mark.parametrize(("gpus", "ranks"), [(0, 4), (1, 4), (2, 2), (8, 4)])
def test_a_gpu_each_or_processes_on_the_cpu(monkeypatch, gpus, ranks):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    assert ranks_here(4) == ranks


@pytest.mark.parametrize(
    ("gpus", "device", "backend", "line"),
    [
        (0, "cpu", "gloo", "4 ranks on the CPU (gloo)"),
        (1, "cpu", "gloo", "4 ranks on the CPU (gloo), since 4 ranks need a GPU each, not 1"),
        (8, "cuda:2", "nccl", "4 ranks on its GPUs, one each (NCCL)"),
    ],
)
def test_a_rank_takes_its_own_device(monkeypatch, capsys, gpus, device, backend, line):
    called = {}
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: called.update(current=str(device)))
    monkeypatch.setattr(dist, "init_process_group", lambda backend, **more: called.update(backend=backend, **more))
    monkeypatch.setattr(dist, "get_rank", lambda: 0)
    monkeypatch.setattr(dist, "get_world_size", lambda: 4)
    assert str(join(timeout=5)) == device
    assert called["backend"] == backend and called["timeout"].total_seconds() == 5
    assert called.get("current") == (device if device != "cpu" else None)
    assert capsys.readouterr().out == line + "\n"
