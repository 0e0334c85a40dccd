"""One step for a fixed number of conversations, recorded as a CUDA graph."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.towers.block import Block
from engine.towers.cache import Cache
from engine.towers.decoding.attention import attend
from engine.towers.decoding.product import feed_forward, product, sum_norm
from engine.towers.decoding.table import POSITION, TOKEN, LastToken, Table
from engine.towers.reasoner import Reasoner
from engine.towers.rope import rope_tables


class TokenStep:
    """`Reasoner.read` of `size` tokens, one or some of each conversation. As made, it is launched kernel by kernel."""

    def __init__(self, reasoner: Reasoner, size: int) -> None:
        weight = reasoner.embed_tokens.weight
        self._reasoner = reasoner
        spare = Cache(reasoner.config, weight.device, weight.dtype)
        spare.reserve(1)
        self._table = Table(size, spare)
        # A recorded step reads the layers that there were, also when an adapter has been taken off since.
        self._held = list(reasoner.modules())
        self._overlaps = weight.is_cuda and torch.cuda.get_device_capability(weight.device) >= (9, 0)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._out = weight.new_empty(0)

    @classmethod
    def recorded(cls, reasoner: Reasoner, size: int) -> TokenStep:
        """A step that is a CUDA graph; nothing but a spare cache is written for it.

        Raises:
            RuntimeError: no memory, or a kernel cannot be compiled.
        """
        step = cls(reasoner, size)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step.compute()  # compiles kernels, makes the libraries' handles
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        # Other threads may go on with what they do on the GPU.
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            step._out = step.compute()
        step._graph = graph
        return step

    def run(self, rows: Sequence[LastToken]) -> Tensor:
        """Read up to `size` tokens; their keys and values are written behind what the caches have, but not counted.

        Returns:
            [len(rows), H], normalised; the next run overwrites it.
        """
        self._table.fill(rows)
        if self._graph is None:
            self._out = self.compute()
        else:
            self._graph.replay()
        return self._out[: len(rows)]

    def compute(self) -> Tensor:
        """The step itself, of what the table says → [size, H]."""
        reasoner, table, overlaps = self._reasoner, self._table.values, self._overlaps
        x = reasoner.embed_tokens(table[:, TOKEN])
        rope = rope_tables(reasoner.config, table[:, POSITION].float().expand(3, -1), x.dtype)
        added: Tensor | None = None
        for layer, block in enumerate(reasoner.blocks):
            assert isinstance(block, Block)
            x, normal = sum_norm(x, added, block.attention_norm, overlaps=overlaps)
            heads = product(block.qkv, normal, overlaps=overlaps)
            seen = attend(block, layer, heads, table, rope, overlaps=overlaps)
            added = product(block.out, seen, overlaps=overlaps)
            x, normal = sum_norm(x, added, block.feed_forward_norm, overlaps=overlaps)
            added = feed_forward(block.feed_forward, normal, overlaps=overlaps)
        return sum_norm(x, added, reasoner.norm, overlaps=overlaps)[1]
