from __future__ import annotations

import torch
from torch import Tensor, nn

from tuning.recorded import Recorded


def measure_of(layer: nn.Linear):
    def measure(batch: Tensor) -> tuple[Tensor, Tensor]:
        error = layer(batch).square().mean()
        return error, batch.mean()

    return measure


def not_asked() -> None:
    raise AssertionError("There is nothing to wait for.")


def test_on_a_processor_it_is_the_measure_itself():
    layer = nn.Linear(4, 4)
    batch = torch.randn(2, 4)
    recorded, measure = Recorded(layer, not_asked), measure_of(layer)
    for _ in range(3):
        loss, mean = recorded("pairs", measure, batch)
        loss.backward()
    assert torch.equal(mean, batch.mean())
    assert layer.weight.grad is not None
