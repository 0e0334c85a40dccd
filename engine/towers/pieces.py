"""How a block is computed: in two pieces, before attention and after it, operation by operation or compiled."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import Tensor

from engine.towers.block import Block

CACHE = Path.home() / ".cache" / "orrery" / "compiled"
"""Where compiled kernels are kept, unless TORCHINDUCTOR_CACHE_DIR says otherwise."""


def heads(block: Block, x: Tensor) -> Tensor:
    """`Block.heads`."""
    return block.heads(x)


def merge(block: Block, x: Tensor, attended: Tensor) -> Tensor:
    """`Block.merge`."""
    return block.merge(x, attended)


def widen(block: Block, x: Tensor) -> Tensor:
    """`Block.widen`."""
    return block.widen(x)


class Pieces:
    """A block in two pieces as PyTorch runs them operation by operation."""

    def heads(self, block: Block, x: Tensor) -> Tensor:
        """See `Block.heads`."""
        return heads(block, x)

    def merge(self, block: Block, x: Tensor, attended: Tensor) -> Tensor:
        """See `Block.merge`; x is the caller's no more."""
        return merge(block, x, attended)


class CompiledPieces(Pieces):
    """The same, compiled at their first use: some seconds, fewer where an earlier process has kept the kernels.

    One graph of each serves every layer of both towers and any number of tokens: weights are its inputs too. Products
    that add to the residual stream are left out of the graphs, which would add in a pass over memory of its own.
    """

    def __init__(self) -> None:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(CACHE))
        self._heads = torch.compile(heads, fullgraph=True)
        self._merge = torch.compile(merge, fullgraph=True)
        self._widen = torch.compile(widen, fullgraph=True)

    def heads(self, block: Block, x: Tensor) -> Tensor:
        """See `Block.heads`."""
        _of_any_length(x)
        return self._heads(block, x)

    def merge(self, block: Block, x: Tensor, attended: Tensor) -> Tensor:
        """See `Block.merge`; x is the caller's no more."""
        _of_any_length(x, attended)
        if not block.can_add_in_place:
            return self._merge(block, x, attended)
        return block.add(x, attended, self._widen)


def _of_any_length(*tensors: Tensor) -> None:
    for tensor in tensors:
        torch._dynamo.maybe_mark_dynamic(tensor, 0)
