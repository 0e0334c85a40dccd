"""A loss that is replayed from a graph is the loss, and has its gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from engine.planning import VisionSegment
from pocket.train.shape import TOY
from tuning.flow.batch import Batch, TokenRun
from tuning.flow.error import PROMPT_STEP, FlowError, FlowSteps, pose
from tuning.flow.levels import Levels
from tuning.recorded import Recorded
from tuning.weights import fresh_model

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]


def measure_of(layer: nn.Linear):
    def measure(batch: Tensor) -> tuple[Tensor, Tensor]:
        error = layer(batch).square().mean()
        return error, batch.mean()

    return measure


def test_a_replay_gives_the_loss_and_the_gradients_of_each_batch():
    layer = nn.Linear(4, 4, device="cuda")
    recorded, measure = Recorded(layer, torch.cuda.synchronize), measure_of(layer)
    for count in (2, 2, 2, 3, 2):
        batch = torch.randn(count, 4, device="cuda")
        layer.zero_grad()
        loss, mean = recorded(count, measure, batch)
        loss.backward()
        gradient = layer.weight.grad.clone()
        layer.zero_grad()
        wanted, _ = measure(batch)
        wanted.backward()
        torch.testing.assert_close(loss, wanted, rtol=2e-2, atol=1e-3)
        torch.testing.assert_close(gradient, layer.weight.grad, rtol=2e-2, atol=1e-3)
        torch.testing.assert_close(mean, batch.mean())
        # As `tuning.loop` does: what is left of a graph ends the next recording.
        del loss, wanted


def test_a_generator_s_step_that_is_replayed_is_as_wrong_as_one_that_is_not_and_leads_as_far():
    model = fresh_model(TOY.model(), 0).cuda()
    model.reasoner.requires_grad_(False)
    nn.init.normal_(model.generator.patch_out.weight, std=0.05)
    segment = VisionSegment(shape=(TOY.latent_channels, 2, 4, 4), patch=2, fps=10.0)
    given = torch.tensor([True, False])
    steps = FlowSteps(
        model,
        model.generator,
        Levels(),
        trains_reasoner=False,
        terms={},
        settle=torch.cuda.synchronize,
    )
    for count in (5, 9, 130, 131, 7, 140):
        prompts = (tuple(range(1, count + 1)), (1, 2, 3))
        batch = Batch(
            "i2v", prompts, (TokenRun(segment, torch.randn(2, TOY.latent_channels, 2, 4, 4, device="cuda"), given),)
        )
        found = []
        for recorded in (True, False):
            if recorded:
                # Seen, then recorded, whose warm-ups use up random numbers: the third is a replay from the seed.
                for _ in range(2):
                    with torch.autocast("cuda", torch.bfloat16):
                        steps.loss(batch)
            torch.manual_seed(count)
            with torch.autocast("cuda", torch.bfloat16):
                if recorded:
                    loss, _ = steps.loss(batch)
                else:
                    loss, _ = FlowError(model, batch, Levels())(*pose(batch, model, prompt_step=PROMPT_STEP))
            (gradient,) = torch.autograd.grad(loss, [model.generator.patch_in.weight])
            found.append((loss.detach(), gradient.clone()))
            del loss
        for replayed, wanted in zip(*found, strict=True):
            torch.testing.assert_close(replayed, wanted, rtol=3e-2, atol=3e-3)
