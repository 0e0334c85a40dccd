"""Layers that PyTorch's compiler has fused are the layers, in what they give and in their gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from engine.towers import OmniModel
from pocket.train.shape import TOY
from tuning import layers
from tuning.passes import denoise, read, text_positions
from tuning.weights import fresh_model


@pytest.fixture(scope="module")
def towers() -> OmniModel:
    model = fresh_model(TOY.model(), 0)
    # Untrained layers hardly turn what goes through them.
    for name, parameter in model.named_parameters():
        if name.endswith(".out.weight"):
            nn.init.normal_(parameter, std=0.3)
    return model


def passed(model: OmniModel, batch: int, num_words: int, num_tokens: int) -> list[Tensor]:
    """What both towers make of a batch, and the gradients that lead there."""
    generator = torch.Generator().manual_seed(batch)
    words = torch.randn(batch, num_words, TOY.width, generator=generator)
    tokens = torch.randn(batch, num_tokens, TOY.width, generator=generator)
    lengths = torch.arange(batch) % num_words + 1
    read_words, prompts = read(model, words, text_positions(batch, num_words, words.device), lengths, whole=True)
    out, _ = denoise(model, tokens, text_positions(batch, num_tokens, words.device), prompts)
    parameters = dict(model.named_parameters())
    weights = [parameters["reasoner.blocks.0.qkv.weight"], parameters["generator.blocks.1.feed_forward.up.weight"]]
    loss = out.square().mean() + read_words.square().mean()
    return [read_words.detach(), out.detach(), *torch.autograd.grad(loss, weights)]


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore:The .grad attribute:UserWarning"
)  # of the compiler itself
def test_fused_layers_are_the_layers_whatever_their_shape_and_are_compiled_once(
    towers: OmniModel, monkeypatch: pytest.MonkeyPatch
):
    # A batch of as many as the layers are wide, prompts as long as what is denoised: sizes that are alike by chance.
    shapes = [(TOY.width, 16, 16), (2, 5, 4), (3, 9, 16), (7, 12, 6)]
    plain = [passed(towers, *shape) for shape in shapes]
    monkeypatch.setattr(layers, "_fused", lambda layer, flat: layers.compiled(layer))
    fused = [passed(towers, *shape) for shape in shapes[:1]]
    with torch._dynamo.config.patch(error_on_recompile=True):
        fused += [passed(towers, *shape) for shape in shapes[1:]]
    for one, other in zip(plain, fused, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-4, atol=1e-5)
