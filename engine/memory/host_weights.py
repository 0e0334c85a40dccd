"""Weights on the host: those of a checkpoint that sleeps, and of towers whose blocks come to the device one by one.

A streamed block's parameters are views of its slot on the device, from the beginning and for ever: they hold that
block's weights while it has its turn, and another one's at other times. So nothing in the towers knows of it, and
adapters fit on as they do elsewhere. What cannot be is a recorded step, which reads all blocks without anybody's turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn

from engine.towers import OmniModel


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
            _replace(owner, name, moved[id(tensor)][1])


ALIGNMENT_BYTES = 256
"""Of each tensor within a block's weights, as the device's own allocator has it."""


class Slots:
    """Two places on the device: while the block in one computes, the next is copied into the other, on its own stream.

    On a CPU a copy is a copy, and everything else is the same.

    Attributes:
        places: uint8 [size] each.
    """

    def __init__(self, size_bytes: int, device: torch.device) -> None:
        self.places = [torch.empty(size_bytes, dtype=torch.uint8, device=device) for _ in range(2)]
        self._held: list[Tensor | None] = [None, None]
        self._on_gpu = device.type == "cuda"
        if self._on_gpu:
            self._copying = torch.cuda.Stream(device)
            self._copied = [torch.cuda.Event() for _ in self.places]
            self._used = [torch.cuda.Event() for _ in self.places]

    def fetch(self, slot: int, weights: Tensor) -> None:
        """Begin to copy a block's weights, uint8 on the host, unless they are there."""
        if self._held[slot] is weights:
            return
        self._held[slot] = weights
        place = self.places[slot][: len(weights)]
        if not self._on_gpu:
            place.copy_(weights)
            return
        self._copying.wait_event(self._used[slot])
        with torch.cuda.stream(self._copying):
            place.copy_(weights, non_blocking=True)
            self._copied[slot].record(self._copying)

    def await_copy(self, slot: int) -> None:
        """What is computed from here on sees what was fetched last."""
        if self._on_gpu:
            torch.cuda.current_stream().wait_event(self._copied[slot])

    def release(self, slot: int) -> None:
        """What was computed up to here is the last that sees it."""
        if self._on_gpu:
            self._used[slot].record(torch.cuda.current_stream())


class StreamedBlocks(nn.ModuleList):
    """Blocks that are to be computed one after the other, in the order of iteration.

    Args:
        weights: of each block, uint8 on the host.
    """

    def __init__(self, blocks: nn.ModuleList, weights: list[Tensor], slots: Slots) -> None:
        super().__init__(blocks)
        self._weights = weights
        self._slots = slots

    def __iter__(self) -> Iterator[nn.Module]:
        count = len(self._weights)
        for index, block in enumerate(super().__iter__()):
            slot, following = index % 2, (index + 1) % count
            self._slots.fetch(slot, self._weights[index])
            # The last block fetches the first one for the next step; in an odd tower that would be into its own slot.
            if following % 2 != slot:
                self._slots.fetch(following % 2, self._weights[following])
            self._slots.await_copy(slot)
            try:
                yield block
            finally:
                self._slots.release(slot)


def keep_on_host(model: OmniModel, device: torch.device) -> None:
    """Leave the blocks of a model that was read to the host there, and move the rest of it to the device.

    On a host with a GPU the blocks' memory is page-locked, so that copies run beside what computes.
    """
    towers = (model.reasoner, model.generator)
    size_bytes = max(_size_bytes(block) for tower in towers for block in tower.blocks)
    slots = Slots(size_bytes, device)
    for tower in towers:
        weights = [_pack(block, slots.places[index % 2]) for index, block in enumerate(tower.blocks)]
        tower.blocks = StreamedBlocks(tower.blocks, weights, slots)
    model.reasoner.streams = model.generator.streams = True
    blocks = {id(tensor) for tower in towers for _, _, tensor in tensors_of(tower.blocks)}
    for owner, name, tensor in list(tensors_of(model)):
        if id(tensor) not in blocks:
            _replace(owner, name, tensor.to(device))


def _pack(block: nn.Module, place: Tensor) -> Tensor:
    """Put a block's tensors behind one another on the host, and views of its slot in their stead."""
    weights = _locked(_size_bytes(block), place.device)
    start = 0
    for owner, name, tensor in list(tensors_of(block)):
        stop = start + tensor.nbytes
        weights[start:stop] = tensor.contiguous().view(-1).view(torch.uint8)
        _replace(owner, name, place[start:stop].view(tensor.dtype).view(tensor.shape))
        start += _aligned(tensor)
    return weights


def _locked(size_bytes: int, device: torch.device) -> Tensor:
    weights = torch.empty(size_bytes, dtype=torch.uint8)
    if device.type == "cuda":
        # Not `pin_memory`, whose allocator rounds 386 MB up to 512.
        runtime = torch.cuda.cudart()
        assert runtime is not None
        torch.cuda.check_error(runtime.cudaHostRegister(weights.data_ptr(), size_bytes, 0))
    return weights


def _replace(owner: nn.Module, name: str, tensor: Tensor) -> None:
    if name in owner._buffers:
        owner._buffers[name] = tensor
    else:
        is_parameter = isinstance(tensor, nn.Parameter)
        owner._parameters[name] = tensor if is_parameter else nn.Parameter(tensor, requires_grad=False)


def _size_bytes(block: nn.Module) -> int:
    return sum(_aligned(tensor) for _, _, tensor in tensors_of(block))


def _aligned(tensor: Tensor) -> int:
    return math.ceil(tensor.nbytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES
