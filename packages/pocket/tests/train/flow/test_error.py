"""The loss of the generator's stages: how a batch is posed, and one measure for all batches of a form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.planning import read_tokenizer
from engine.towers import OmniModel
from pocket.train.flow.modes import DRAWS, BatchMaker, Mode
from pocket.train.flow.pointing import Pointer, Squares
from pocket.train.generator import LEVELS
from pocket_samples import CLIP, MOMENT, STILL
from tuning.flow.batch import Batch
from tuning.flow.error import FlowError, FlowSteps, Term, form_of, pose
from tuning.weights import read_model

SHORT = (("a cube", ""),)


@pytest.fixture
def model(untrained: Path) -> OmniModel:
    torch.manual_seed(0)
    model = read_model(untrained)
    for parameter in model.generator.parameters():
        # Of a fresh generator every velocity is 0, whatever it has read.
        if not parameter.detach().any():
            nn.init.normal_(parameter, std=0.05)
    return model


@pytest.fixture
def pointer(model: OmniModel) -> Pointer:
    return Pointer(model.config.hidden_size)


@pytest.fixture
def squares(model: OmniModel) -> Squares:
    return Squares(model.config.hidden_size)


def batch_of(untrained: Path, mode: Mode) -> Batch:
    prompts = read_tokenizer(untrained / "text_tokenizer")
    maker = BatchMaker(prompts, patch=2, sound_width=64, action_width=16)
    sample = {"t2v": CLIP, "t2i": STILL}.get(mode, MOMENT)
    return maker.make(mode, [sample, replace(sample, words=SHORT)], torch.Generator().manual_seed(1), with_sound=True)


@pytest.mark.parametrize("mode", ["t2i", "t2v", "policy", "act"])
def test_what_fills_prompts_up_changes_neither_loss_nor_gradients(
    model: OmniModel, pointer: Pointer, squares: Squares, untrained: Path, mode: Mode
):
    batch = batch_of(untrained, mode)
    assert len(set(map(len, batch.prompts))) == 2
    found: list[tuple[torch.Tensor, ...]] = []
    for step in (1, 64):
        torch.manual_seed(5)
        term: Term = squares if mode == "t2i" else pointer
        error = FlowError(model, batch, LEVELS, term=term)
        loss, *told = error(*pose(batch, model, prompt_step=step))
        loss.backward()
        gradients = [
            part.grad for part in (model.generator.patch_in.weight, pointer.state.weight) if part.grad is not None
        ]
        found.append((loss.detach(), *told, *gradients))
        model.zero_grad()
        pointer.zero_grad()
        assert len(told) == len(error.names)

    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_a_prompt_that_is_read_once_is_learnt_at_several_levels_as_if_it_stood_there_as_often(
    model: OmniModel, squares: Squares, untrained: Path
):
    batch = batch_of(untrained, "t2i")
    (run,) = batch.runs
    often = replace(
        batch,
        prompts=batch.prompts * DRAWS["t2i"],
        runs=(replace(run, values=run.values.repeat(DRAWS["t2i"], 1, 1, 1, 1)),),
        draws=1,
        asked=(batch.asked[0].repeat(DRAWS["t2i"], 1, 1, 1),),
    )
    torch.manual_seed(5)
    found = FlowError(model, batch, LEVELS, term=squares)(*pose(batch, model))
    torch.manual_seed(5)
    wanted = FlowError(model, often, LEVELS, term=squares)(*pose(often, model))
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)


def test_one_measure_serves_all_batches_of_a_form(model: OmniModel, pointer: Pointer, untrained: Path):
    batch = batch_of(untrained, "policy")
    other = replace(batch, runs=tuple(replace(run, values=torch.randn_like(run.values)) for run in batch.runs))
    kept = replace(batch, runs=(replace(batch.runs[0], given=torch.ones_like(batch.runs[0].given)), batch.runs[1]))
    forms = [form_of(one, pose(one, model)) for one in (batch, other, kept)]
    assert (forms[0] == forms[1], forms[0] == forms[2]) == (True, False)

    steps = FlowSteps(
        model,
        nn.ModuleList([model, pointer]),
        LEVELS,
        trains_reasoner=False,
        terms={"policy": pointer},
        settle=lambda: None,
    )
    for one in (batch, other):
        torch.manual_seed(6)
        loss, shown = steps.loss(one)
        torch.manual_seed(6)
        error = FlowError(model, one, LEVELS, term=pointer)
        wanted, *told = error(*pose(one, model))
        assert torch.equal(loss, wanted)
        assert shown == dict(zip(error.names, told, strict=True))
        assert set(shown) == {"policy_vision", "policy_action", *Pointer.names}
