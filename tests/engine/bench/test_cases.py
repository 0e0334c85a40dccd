"""Cases that a GPU is timed with, small: the engine starts from what diffusers starts from, and goes where it goes."""

from __future__ import annotations

import pytest
import torch

from engine.bench.cases import Row, gpu_rows, guided_once, policy_row, transfer_row, world_row
from engine.bench.measuring import FirstStep, engine_first_velocity, library_first_step, relative, take_steps
from engine.bench.stage import Stage

WIDE = {"prompt": "a red cube", "negative_prompt": "blurred", "aspect_ratio": "16:9"}


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage.build(torch.device("cpu"))


def test_every_published_mode_has_a_case():
    rows = {row.name: row for row in gpu_rows("x", "y")}
    assert {"t2i-720-35", "policy", "t2v-480", "i2v-480", "transfer-480", "fd-480"} <= set(rows)
    assert [name for name, row in rows.items() if not row.is_in_library] == ["policy-once", "transfer-480"]


def test_a_policy_that_is_guided_once_is_guided_in_its_first_step_alone(stage: Stage):
    row = guided_once(policy_row("256", 4, chunks=0, canvas=(256, 256)))
    trajectory = stage.engine.begin(row.request, row.media)
    assert [len(trajectory.plan.active(index)) for index in range(4)] == [2, 1, 1, 1]


@pytest.mark.slow
def test_forward_dynamics_without_guidance_agree_with_diffusers(stage: Stage):
    row = world_row("256", num_actions=4)
    seen = library_first_step(stage, row)
    assert len(seen.velocities) == 1
    velocity, where = engine_first_velocity(stage.engine, row, seen)
    assert relative(velocity, seen.guided(1.0), where) < 1e-4


@pytest.mark.slow
def test_a_transfer_takes_its_steps(stage: Stage):
    row: Row = transfer_row("256", WIDE, num_frames=5)
    stepped = take_steps(stage.engine, row, max_steps=1)
    assert stepped.is_extrapolated
    assert stepped.trajectory.num_steps == row.num_steps


def test_the_guided_velocity_goes_on_from_the_negative_prompt_s_to_the_prompt_s_and_beyond():
    with_prompt, without = torch.tensor([3.0]), torch.tensor([1.0])
    assert FirstStep(velocities=[with_prompt, without]).guided(4.0) == 9
    assert FirstStep(velocities=[with_prompt]).guided(1.0) == 3
