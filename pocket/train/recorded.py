"""A loss whose kernels are recorded once for each shape, and then launched all at once.

A step of a small VAE is some thousand small kernels: launched one by one they take a processor more than twice as long
as they take the GPU.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

Measure = Callable[[Tensor], tuple[Tensor, ...]]
"""From a batch to the loss and whatever else is told, scalars all."""


class _Measured(nn.Module):
    """A measure with the parameters that it goes through."""

    def __init__(self, module: nn.Module, measure: Measure) -> None:
        super().__init__()
        self.module = module
        self._measure = measure

    def forward(self, batch: Tensor) -> tuple[Tensor, ...]:
        return self._measure(batch)


class Recorded:
    """The same measure; for shapes that were recorded it is replayed from a CUDA graph.

    Args:
        module: what it goes through; gradients reach its parameters as ever.
    """

    def __init__(self, module: nn.Module, measure: Measure) -> None:
        self._module, self._measure = module, measure
        self._made: dict[torch.Size, _Measured] = {}

    def record(self, batch: Tensor) -> None:
        """Record a shape, with a batch of it on the device; on a processor there is nothing to record.

        Nothing else may use the GPU from this process meanwhile: record before a thread draws batches.
        """
        if not batch.is_cuda:
            return
        measured = _Measured(self._module, self._measure)
        # What autocast keeps between calls would be memory that a graph does not own.
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            torch.cuda.make_graphed_callables(measured, (batch,), allow_unused_input=True)
        self._made[batch.shape] = measured

    def __call__(self, batch: Tensor) -> tuple[Tensor, ...]:
        """Measure a batch."""
        if batch.shape not in self._made:
            return self._measure(batch)
        # The graph's own are overwritten by the next step.
        loss, *told = (part.clone() for part in self._made[batch.shape](batch))
        return (loss, *(part.detach() for part in told))
