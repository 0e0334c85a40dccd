"""Weights divided among ranks: each keeps a part of every block, and a block is gathered while the one before computes.

That is what PyTorch's `fully_shard` does for training and peers call HSDP, for inference alone: nothing is reduced, and
what is gathered are the block's own bytes, so that results are to the bit those of whole weights.

A block is gathered from all ranks, so all of them must go through a tower's blocks whenever one does. Where they
compute together they do. Where one computes alone it says so (`turn`), and the others go through without computing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import torch
from torch import Tensor, nn

from engine.memory.streamed_blocks import ALIGNMENT_BYTES, Slots, StreamedBlocks, pack, packed_bytes
from engine.towers import OmniModel


class Peers(Protocol):
    """Those that share the weights: an `engine.parallel` ring of all ranks, with nothing else on its channel."""

    @property
    def size(self) -> int:
        """How many, P."""
        ...

    @property
    def place(self) -> int:
        """This one's number among them."""
        ...

    def gather(self, into: Tensor, own: Tensor) -> None:
        """Collect own [n] of every rank behind one another into [P * n]."""
        ...


class ShardedBlocks(StreamedBlocks):
    """Blocks of a tower whose weights are divided.

    Attributes:
        turn: entered by this rank whenever it goes through the blocks.
    """

    turn: Callable[[], AbstractContextManager[object]] = nullcontext

    def __iter__(self) -> Iterator[nn.Module]:
        with self.turn():
            yield from super().__iter__()

    def lend(self) -> None:
        """Go through the blocks for the others, which compute."""
        for _ in super().__iter__():
            pass


Fill = Callable[[str, nn.Module], None]
"""Bring a block's weights to the device; it is told its name, as in "generator.blocks.3"."""


def shard_weights(model: OmniModel, device: torch.device, peers: Peers, fill: Fill) -> None:
    """Divide the blocks of a model on the meta device: one after another is filled, and a part of it is kept.

    So a rank never has more than its part and three blocks. Every rank fills them with the same weights.
    """
    towers = {"reasoner": model.reasoner, "generator": model.generator}
    size_bytes = max(_divisible(packed_bytes(block), peers) for tower in towers.values() for block in tower.blocks)

    def gather(place: Tensor, own: Tensor) -> None:
        peers.gather(place[: peers.size * len(own)], own)

    slots = Slots(size_bytes, device, gather)
    for name, tower in towers.items():
        kept: list[Tensor] = []
        for index, block in enumerate(tower.blocks):
            fill(f"{name}.blocks.{index}", block)
            whole = torch.zeros(_divisible(packed_bytes(block), peers), dtype=torch.uint8, device=device)
            pack(block, slots.places[index % 2], whole)
            kept.append(whole.chunk(peers.size)[peers.place].clone())
        tower.blocks = ShardedBlocks(tower.blocks, kept, slots)
        tower.streams = True


def _divisible(size_bytes: int, peers: Peers) -> int:
    step = peers.size * ALIGNMENT_BYTES
    return math.ceil(size_bytes / step) * step
