"""The reasoner's loss and gradients against transformers' class and peft, float32 on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from peft import LoraConfig, inject_adapter_in_model
from torch import nn
from transformers import Cosmos3OmniForConditionalGeneration

from engine.reasoner.vision_encoder import read_vision_encoder
from engine.towers import OmniModel
from reasoner_data import WITH_VIDEO, conversations_of, reader_of, recipe_of
from studio.tuning import Lora
from tuning.lora import adapter_parameters
from tuning.reasoner.conversations import ConversationReader, Reading
from tuning.reasoner.task import ReasonerTask, let_learn
from tuning.tally import Tally
from tuning.weights import read_model

NAMES = {"to_q": "q_proj", "to_k": "k_proj", "to_v": "v_proj", "to_out": "o_proj"}


@pytest.fixture
def model(speck: Path) -> OmniModel:
    return read_model(speck).requires_grad_(False).eval()


def task_of(speck: Path, clips: Path, model: OmniModel, **changes) -> tuple[ReasonerTask, ConversationReader]:
    recipe = recipe_of(**changes)
    vision = read_vision_encoder(speck, model.device, model.dtype)
    reader = reader_of(speck, recipe)
    return ReasonerTask(model, recipe, [conversations_of(clips)], reader, vision, Tally()), reader


def their_errors(theirs: Cosmos3OmniForConditionalGeneration, reading: Reading) -> torch.Tensor:
    tokens = torch.from_numpy(reading.tokens)[None]
    kinds = torch.zeros_like(tokens)
    given: dict[str, torch.Tensor] = {}
    for shown in reading.shown:
        is_clip = shown.patches.is_clip
        kinds[0, shown.places] = 2 if is_clip else 1
        given["pixel_values_videos" if is_clip else "pixel_values"] = shown.patches.values
        given["video_grid_thw" if is_clip else "image_grid_thw"] = torch.tensor([shown.patches.grid])
    logits = theirs(input_ids=tokens, mm_token_type_ids=kinds, **given).logits[0]
    answer = slice(reading.answer_at - 1, len(reading.tokens) - 1)
    return nn.functional.cross_entropy(logits[answer], tokens[0, reading.answer_at :], reduction="none")


@pytest.mark.parametrize("normalises", [False, True])
def test_an_adapters_loss_and_gradients_are_those_of_transformers_and_peft(speck, clips, model, normalises):
    task, reader = task_of(speck, clips, model, normalises=normalises)
    layers = let_learn(model, recipe_of())
    for layer in layers:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    theirs = Cosmos3OmniForConditionalGeneration.from_pretrained(speck, dtype=torch.float32).eval()
    theirs.requires_grad_(False)
    modules = rf"model\.language_model\.layers\.\d+\.self_attn\.({'|'.join(NAMES.values())})"
    inject_adapter_in_model(LoraConfig(r=4, lora_alpha=8, target_modules=modules), theirs)
    parameters = dict(theirs.named_parameters())
    names = {name: _their_name(name) for name, _ in adapter_parameters(layers)}
    with torch.no_grad():
        for name, own in adapter_parameters(layers):
            parameters[names[name]].copy_(own)

    readings = [reader.read(conversation) for conversation in conversations_of(clips)]
    errors = [their_errors(theirs, reading) for reading in readings]
    powers = 0.5 if normalises else 1.0
    wanted = sum(own.sum() / len(own) ** (1 - powers) for own in errors) / sum(len(own) ** powers for own in errors)
    wanted.backward()
    found = torch.zeros(())
    for part, _ in task.loss(0):
        part.backward()
        found = found + part.detach()

    torch.testing.assert_close(found, wanted.detach(), rtol=1e-5, atol=1e-5)
    for name, own in adapter_parameters(layers):
        torch.testing.assert_close(own.grad, parameters[names[name]].grad, rtol=1e-4, atol=1e-5)
        # The last layer's output is read here: all of its matrices learn.
        assert own.grad is not None
        assert own.grad.abs().max() > 0


def test_an_adapters_first_step_computes_what_the_checkpoint_does_to_the_bit(speck, clips, model):
    task, reader = task_of(speck, clips, model)
    reading = reader.read(conversations_of(clips)[WITH_VIDEO])
    with torch.no_grad():
        bare, _ = task.errors(reading)
        let_learn(model, recipe_of())
        dressed, _ = task.errors(reading)
    assert torch.equal(bare, dressed)


def test_checkpointed_blocks_have_the_same_gradients(speck, clips, model):
    layers = let_learn(model, recipe_of(lora=Lora(rank=4, layers="all")))
    for layer in layers:
        for up in layer.ups:
            nn.init.normal_(up, std=0.05)
    found: list[list[torch.Tensor]] = []
    for checkpointed in (False, True):
        model.zero_grad()
        task, _ = task_of(speck, clips, model, checkpoints_activations=checkpointed)
        for part, _ in task.loss(0):
            part.backward()
        found.append([value.grad for _, value in adapter_parameters(layers) if value.grad is not None])
    for plain, other in zip(*found, strict=True):
        assert torch.equal(plain, other)


def _their_name(name: str) -> str:
    _, _, _, layer, _, module, kind, _ = name.split(".")
    return f"model.language_model.layers.{layer}.self_attn.{NAMES[module]}.{kind}.default.weight"
