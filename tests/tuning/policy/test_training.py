"""A policy's training from recordings to a save that the ordinary engine serves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from engine import Engine
from studio.requests import RunPolicy
from studio.tuning import Checked, Ended, Saved, Stepped, TuningEvent
from tuning.state import read_state
from tuning_data import Train
from tuning_recordings import TASK, policy_recipe


def of(told: list[TuningEvent], kind: type) -> list:
    return [event for event in told if isinstance(event, kind)]


def stop_at(step: int) -> Callable[[TuningEvent], None]:
    def on(event: TuningEvent) -> None:
        if isinstance(event, Saved) and event.step == step:
            raise KeyboardInterrupt

    return on


def asked(**changes: object) -> RunPolicy:
    """What an arm asks."""
    fields = {
        "prompt": TASK,
        "embodiment": "droid_joint_position",
        "start_image": "u0000000000000000",
        "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 0.0],
        "num_actions": 8,
        "decode_video": False,
        "sampling": {"num_inference_steps": 2, "seed": 0},
    }
    return RunPolicy.model_validate(fields | changes)


def answer(folder: Path) -> np.ndarray:
    engine = Engine.load(folder, device="cpu")
    trajectory = engine.begin(asked(), {"start_image": np.zeros((1, 540, 640, 3), np.uint8)})
    while not trajectory.done:
        engine.step([trajectory])
    actions = engine.finish(trajectory).actions
    assert actions is not None
    return actions


@pytest.mark.parametrize("full", [False, True], ids=["lora", "all_weights"])
def test_a_policy_is_trained_from_recordings_and_its_save_is_served(train_policy: Train, tmp_path, speck, full):
    told = train_policy(policy_recipe(fresh_heads=True, **({"lora": None} if full else {})))
    (checked,) = of(told, Checked)
    assert {left.reason: left.count for left in checked.report.dropped} == {"failed": 1, "too_short": 1}
    assert checked.report.num_kept == 3 + 4
    last = of(told, Stepped)[-1]
    assert set(last.losses) == {"policy_vision", "policy_action"}
    assert set(last.by_noise) == {"vision", "action"}
    assert told[-1] == Ended(step=2, is_whole=True)
    (save,) = of(told, Saved)
    assert save.makes == "checkpoint"
    folder = tmp_path / "out" / save.folder
    assert json.loads((folder / "request_defaults.json").read_text())["run_policy"] == {
        "embodiment": "droid_joint_position",
        "num_actions": 8,
        "resolution": "256",
        "fps": 15.0,
    }
    units = json.loads((folder / "embodiments.json").read_text())["droid_joint_position"]["units"]
    assert units["middle"][7] == pytest.approx(0.75)  # the model knows openness; the gripper was closed by 0.25
    assert not (speck / "embodiments.json").exists()
    actions = answer(folder)
    assert actions.shape == (8, 8)
    assert not np.allclose(actions, answer(speck))


def test_a_training_that_broke_off_continues_as_if_it_had_not(train_policy: Train, tmp_path: Path):
    recipe = policy_recipe(steps=4, fresh_heads=True)
    train_policy(recipe, "whole")
    with pytest.raises(KeyboardInterrupt):
        train_policy(recipe, "cut", on=stop_at(2))
    train_policy(recipe, "cut")
    whole, cut = (read_state(tmp_path / out / "state" / "training.pt") for out in ("whole", "cut"))
    assert whole is not None
    assert cut is not None
    assert all(torch.equal(whole.weights[name], cut.weights[name]) for name in whole.weights)
