"""A save that drives the simulated arm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import Engine
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, ArmState, Observation, Views
from robot.safety import HOME
from robot.simulation.library import GRAPHICS
from studio.evaluation.episodes import EpisodeResult
from studio.tuning import Ended, Trials, TrialsBegun, Tried, TuningEvent, TuningWork
from tuning.commands import Commands
from tuning.policy.trying import EnginePolicy
from tuning.training import run
from tuning_data import Silence
from tuning_recordings import policy_recipe

DEFAULTS = {"resolution": "256", "sampling": {"num_inference_steps": 1, "guidance_scale": 1.0}}


def seen() -> Observation:
    wrist, side = (np.zeros((height, width, 3), np.uint8) for width, height in (WRIST_SIZE, EXTERIOR_SIZE))
    state = ArmState(0.0, np.array(HOME), np.zeros(7), gripper_position=0.0)
    return Observation(0, 0, state, Views(0.0, wrist, side, side), "lift it")


def test_an_engine_answers_with_rows_and_an_episode_repeats_its_seeds(speck: Path):
    policy = EnginePolicy(Engine.load(speck, device="cpu"), DEFAULTS)
    policy.begin()
    first, second = policy.decide(seen()), policy.decide(seen())
    policy.begin()
    assert first.shape == (32, 8)
    assert not np.array_equal(first, second)
    assert np.array_equal(policy.decide(seen()), first)


@pytest.mark.slow
@pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")
def test_a_save_is_driven_through_its_tables(speck: Path, tmp_path: Path):
    told: list[TuningEvent] = []
    work = TuningWork(
        recipe=policy_recipe(scenes=1),
        trials=Trials(scenes=1, defaults=DEFAULTS),
        checkpoint=speck,
        data={},
        out=tmp_path / "out",
        cache=tmp_path / "cache",
    )
    run(work, told.append, Commands(Silence()))
    begun, tried, ended = told
    assert isinstance(begun, TrialsBegun)
    assert isinstance(tried, Tried)
    assert tried.answer["item"] == begun.benchmark["items"][0]["id"]
    assert EpisodeResult.model_validate_json(tried.answer["text"]).success is False  # its weights are random
    assert ended == Ended(step=1, is_whole=True)
