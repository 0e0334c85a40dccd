"""A wider checkpoint computes what the narrower one computed, and what is new in it learns."""

from dataclasses import replace

import torch
from torch.nn.functional import mse_loss

from engine.towers import OmniModel
from pocket.train.codecs import fresh_sight
from pocket.train.shape import TOY
from pocket.train.starting import grow, grow_sight
from tuning.passes import denoise, read
from tuning.weights import fresh_model

WIDE = replace(TOY, width=96, inner=160, heads=4, kv_heads=2)


def taught_model() -> OmniModel:
    """A narrow model none of whose weights are 0."""
    model = fresh_model(TOY.model(), 0)
    dice = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "qk_norm" not in name:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=dice))
    return model


def grown_model(before: OmniModel) -> OmniModel:
    after = fresh_model(WIDE.model(), 1)
    grow(before, after)
    return after


def widened(tokens: torch.Tensor, width: int) -> torch.Tensor:
    return torch.nn.functional.pad(tokens, (0, width - tokens.shape[-1]))


def written_and_drawn(model: OmniModel) -> tuple[torch.Tensor, torch.Tensor]:
    """What the reasoner says next of some tokens, and the velocity of some patches, sounds and actions after them."""
    width = model.config.hidden_size
    torch.manual_seed(5)
    words, deep = torch.randint(1000, (2, 7)), (widened(torch.randn(2, 7, 64), width),)
    generator, reasoner = model.generator, model.reasoner
    patches, sounds, actions = torch.randn(2, 6, generator.patch_in.in_features), torch.randn(64, 6), torch.randn(4, 16)
    assert generator.sound is not None
    assert generator.action is not None
    hidden, prompts = read(
        model, reasoner.embed_tokens(words), torch.arange(7.0).expand(3, 2, -1), torch.tensor([7, 5]), deep, whole=True
    )
    heard, acted = generator.sound.embed(sounds).view(2, 3, -1), generator.action.embed(actions, 8).view(2, 2, -1)
    tokens = torch.cat([generator.patch_in(patches), heard, acted], 1)
    tokens = tokens + generator.timesteps(torch.tensor([0.3, 0.7]))[:, None]
    drawn, _ = denoise(model, tokens, torch.arange(11.0).expand(3, 2, -1) + 7, prompts)
    read_back = [
        generator.patch_out(drawn[:, :6]).flatten(),
        generator.sound.read(drawn[:, 6:9].flatten(0, 1)).flatten(),
        generator.action.read(drawn[:, 9:].flatten(0, 1), 8).flatten(),
    ]
    return reasoner.head(hidden), torch.cat(read_back)


def test_what_is_grown_computes_what_it_computed():
    before = taught_model()
    for mine, old in zip(written_and_drawn(grown_model(before)), written_and_drawn(before), strict=True):
        torch.testing.assert_close(mine, old, rtol=1e-4, atol=1e-4)


def test_every_new_weight_learns():
    after = grown_model(taught_model())
    fresh = {name: parameter.detach().clone() for name, parameter in after.generator.named_parameters()}
    optimiser = torch.optim.SGD(after.parameters(), lr=0.1)
    for _ in range(3):
        optimiser.zero_grad()
        _, drawn = written_and_drawn(after)
        mse_loss(drawn, torch.ones_like(drawn)).backward()
        optimiser.step()
    for name, parameter in after.generator.blocks[0].named_parameters():
        still = (parameter.detach() == fresh[f"blocks.0.{name}"]).float().mean()
        assert still < 0.05, f"{name}: {still:.0%} of it has not moved"


def test_a_vision_encoder_sees_what_it_saw():
    before, after = fresh_sight(TOY).eval(), fresh_sight(WIDE).eval()
    grow_sight(before.state_dict(), after)
    torch.manual_seed(4)
    pixels, grid = torch.randn(16, 3 * 2 * 16 * 16), torch.tensor([[1, 4, 4]])
    seen, wide = (sight(pixels, grid_thw=grid) for sight in (before, after))
    for mine, old in zip(
        (wide.pooler_output, *wide.deepstack_features), (seen.pooler_output, *seen.deepstack_features), strict=True
    ):
        assert mine.shape[-1] == 96
        torch.testing.assert_close(mine, widened(old, 96), rtol=1e-5, atol=1e-5)
