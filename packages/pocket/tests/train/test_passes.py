from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from engine import Engine
from engine.sampling.sampler import embed
from engine.towers import OmniModel, Pack
from studio.requests import GenerateImage
from studio.requests.actions import RunPolicy
from studio.requests.generate_video import GenerateVideo
from tuning.flow.batch import Batch, TokenRun
from tuning.flow.runs import batch_positions, embed_run, read_run
from tuning.passes import denoise, read_prompts
from tuning.weights import read_model

SEEN = "u" + "0" * 16


@pytest.fixture(scope="module")
def towers(untrained: Path) -> OmniModel:
    return read_model(untrained).eval()


@pytest.fixture(scope="module")
def loaded(untrained: Path) -> Engine:
    return Engine.load(untrained, device="cpu")


REQUESTS = {
    "a picture": GenerateImage.model_validate(
        {"prompt": "a red cube", "resolution": "256", "aspect_ratio": "16:9", "sampling": {"seed": 0}}
    ),
    "a clip with sound": GenerateVideo.model_validate(
        {
            "prompt": "a red cube",
            "num_frames": 5,
            "fps": 10,
            "sound": True,
            "resolution": "256",
            "aspect_ratio": "16:9",
            "sampling": {"seed": 0},
        }
    ),
    "a policy": RunPolicy.model_validate(
        {
            "prompt": "pick it up",
            "embodiment": "droid_joint_position",
            "start_image": SEEN,
            "state": (0.1,) * 8,
            "num_actions": 16,
            "fps": 15,
            "resolution": "256",
            "sampling": {"seed": 0},
        }
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_batch_has_the_velocities_that_the_engine_computes_one_by_one(name, loaded, towers):
    media = {"start_image": np.full((1, 64, 96, 3), 90, np.uint8)} if name == "a policy" else {}
    trajectory = loaded.begin(REQUESTS[name], media)
    plan = trajectory.plan
    lengths = [len(branch.tokens) for branch in plan.branches]
    expected = []
    with torch.inference_mode():
        for index, branch in enumerate(plan.branches):
            tokens = torch.cat(
                [
                    pin.timed(embed(loaded.model.generator, segment, latents), trajectory.times[0])
                    for segment, pin, latents in zip(plan.segments, trajectory.pins, trajectory.latents, strict=True)
                ]
            )
            pack = Pack((branch.num_tokens,), (trajectory.prefixes[index],), (trajectory.ropes[index],))
            expected.append(loaded.model.generator(tokens, pack))
    batch = Batch("t2i", tuple(branch.tokens for branch in plan.branches), tuple(runs_of(trajectory)))
    padded = torch.zeros(len(lengths), max(lengths), dtype=torch.long)
    for row, branch in enumerate(plan.branches):
        padded[row, : len(branch.tokens)] = torch.tensor(branch.tokens)
    with torch.no_grad():
        counts = torch.tensor(lengths)
        prompts = read_prompts(towers, padded, counts)
        time = towers.generator.timesteps(torch.tensor([float(plan.schedule.timesteps[0])] * len(lengths)))
        parts = [embed_run(towers.generator, run, run.values, time) for run in batch.runs]
        positions = batch_positions(batch, counts, towers.config)
        made, _ = denoise(towers, torch.cat(parts, 1), positions, prompts)
        velocities = [
            read_run(towers.generator, run, part)
            for run, part in zip(batch.runs, made.split([run.segment.num_tokens for run in batch.runs], 1), strict=True)
        ]
    for row, one in enumerate(expected):
        torch.testing.assert_close(made[row], one, atol=2e-5, rtol=1e-4)
    assert [tuple(velocity.shape[1:]) for velocity in velocities] == [segment.shape for segment in plan.segments]


def runs_of(trajectory):
    count = len(trajectory.plan.branches)
    for segment, latents in zip(trajectory.plan.segments, trajectory.latents, strict=True):
        given = torch.zeros(segment.shape[segment.time_axis], dtype=torch.bool)
        if segment.given is not None:
            given[list(segment.given.steps)] = True
        yield TokenRun(segment, torch.stack([latents.clone()] * count), given)
