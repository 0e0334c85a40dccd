"""All weights of a checkpoint from one device to another, as they go to sleep and wake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn


def tensors_of(module: nn.Module) -> Iterator[tuple[nn.Module, str, Tensor]]:
    """Every parameter and buffer with the module that has it."""
    for owner in module.modules():
        for name, tensor in (*owner._parameters.items(), *owner._buffers.items()):
            if tensor is not None:
                yield owner, name, tensor


def move_weights(modules: Iterable[nn.Module], device: torch.device) -> None:
    """Every parameter and buffer to a device; what several modules share, they share there.

    Raises:
        RuntimeError: out of memory. Those that did go there stay; move them back.
    """
    moved: dict[int, tuple[Tensor, Tensor]] = {}
    for module in modules:
        for owner, name, tensor in list(tensors_of(module)):
            if id(tensor) not in moved:
                there = tensor.to(device)
                if isinstance(tensor, nn.Parameter):
                    there = nn.Parameter(there, requires_grad=False)
                # The old one is held too: while it is, nothing else can have its id.
                moved[id(tensor)] = tensor, there
            _put(owner, name, moved[id(tensor)][1])


def _put(owner: nn.Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, nn.Parameter):
        owner._parameters[name] = tensor
    else:
        owner._buffers[name] = tensor
