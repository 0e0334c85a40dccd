"""Losses and gradients of every mode against diffusers' transformer and peft, float32 on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from engine.planning import read_setting
from engine.towers import OmniModel
from engine.weights import open_folder
from studio.tuning import GeneratorRecipe, Lora, VideoMode
from tuning.flow.batch import Batch
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.generator.clips import Clip
from tuning.generator.records import Window
from tuning.generator.sequences import Draw, Sequences
from tuning.generator.task import let_learn
from tuning.lora import adapter_parameters, put_on
from tuning.weights import read_model, released_tensors
from tuning_oracle import ATTENTION, MLP, loss_of, peft_name, put_lora_on, read_transformer

MODES: tuple[VideoMode, ...] = ("t2i", "t2v", "i2v", "v2v")
SHIFT = 3.0


@pytest.fixture
def model(speck: Path) -> OmniModel:
    return read_model(speck).requires_grad_(False).eval()


def batch_of(speck: Path, mode: VideoMode) -> Batch:
    """Two sequences with prompts of two lengths, one of them without its text."""
    setting = read_setting(open_folder(speck))
    sequences = Sequences(setting)
    num_frames, fps = (1, None) if mode == "t2i" else (13, 10.0)
    window = Window("a", Path("a"), 0, None, 1, None, "A red square moves.", is_structured=False, is_image=fps is None)
    clip = Clip(window, tuple(range(num_frames)), fps, (64, 96))
    shape = sequences.segment(clip).shape
    dice = torch.Generator().manual_seed(3)
    latents = [torch.randn(shape, generator=dice) for _ in range(2)]
    draws = [Draw(clip, mode, dropped) for dropped in (False, True)]
    ((places, batch),) = sequences.batches(draws, latents)
    assert places == [0, 1]
    assert len({len(prompt) for prompt in batch.prompts}) == 2
    return batch


@pytest.mark.parametrize("layers", ["attention", "all"])
@pytest.mark.parametrize("mode", MODES)
def test_an_adapters_loss_and_gradients_are_those_of_diffusers_and_peft(speck, model, mode, layers):
    batch = batch_of(speck, mode)
    own = put_on(model, "generator", Lora(rank=4, layers=layers), seed=0)
    for layer in own:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    transformer = read_transformer(speck)
    put_lora_on(transformer, own, 4, ATTENTION if layers == "attention" else ATTENTION + MLP)

    torch.manual_seed(7)
    theirs = loss_of(transformer, batch, model.config, SHIFT)
    theirs.backward()
    torch.manual_seed(7)
    ours, *_ = FlowError(model, batch, Levels(SHIFT))(*pose(batch, model))
    ours.backward()

    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    wanted = {name: value.grad for name, value in transformer.named_parameters() if value.requires_grad}
    found = {peft_name(name): value.grad for name, value in adapter_parameters(own)}
    assert found.keys() == wanted.keys()
    for name, gradient in found.items():
        torch.testing.assert_close(gradient, wanted[name], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_a_full_trainings_loss_and_gradients_are_those_of_diffusers(speck, model, mode):
    batch = batch_of(speck, mode)
    let_learn(model, GeneratorRecipe(name="whole", checkpoint="speck", data="none", lora=None))
    transformer = read_transformer(speck)

    torch.manual_seed(7)
    theirs = loss_of(transformer, batch, model.config, SHIFT)
    theirs.backward()
    torch.manual_seed(7)
    ours, *_ = FlowError(model, batch, Levels(SHIFT))(*pose(batch, model))
    ours.backward()

    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    gradients = {name: value.grad for name, value in model.named_parameters() if value.grad is not None}
    wanted = {name: value.grad for name, value in transformer.named_parameters()}
    heads = {"norm_added_q": model.config.num_attention_heads, "norm_added_k": model.config.num_key_value_heads}
    for name, gradient in released_tensors(model, gradients).items():
        # The rows of all heads have the mean of their gradients; the one row of a checkpoint has the sum.
        times = next((count for norm, count in heads.items() if norm in name), 1)
        torch.testing.assert_close(times * gradient, wanted[name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_an_adapters_first_step_computes_what_the_checkpoint_does_to_the_bit(speck, model, mode):
    batch = batch_of(speck, mode)
    torch.manual_seed(7)
    bare, *_ = FlowError(model, batch, Levels(SHIFT))(*pose(batch, model))
    put_on(model, "generator", Lora(rank=4, layers="all"), seed=0)
    torch.manual_seed(7)
    dressed, *_ = FlowError(model, batch, Levels(SHIFT))(*pose(batch, model))
    assert torch.equal(dressed.detach(), bare)


@pytest.mark.parametrize("mode", ["t2i", "v2v"])
def test_checkpointed_blocks_have_the_same_gradients(speck, model, mode):
    batch = batch_of(speck, mode)
    own = put_on(model, "generator", Lora(rank=4, layers="all"), seed=0)
    for layer in own:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    found: list[list[torch.Tensor]] = []
    for checkpointed in (False, True):
        model.zero_grad()
        torch.manual_seed(7)
        loss, *_ = FlowError(model, batch, Levels(SHIFT), checkpointed=checkpointed)(*pose(batch, model))
        loss.backward()
        found.append([loss.detach(), *(value.grad for _, value in adapter_parameters(own) if value.grad is not None)])
    for plain, other in zip(*found, strict=True):
        assert torch.equal(plain, other)
