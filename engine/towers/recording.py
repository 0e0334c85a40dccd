"""A pass recorded as a CUDA graph: hundreds of kernels started by one call."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class RecordingPool:
    """Memory that recordings share; none of them runs while another one does."""

    def __init__(self, device: torch.device) -> None:
        self.handle = torch.cuda.graph_pool_handle()
        # A pool ends with its last recording, and may not be used again: this one lives as long as the pool is wanted.
        self._keeper = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._keeper, pool=self.handle, capture_error_mode="thread_local"):
            self._kept = torch.zeros(1, device=device)


class Recording:
    """What a function of [S, H] does on a GPU, to be done again with other values at the same places.

    Args:
        compute: it has run before, so that everything is compiled; all else that it reads stays where it is.
        held: whatever else must live as long as the recording.
        pool: where its memory comes from.
    """

    def __init__(self, compute: Callable[[Tensor], Tensor], x: Tensor, held: nn.Module, pool: RecordingPool) -> None:
        # A recording reads the layers that there were, also when an adapter has been taken off since.
        self._held = [list(held.modules()), pool]
        self._x = x.clone()
        self._graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(x.device)
        # Other threads may go on with what they do on the GPU.
        with torch.cuda.graph(self._graph, pool=pool.handle, capture_error_mode="thread_local"):
            self._out = compute(self._x)

    def run(self, x: Tensor) -> Tensor:
        """x [S, H] → [S, H], the caller's own."""
        self._x.copy_(x)
        self._graph.replay()
        return self._out.clone()
