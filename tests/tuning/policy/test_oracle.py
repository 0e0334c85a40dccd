"""Losses and gradients of a policy's windows against diffusers' transformer and peft, float32 on the CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from engine.planning import read_setting
from engine.planning.action import fit
from engine.planning.embodiments import ActionUnits
from engine.towers import OmniModel
from engine.weights import open_folder
from studio.requests.embodiments import EMBODIMENTS
from studio.tuning import Lora
from tuning.flow.batch import Batch
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.lora import adapter_parameters
from tuning.merging import merged_tensors
from tuning.policy.sequences import PolicyDraw, PolicySequences
from tuning.policy.task import ACTION, let_learn
from tuning.policy.windows import PolicyWindow
from tuning.weights import read_model, released_tensors
from tuning_oracle import ATTENTION, peft_name, policy_loss_of, put_lora_on, read_transformer
from tuning_recordings import policy_recipe

JOINTS = "droid_joint_position"
SHIFT, WEIGHT = 5.0, 10.0
LEVELS = Levels(action_weight=WEIGHT)


@pytest.fixture
def model(speck: Path) -> OmniModel:
    return read_model(speck).requires_grad_(False).eval()


def batch_of(speck: Path) -> Batch:
    """Two windows of eight actions with prompts of two lengths, one of them without its text."""
    setting = read_setting(open_folder(speck))
    sequences = PolicySequences(setting, JOINTS, 8, ActionUnits.of(EMBODIMENTS[JOINTS], 8, None))
    dice = np.random.default_rng(2)
    state, actions = dice.normal(size=8), dice.normal(size=(8, 8))
    fitted = fit("256", 128, 96)
    window = PolicyWindow("a", "Lift it", JOINTS, (), None, fitted, 15.0, state, actions)
    columns, rows = fitted.cells(setting.pixels_per_cell)
    generator = torch.Generator().manual_seed(3)
    latents = [torch.randn(setting.config.latent_channel, 3, rows, columns, generator=generator) for _ in range(2)]
    ((places, batch),) = sequences.batches([PolicyDraw(window, dropped) for dropped in (False, True)], latents)
    assert places == [0, 1]
    assert len({len(prompt) for prompt in batch.prompts}) == 2
    return batch


def test_an_adapters_loss_and_gradients_are_those_of_diffusers_and_peft(speck, model):
    batch = batch_of(speck)
    own = let_learn(model, policy_recipe(lora=Lora(rank=4)))
    for layer in own:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    transformer = read_transformer(speck)
    put_lora_on(transformer, own, 4, ATTENTION)
    for name, value in transformer.named_parameters():
        value.requires_grad_(value.requires_grad or name.startswith("action_"))

    torch.manual_seed(7)
    theirs = policy_loss_of(transformer, batch, model.config, SHIFT, WEIGHT)
    theirs.backward()
    torch.manual_seed(7)
    ours, *_ = FlowError(model, batch, LEVELS)(*pose(batch, model))
    ours.backward()

    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    wanted = {name: value.grad for name, value in transformer.named_parameters() if value.requires_grad}
    found = {peft_name(name): value.grad for name, value in adapter_parameters(own)}
    of_actions = {name: value.grad for name, value in model.named_parameters() if name.startswith(ACTION)}
    found |= released_tensors(model, of_actions)
    assert found.keys() == wanted.keys()
    for name, gradient in found.items():
        scale = wanted[name].abs().max().clamp(min=1)
        torch.testing.assert_close(gradient / scale, wanted[name] / scale, rtol=1e-5, atol=1e-5)


def test_a_full_trainings_loss_and_gradients_are_those_of_diffusers(speck, model):
    batch = batch_of(speck)
    let_learn(model, policy_recipe(lora=None))
    transformer = read_transformer(speck)

    torch.manual_seed(7)
    theirs = policy_loss_of(transformer, batch, model.config, SHIFT, WEIGHT)
    theirs.backward()
    torch.manual_seed(7)
    ours, *_ = FlowError(model, batch, LEVELS)(*pose(batch, model))
    ours.backward()

    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    gradients = {name: value.grad for name, value in model.named_parameters() if value.grad is not None}
    wanted = {name: value.grad for name, value in transformer.named_parameters()}
    heads = {"norm_added_q": model.config.num_attention_heads, "norm_added_k": model.config.num_key_value_heads}
    for name, gradient in released_tensors(model, gradients).items():
        # The rows of all heads have the mean of their gradients; the one row of a checkpoint has the sum.
        times = next((count for norm, count in heads.items() if norm in name), 1)
        scale = wanted[name].abs().max().clamp(min=1)
        torch.testing.assert_close(times * gradient / scale, wanted[name] / scale, rtol=1e-4, atol=1e-5)


def test_a_save_of_an_adapter_computes_what_the_adapter_did(speck, model):
    batch = batch_of(speck)
    own = let_learn(model, policy_recipe(lora=Lora(rank=4, layers="all")))
    for layer in own:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    torch.manual_seed(7)
    dressed, *_ = FlowError(model, batch, LEVELS)(*pose(batch, model))
    learnt = {name: value for name, value in model.state_dict().items() if value.is_floating_point()}
    trained = {name for name, value in model.named_parameters() if value.requires_grad}
    saved = merged_tensors(model, own, {name: learnt[name] for name in trained})
    transformer = read_transformer(speck)
    transformer.load_state_dict(saved, strict=False)
    torch.manual_seed(7)
    with torch.no_grad():
        served = policy_loss_of(transformer, batch, model.config, SHIFT, WEIGHT)
    torch.testing.assert_close(served, dressed.detach(), rtol=1e-5, atol=1e-5)


def test_fresh_heads_foresee_no_velocity_and_other_weights_stay(speck, model):
    before = {name: value.clone() for name, value in model.named_parameters()}
    let_learn(model, policy_recipe(fresh_heads=True))
    action = model.generator.action
    assert action is not None
    assert not action.reading.any()
    assert not torch.equal(action.embedding, before[f"{ACTION}embedding"])
    kept = [name for name, _ in model.named_parameters() if name in before and not name.startswith(ACTION)]
    assert kept
    assert all(torch.equal(model.get_parameter(name), before[name]) for name in kept)
