"""Layers with an adapter can be compiled as they are on a GPU; here the graphs are traced, and run as they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.planning import read_setting
from engine.weights import open_folder
from studio.tuning import Lora
from tuning import layers
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.generator.clips import Clip
from tuning.generator.records import Window
from tuning.generator.sequences import Draw, Sequences
from tuning.lora import adapter_parameters, put_on
from tuning.weights import read_model


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
@pytest.mark.parametrize("checkpointed", [False, True])
def test_a_traced_step_has_the_same_loss_and_gradients(
    speck: Path, monkeypatch: pytest.MonkeyPatch, checkpointed: bool
):
    model = read_model(speck).requires_grad_(False).eval()
    own = put_on(model, "generator", Lora(rank=4, layers="all"), seed=0)
    for layer in own:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    sequences = Sequences(read_setting(open_folder(speck)))
    window = Window("a", Path("a"), 0, None, 1, None, "A red square.", is_structured=False, is_image=False)
    clip = Clip(window, tuple(range(9)), 10.0, (64, 96))
    latents = torch.randn(sequences.segment(clip).shape, generator=torch.Generator().manual_seed(3))
    ((_, batch),) = sequences.batches([Draw(clip, "i2v", dropped=False)], [latents])

    @cache
    def traced(layer):
        return torch.compile(layer, dynamic=True, fullgraph=True, backend="aot_eager")

    found: list[list[torch.Tensor]] = []
    for is_traced in (False, True):
        if is_traced:
            monkeypatch.setattr(layers, "_fused", lambda layer, flat: traced(layer))
        model.zero_grad()
        torch.manual_seed(7)
        loss, *_ = FlowError(model, batch, Levels(), checkpointed=checkpointed)(*pose(batch, model))
        loss.backward()
        found.append([loss.detach(), *(value.grad for _, value in adapter_parameters(own) if value.grad is not None)])
    for plain, other in zip(*found, strict=True):
        torch.testing.assert_close(other, plain, rtol=1e-5, atol=1e-6)
