"""Trainings whose weights stay on the host: the same to the bit, whatever the number of blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.memory import StreamedBlocks, keep_on_host
from engine.planning import read_setting
from engine.towers import OmniModel, empty_model
from engine.weights import open_folder
from studio.errors import BadInput
from studio.tuning import GeneratorRecipe, Lora
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.generator.clips import Clip
from tuning.generator.records import Window
from tuning.generator.sequences import Draw, Sequences
from tuning.generator.task import let_learn
from tuning.state import read_state
from tuning_data import Train, recipe_of

CANVAS, NUM_FRAMES = (96, 96), 5


def gradients(folder: Path, num_blocks: int, *, offload: bool) -> dict[str, torch.Tensor]:
    """Of two steps of an adapter on random weights: what the second begins with is what the first one leaves."""
    opened = open_folder(folder)
    config = opened.config.model_copy(update={"num_hidden_layers": num_blocks})
    model: OmniModel = empty_model(config).to_empty(device="cpu").requires_grad_(False)
    dice = torch.Generator().manual_seed(0)
    for value in model.parameters():
        value.normal_(std=0.1, generator=dice)
    if offload:
        keep_on_host(model, torch.device("cpu"))
        assert isinstance(model.generator.blocks, StreamedBlocks)
    let_learn(model, GeneratorRecipe(name="a", checkpoint="speck", data="a", lora=Lora(rank=2, layers="all")))
    for name, value in model.named_parameters():
        if value.requires_grad and ".ups." in name:
            torch.nn.init.normal_(value, std=0.1, generator=dice)
    sequences = Sequences(read_setting(opened))
    window = Window("a", Path("a"), 0, None, 1, None, "A red square.", is_structured=False, is_image=False)
    clip = Clip(window, tuple(range(NUM_FRAMES)), 10.0, CANVAS)
    latents = [torch.randn(sequences.segment(clip).shape, generator=dice)]
    ((_, batch),) = sequences.batches([Draw(clip, "t2v", dropped=False)], latents)
    error = FlowError(model, batch, Levels(), checkpointed=offload)
    for step in range(2):
        torch.manual_seed(step)
        loss, *_ = error(*pose(batch, model))
        loss.backward()
    return {name: value.grad for name, value in model.named_parameters() if value.grad is not None}


@pytest.mark.parametrize("num_blocks", [1, 2, 3, 5])
def test_gradients_are_those_of_weights_on_the_device(speck: Path, num_blocks: int):
    whole, streamed = (gradients(speck, num_blocks, offload=offload) for offload in (False, True))
    assert whole.keys() == streamed.keys()
    assert len(whole) > 8 * num_blocks
    for name, value in whole.items():
        assert bool(value.any()), name
        assert torch.equal(value, streamed[name]), name


def test_a_training_is_the_same_and_may_go_on_without(train: Train, tmp_path: Path):
    train(recipe_of(), "whole")
    train(recipe_of(steps=2, offloads_weights=True), "host")
    train(recipe_of(), "host")
    whole, host = (read_state(tmp_path / out / "state" / "training.pt") for out in ("whole", "host"))
    assert whole is not None
    assert host is not None
    assert all(torch.equal(value, host.weights[name]) for name, value in whole.weights.items())


def test_what_is_saved_whole_cannot_stay_on_the_host(train: Train):
    with pytest.raises(BadInput, match="cannot stay on the host") as refused:
        train(recipe_of(lora=None, offloads_weights=True))
    assert refused.value.param == "optimisation.offloads_weights"
