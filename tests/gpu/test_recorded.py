"""A loss that is replayed from a graph is the loss, and has its gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pocket.train.recorded import Recorded

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]


def measure_of(layer: nn.Linear):
    def measure(batch: Tensor) -> tuple[Tensor, Tensor]:
        error = layer(batch).square().mean()
        return error, batch.mean()

    return measure


def test_a_replay_gives_the_loss_and_the_gradients_of_each_batch():
    layer = nn.Linear(4, 4, device="cuda")
    recorded = Recorded(layer, measure_of(layer))
    recorded.record(torch.zeros(2, 4, device="cuda"))
    for count in (2, 3):
        batch = torch.randn(count, 4, device="cuda")
        layer.zero_grad()
        loss, mean = recorded(batch)
        loss.backward()
        gradient = layer.weight.grad.clone()
        layer.zero_grad()
        wanted, _ = measure_of(layer)(batch)
        wanted.backward()
        torch.testing.assert_close(loss, wanted, rtol=2e-2, atol=1e-3)
        torch.testing.assert_close(gradient, layer.weight.grad, rtol=2e-2, atol=1e-3)
        torch.testing.assert_close(mean, batch.mean())
