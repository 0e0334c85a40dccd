"""A loss whose kernels are recorded once for each form of a batch, and then launched all at once.

A step of a small model is some thousand small kernels: launched one by one they take a processor more than twice as
long as they take the GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property

import torch
from torch import Tensor, nn

Measure = Callable[..., tuple[Tensor, ...]]
"""From the tensors of a batch to the loss and whatever else is told, scalars all."""


class _Measured(nn.Module):
    """A measure with the parameters that it goes through."""

    def __init__(self, module: nn.Module, measure: Measure) -> None:
        super().__init__()
        self.module = module
        self._measure = measure

    def forward(self, *batch: Tensor) -> tuple[Tensor, ...]:
        return self._measure(*batch)


class Recorded:
    """Measures by the form of what they are of; one that was recorded is replayed from a CUDA graph.

    Args:
        module: what all of them go through; gradients reach its parameters as ever.
    """

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._made: dict[Hashable, _Measured | None] = {}

    @cached_property
    def _pool(self):
        # One for all: a graph is over, its gradients too, before the next one is replayed.
        return torch.cuda.graph_pool_handle()

    def __contains__(self, form: Hashable) -> bool:
        """Whether `record` has been told of it."""
        return form in self._made

    def record(self, form: Hashable, measure: Measure, *batch: Tensor) -> None:
        """Record a form, with a batch of it on the device; on a processor there is nothing to record.

        Nothing else may use the GPU from this process meanwhile, such as a thread that draws batches. What cannot be
        recorded is measured as it is, and a line says so: that is slower, but no run ends for it.
        """
        if not batch[0].is_cuda:
            return
        measured = _Measured(self._module, measure)
        # What autocast keeps between calls would be memory that a graph does not own.
        self._made[form] = None
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            try:
                torch.cuda.make_graphed_callables(measured, batch, allow_unused_input=True, pool=self._pool)
            except RuntimeError as error:
                print(f"not recorded: {form}: {error}")  # noqa: T201
                return
        self._made[form] = measured

    def __call__(self, form: Hashable, measure: Measure, *batch: Tensor) -> tuple[Tensor, ...]:
        """Measure a batch; as it is where its form was not recorded."""
        measured = self._made.get(form)
        if measured is None:
            return measure(*batch)
        # The graph's own are overwritten by the next step.
        loss, *told = (part.clone() for part in measured(*batch))
        return (loss, *(part.detach() for part in told))
