"""Weights on the host: those of a checkpoint that sleeps, and of towers whose blocks stay there."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from engine.memory.streamed_blocks import Slots, StreamedBlocks, pack, packed_bytes, replace_tensor, tensors_of
from engine.towers import OmniModel


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
            replace_tensor(owner, name, moved[id(tensor)][1])


def keep_on_host(model: OmniModel, device: torch.device) -> None:
    """Leave the blocks of a model that was read to the host there, and move the rest of it to the device.

    On a host with a GPU the blocks' memory is page-locked, so that copies run beside what computes.
    """
    towers = (model.reasoner, model.generator)
    size_bytes = max(packed_bytes(block) for tower in towers for block in tower.blocks)
    slots = Slots(size_bytes, device, _copy)
    for tower in towers:
        kept: list[Tensor] = []
        for index, block in enumerate(tower.blocks):
            weights = _locked(packed_bytes(block), device)
            pack(block, slots.places[index % 2], weights)
            kept.append(weights)
        tower.blocks = StreamedBlocks(tower.blocks, kept, slots)
    model.reasoner.streams = model.generator.streams = True
    blocks = {id(tensor) for tower in towers for _, _, tensor in tensors_of(tower.blocks)}
    for owner, name, tensor in list(tensors_of(model)):
        if id(tensor) not in blocks:
            replace_tensor(owner, name, tensor.to(device))


def _copy(place: Tensor, weights: Tensor) -> None:
    place[: len(weights)].copy_(weights, non_blocking=True)


def _locked(size_bytes: int, device: torch.device) -> Tensor:
    weights = torch.empty(size_bytes, dtype=torch.uint8)
    if device.type == "cuda":
        # Not `pin_memory`, whose allocator rounds 386 MB up to 512.
        runtime = torch.cuda.cudart()
        assert runtime is not None
        torch.cuda.check_error(runtime.cudaHostRegister(weights.data_ptr(), size_bytes, 0))
    return weights
