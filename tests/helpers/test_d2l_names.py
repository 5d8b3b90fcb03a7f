"""d2l's names: parts, a network and its accuracy, on a CPU and with awkward input; and readers' notes run."""

import subprocess
import sys

import pytest
import torch

import d2l_helpers as d2l

CPUS = [torch.device("cpu")] * 3


def test_split_batch_keeps_every_example_once_and_in_order():
    X, y = torch.arange(20.0).reshape(10, 2), torch.arange(10)
    parts, labels = d2l.split_batch(X, y, CPUS)
    assert [len(part) for part in parts] == [4, 3, 3]
    assert torch.equal(torch.cat(parts), X) and torch.equal(torch.cat(labels), y)


def test_split_batch_with_fewer_examples_than_devices_leaves_some_empty():
    parts, _ = d2l.split_batch(torch.ones(2, 5), torch.ones(2), CPUS)
    assert [part.shape for part in parts] == [(1, 5), (1, 5), (0, 5)]


@pytest.mark.parametrize("examples, labels, devices", [(3, 2, CPUS), (3, 3, [])])
def test_split_batch_refuses_what_cannot_be_split(examples, labels, devices):
    with pytest.raises(ValueError, match="labels|at least one device"):
        d2l.split_batch(torch.ones(examples), torch.ones(labels), devices)


def test_resnet18_has_the_layers_of_the_paper_and_no_lazy_parts():
    net = d2l.resnet18(10)
    convolutions = [m for m in net.modules() if type(m) is torch.nn.Conv2d]
    assert len(convolutions) == 17 + 3  # and three on the way around
    blocks = [(64, 64), (64, 64), (64, 128), (128, 128), (128, 256), (256, 256), (256, 512), (512, 512)]
    by_hand = 9 * 64 + 3 * 64  # the stem: weight, bias, batch norm
    for a, b in blocks:
        by_hand += 9 * a * b + 9 * b * b + 2 * 3 * b + (a * b + b if a != b else 0)
    assert sum(p.numel() for p in net.parameters()) == by_hand + 512 * 10 + 10
    assert net(torch.rand(2, 1, 28, 28)).shape == (2, 10)


class Echo(torch.nn.Module):
    """Scores are the input; counts how often it was asked, in which mode."""

    def forward(self, X):
        assert not self.training and not torch.is_grad_enabled()
        return X


def test_evaluate_accuracy_gpus_counts_uneven_batches_exactly():
    scores = torch.eye(7)
    labels = torch.tensor([0, 1, 2, 3, 4, 0, 0])
    net = Echo()
    batches = [(scores[:5], labels[:5]), (scores[5:], labels[5:])]
    assert d2l.evaluate_accuracy_gpus(net, batches, devices=CPUS) == 5 / 7
    assert net.training  # left as it was


def test_evaluate_accuracy_gpus_without_examples_says_so():
    with pytest.raises(ValueError, match="no example"):
        d2l.evaluate_accuracy_gpus(Echo(), [], devices=CPUS)


@pytest.mark.slow
def test_d2l_notes_run_with_one_changed_import():
    """The call forms in readers' notes, as they stand there."""
    code = """
import d2l_helpers as d2l
import numpy, torch
class Benchmark:
    def __init__(self, description='Done'):
        self.description = description
    def __enter__(self):
        self.timer = d2l.Timer()
        return self
    def __exit__(self, *args):
        print(f'{self.description}: {self.timer.stop():.4f} sec')
with Benchmark('Without torchscript'):
    pass
device = d2l.try_gpu()
a = torch.randn(size=(10, 10), device=device)
with d2l.Benchmark('numpy'):
    numpy.dot(numpy.ones((9, 9)), numpy.ones((9, 9)))
with d2l.Benchmark():
    torch.mm(a, a)
timer = d2l.Timer()
print(f'batch 1, time {timer.stop():.4f} sec')
"""
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    labels = [line.split(":")[0].split(",")[0] for line in lines[:4]]
    assert labels == ["Without torchscript", "numpy", "Done", "batch 1"]
