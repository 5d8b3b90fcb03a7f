"""Devices under d2l's names, and the threads of every library."""

import subprocess
import sys

import pytest
import torch

import d2l_helpers as d2l


def test_devices_without_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    assert d2l.num_gpus() == 0
    assert d2l.try_gpu() == d2l.try_gpu(3) == d2l.cpu() == torch.device("cpu")
    assert d2l.try_all_gpus() == [torch.device("cpu")]


def test_devices_with_two_gpus(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert d2l.try_gpu(1) == d2l.gpu(1) == torch.device("cuda", 1)
    assert d2l.try_gpu(2) == d2l.cpu()
    assert d2l.try_all_gpus() == [torch.device("cuda", 0), torch.device("cuda", 1)]


def test_a_negative_device_is_refused():
    with pytest.raises(ValueError, match="starts at 0"):
        d2l.try_gpu(-1)


THREADS = """
import os, sys
{first}
import d2l_helpers as d2l
d2l.set_threads({count})
import torch, threadpoolctl
numbers = {{pool["num_threads"] for pool in threadpoolctl.threadpool_info()}}
print(torch.get_num_threads(), numbers, os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", "import torch, numpy"], ids=["set before", "set after the imports"])
def test_every_library_gets_the_threads(first):
    code = THREADS.format(first=first, count=1)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 {1} 1 1\n"


def test_no_thread_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one thread"):
        d2l.set_threads(0)
