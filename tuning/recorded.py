"""A loss whose kernels are recorded once for each form of a batch, and then launched all at once.

A step of a small model is some thousand small kernels: launched one by one they take a processor more than twice as
long as they take the GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial

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
    """Measures by the form of what they are of; on a GPU one that comes a second time is recorded, and replayed then.

    Nothing of the graph of a step before may be left by then: who trains lets go of each loss (`tuning.loop`),
    and a measure of what it keeps itself.

    Args:
        module: what all of them go through; gradients reach its parameters as ever.
        settle: waits until nothing else uses the GPU from this process, such as a thread that draws batches.
    """

    def __init__(self, module: nn.Module, settle: Callable[[], None]) -> None:
        self._module, self._settle = module, settle
        self._seen: set[Hashable] = set()
        self._made: dict[Hashable, Measure] = {}

    def __call__(self, form: Hashable, measure: Measure, *batch: Tensor) -> tuple[Tensor, ...]:
        """Measure a batch.

        Args:
            form: measures of one form do the same to tensors of the same shapes, which differ in their values alone.
            batch: on the device; what is recorded with goes on to hold every later batch of its form.
        """
        if batch[0].is_cuda and form in self._seen and form not in self._made:
            self._settle()
            self._made[form] = self._record(measure, *batch)
        self._seen.add(form)
        return self._made.get(form, measure)(*batch)

    @cached_property
    def _pool(self):
        # One for all: a graph is over, its gradients too, before the next one is replayed.
        return torch.cuda.graph_pool_handle()

    def _record(self, measure: Measure, *batch: Tensor) -> Measure:
        measured = _Measured(self._module, measure)
        # What autocast keeps between calls would be memory that a graph does not own. Nor is a failure caught: the
        # random numbers of a process whose recording was broken off are of no more use (seen on an H200).
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            torch.cuda.make_graphed_callables(measured, batch, allow_unused_input=True, pool=self._pool)
        return partial(_replay, measured)


def _replay(measured: _Measured, *batch: Tensor) -> tuple[Tensor, ...]:
    # The graph's own are overwritten by the next step.
    loss, *told = (part.clone() for part in measured(*batch))
    return (loss, *(part.detach() for part in told))
