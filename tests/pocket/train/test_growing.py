"""A checkpoint with more layers computes what it computed, and the new ones learn."""

from dataclasses import replace

import torch
from torch.nn.functional import mse_loss

from engine.towers import OmniModel
from pocket.train.growing import grow, source_layers
from pocket.train.passes import denoise, read
from pocket.train.shape import TOY
from pocket.train.weights import fresh_model

KEPT = 1


def test_layers_are_put_in_evenly_behind_those_that_are_kept():
    assert source_layers(8, 14, 1) == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]
    assert source_layers(8, 8, 1) == list(range(8))
    assert source_layers(4, 6, 3) == [0, 1, 2, 3, 3, 3]


def written_and_drawn(model: OmniModel) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(5)
    text, tokens = torch.randn(2, 7, 64), torch.randn(2, 6, 64)
    places = torch.arange(7.0).expand(3, 2, -1)
    deep = (torch.randn(2, 7, 64),)
    written, prompts = read(model, text, places, torch.tensor([7, 5]), deep, whole=True)
    drawn, _ = denoise(model, tokens, torch.arange(6.0).expand(3, 2, -1) + 7, prompts)
    return written, drawn


def test_what_is_grown_computes_what_it_computed():
    before = fresh_model(replace(TOY, layers=3).model(), 0)
    after = fresh_model(replace(TOY, layers=5).model(), 1)
    grow(before, after, KEPT)
    for mine, old in zip(written_and_drawn(after), written_and_drawn(before), strict=True):
        torch.testing.assert_close(mine, old, rtol=1e-5, atol=1e-5)


def test_new_layers_learn():
    after = fresh_model(replace(TOY, layers=5).model(), 1)
    grow(fresh_model(replace(TOY, layers=3).model(), 0), after, KEPT)
    _, drawn = written_and_drawn(after)
    mse_loss(drawn, torch.zeros_like(drawn)).backward()
    fresh = [layer for layer, source in enumerate(source_layers(3, 5, KEPT)) if layer > source]
    assert fresh
    for layer in fresh:
        gradient = after.generator.blocks[layer].out.weight.grad
        assert gradient is not None
        assert gradient.abs().max() > 0
