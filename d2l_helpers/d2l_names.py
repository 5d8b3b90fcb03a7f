"""d2l's helpers for training on several devices: ``split_batch``, ``resnet18``, ``evaluate_accuracy_gpus``.

They keep d2l's names and arguments, and work on CPUs too, where d2l's versions raise.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import nn

Parts = tuple["torch.Tensor", ...]


def split_batch(X: torch.Tensor, y: torch.Tensor, devices: Sequence) -> tuple[Parts, Parts]:
    """Split examples ``X`` and labels ``y`` along their first axis, one part for each device.

    The parts lie on their devices, in order; their sizes differ by one at most, so some may be empty.
    Raises ValueError where there are no devices, or X and y differ in length.
    """
    if len(devices) == 0:
        raise ValueError("split_batch needs at least one device")
    if len(X) != len(y):
        raise ValueError(f"{len(X)} examples, but {len(y)} labels")
    count = len(devices)
    return tuple(
        tuple(part.to(device) for part, device in zip(whole.tensor_split(count), devices, strict=True))
        for whole in (X, y)
    )


def resnet18(num_classes: int, in_channels: int = 1) -> nn.Sequential:
    """ResNet-18 for small images: a 3×3 stem without pooling, then eight residual blocks.

    Takes (n, in_channels, height, width), returns (n, num_classes). No shape is left to the first
    call. Source: He et al. (2016), arxiv.org/abs/1512.03385, with d2l's stem.
    """
    from torch import nn

    class Residual(nn.Module):
        """Two 3×3 convolutions and what goes around them."""

        def __init__(self, before: int, after: int, stride: int) -> None:
            super().__init__()
            self.path = nn.Sequential(
                nn.Conv2d(before, after, 3, stride, 1), nn.BatchNorm2d(after), nn.ReLU(),
                nn.Conv2d(after, after, 3, 1, 1), nn.BatchNorm2d(after),
            )  # fmt: skip
            same = before == after and stride == 1
            self.around = nn.Identity() if same else nn.Conv2d(before, after, 1, stride)
            self.relu = nn.ReLU()

        def forward(self, X: torch.Tensor) -> torch.Tensor:
            return self.relu(self.path(X) + self.around(X))

    layers = [nn.Conv2d(in_channels, 64, 3, 1, 1), nn.BatchNorm2d(64), nn.ReLU()]
    before = 64
    for after in (64, 128, 256, 512):
        layers += [Residual(before, after, 1 if after == 64 else 2), Residual(after, after, 1)]
        before = after
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(512, num_classes))


def evaluate_accuracy_gpus(net: nn.Module, data_iter: Iterable, split_f=split_batch, devices=None) -> float:
    """Share of the examples of ``data_iter`` that ``net`` labels correctly, each batch split over ``devices``.

    ``devices`` are all GPUs, or the CPU, unless given. A copy of ``net`` on each device is evaluated;
    ``net`` is left as it is. Raises ValueError where ``data_iter`` holds no example.
    """
    import torch

    from .devices import try_all_gpus

    devices = list(try_all_gpus() if devices is None else devices)
    copies = [copy.deepcopy(net).to(device).eval() for device in devices]
    right = total = 0
    with torch.no_grad():
        for X, y in data_iter:
            parts = zip(copies, *split_f(X, y, devices), strict=True)
            hits = [(replica(part).argmax(1) == label).sum() for replica, part, label in parts if len(part)]
            right += sum(hit.item() for hit in hits)  # asked for only when all devices have their work
            total += len(y)
    if total == 0:
        raise ValueError("there is no example to evaluate")
    return right / total
