"""Towers whose blocks come to the device one by one, from wherever their weights are kept.

A streamed block's parameters are views of its slot on the device, from the beginning and for ever: they hold that
block's weights while it has its turn, and another one's at other times. So nothing in the towers knows of it, and
adapters fit on as they do elsewhere. What cannot be is a recorded step, which reads all blocks without anybody's turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn

ALIGNMENT_BYTES = 256
"""Of each tensor within a block's weights, as the device's own allocator has it."""

Bring = Callable[[Tensor, Tensor], None]
"""Fill a place on the device, uint8, with a block's weights: of what is kept of them, uint8 too."""


def tensors_of(module: nn.Module) -> Iterator[tuple[nn.Module, str, Tensor]]:
    """Every parameter and buffer with the module that has it."""
    for owner in module.modules():
        for name, tensor in (*owner._parameters.items(), *owner._buffers.items()):
            if tensor is not None:
                yield owner, name, tensor


def replace_tensor(owner: nn.Module, name: str, tensor: Tensor) -> None:
    """Put another parameter or buffer in the place of one."""
    if name in owner._buffers:
        owner._buffers[name] = tensor
    else:
        is_parameter = isinstance(tensor, nn.Parameter)
        owner._parameters[name] = tensor if is_parameter else nn.Parameter(tensor, requires_grad=False)


def packed_bytes(block: nn.Module) -> int:
    """Of a block's tensors behind one another; they may be anywhere, on the meta device too."""
    return sum(_aligned(tensor) for _, _, tensor in tensors_of(block))


def pack(block: nn.Module, place: Tensor, into: Tensor) -> None:
    """Write a block's tensors behind one another, and put views of its slot in their stead.

    Args:
        place: uint8 on the device, the slot.
        into: uint8 [`packed_bytes` or more].
    """
    start = 0
    for owner, name, tensor in list(tensors_of(block)):
        stop = start + tensor.nbytes
        into[start:stop] = tensor.contiguous().view(-1).view(torch.uint8)
        replace_tensor(owner, name, place[start:stop].view(tensor.dtype).view(tensor.shape))
        start += _aligned(tensor)


def _aligned(tensor: Tensor) -> int:
    return math.ceil(tensor.nbytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES


class Slots:
    """Two places on the device: while the block in one computes, the next is brought to the other, on its own stream.

    On a CPU a block is brought when it is wanted, and everything else is the same.

    Attributes:
        places: uint8 [size] each.
    """

    def __init__(self, size_bytes: int, device: torch.device, bring: Bring) -> None:
        self.places = [torch.empty(size_bytes, dtype=torch.uint8, device=device) for _ in range(2)]
        self._bring = bring
        self._held: list[Tensor | None] = [None, None]
        self._on_gpu = device.type == "cuda"
        if self._on_gpu:
            self._bringing = torch.cuda.Stream(device)
            self._brought = [torch.cuda.Event() for _ in self.places]
            self._used = [torch.cuda.Event() for _ in self.places]

    def fetch(self, slot: int, kept: Tensor) -> None:
        """Begin to bring the block that this is kept of, unless it is there."""
        if self._held[slot] is kept:
            return
        self._held[slot] = kept
        if not self._on_gpu:
            self._bring(self.places[slot], kept)
            return
        self._bringing.wait_event(self._used[slot])
        with torch.cuda.stream(self._bringing):
            self._bring(self.places[slot], kept)
            self._brought[slot].record(self._bringing)

    def await_block(self, slot: int) -> None:
        """What is computed from here on sees what was fetched last."""
        if self._on_gpu:
            torch.cuda.current_stream().wait_event(self._brought[slot])

    def release(self, slot: int) -> None:
        """What was computed up to here is the last that sees it."""
        if self._on_gpu:
            self._used[slot].record(torch.cuda.current_stream())


class StreamedBlocks(nn.ModuleList):
    """Blocks that are to be computed one after the other, in the order of iteration.

    Args:
        kept: of each block, what its weights are brought from, see `Bring`.
    """

    def __init__(self, blocks: nn.ModuleList, kept: Sequence[Tensor], slots: Slots) -> None:
        super().__init__(blocks)
        self._kept = kept
        self._slots = slots

    def __iter__(self) -> Iterator[nn.Module]:
        count = len(self._kept)
        for index, block in enumerate(super().__iter__()):
            slot, following = index % 2, (index + 1) % count
            self._slots.fetch(slot, self._kept[index])
            # The last block fetches the first one for the next step; in an odd tower that would be into its own slot.
            if following % 2 != slot:
                self._slots.fetch(following % 2, self._kept[following])
            self._slots.await_block(slot)
            try:
                yield block
            finally:
                self._slots.release(slot)

    def bring_back(self, index: int) -> None:
        """Bring a block whose turn is over again, for its gradients: from the last one to the first.

        The one behind it must have had its own; the one before it is brought meanwhile.
        """
        slot = index % 2
        self._slots.release(1 - slot)
        self._slots.fetch(slot, self._kept[index])
        if index:
            self._slots.fetch(1 - slot, self._kept[index - 1])
        self._slots.await_block(slot)
