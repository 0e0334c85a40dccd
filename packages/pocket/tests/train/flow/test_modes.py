from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from engine.planning import Media, PromptEncoder, plan, read_setting, read_tokenizer
from engine.weights import open_folder
from pocket.train.flow import modes
from pocket.train.flow.modes import BatchMaker
from pocket.train.shape import TOY
from pocket_samples import CLIP, MOMENT, STILL
from studio.requests import GenerateImage
from studio.requests.actions import RunPolicy
from studio.requests.generate_video import GenerateVideo
from tuning.flow.batch import Batch


@pytest.fixture(scope="module")
def prompts(untrained: Path) -> PromptEncoder:
    return read_tokenizer(untrained / "text_tokenizer")


@pytest.fixture(scope="module")
def maker(prompts: PromptEncoder) -> BatchMaker:
    return BatchMaker(prompts, patch=2, sound_width=64, action_width=16)


def told(batch: Batch) -> set[tuple[int, ...]]:
    """Its prompts' tokens."""
    return {tuple(tokens.tolist()) for tokens in batch.prompts}


def planned(untrained: Path, request, frames=None):
    setting = read_setting(open_folder(untrained))
    encode = lambda given, fit=None: torch.zeros(TOY.latent_channels, 1, 16, 20)  # noqa: E731
    return plan(request, setting, Media(frames or {}, encode))


def test_prompts_of_pictures_are_those_that_the_planner_writes_for_either_branch(untrained, maker, monkeypatch):
    monkeypatch.setattr(modes, "SYSTEM_SHARE", 0.0)
    request = {"prompt": "a red cube", "resolution": "256", "aspect_ratio": "1:1", "sampling": {"guidance_scale": 4}}
    asked = {branch.tokens for branch in planned(untrained, GenerateImage.model_validate(request)).branches}
    plain = GenerateImage.model_validate({**request, "use_resolution_template": False})
    asked |= {branch.tokens for branch in planned(untrained, plain).branches}
    torch.manual_seed(0)
    batches = [maker.make("t2i", [STILL] * 8) for _ in range(12)]
    learnt = {prompt for batch in batches for prompt in told(batch)}
    assert asked <= learnt


def test_a_clip_with_sound_has_the_planners_segments(untrained, maker, monkeypatch):
    request = {"prompt": "a red cube", "resolution": "256", "aspect_ratio": "1:1", "num_frames": 17, "fps": 10}
    expected = planned(untrained, GenerateVideo.model_validate({**request, "sound": True}))
    monkeypatch.setattr(modes, "SYSTEM_SHARE", 0.0)
    torch.manual_seed(0)
    batches = [maker.make("t2v", [CLIP] * 8, with_sound=True) for _ in range(12)]
    assert [run.segment for run in batches[0].runs] == list(expected.segments)
    assert {branch.tokens for branch in expected.branches} <= {prompt for batch in batches for prompt in told(batch)}


def test_a_policy_has_the_planners_segments_its_state_given_and_its_words(untrained, maker):

    request = {
        "prompt": "Pick up the red cube.",
        "embodiment": "droid_joint_position",
        "start_image": "u" + "0" * 16,
        "state": (0.0,) * 8,
        "num_actions": 32,
        "fps": 15,
        "resolution": "256",
    }
    frames = {"start_image": np.zeros((1, 216, 256, 3), np.uint8)}
    expected = planned(untrained, RunPolicy.model_validate(request), frames)
    torch.manual_seed(0)
    batch = maker.make("policy", [MOMENT] * 8)
    vision, actions = (run.segment for run in batch.runs)
    theirs = expected.segments
    assert (vision.shape, vision.fps) == (theirs[0].shape, theirs[0].fps)
    for name in ("shape", "width", "domain", "per_second", "first"):
        assert getattr(actions, name) == getattr(theirs[1], name)
    assert [run.given.nonzero()[:, 0].tolist() for run in batch.runs] == [[0], [0]]
    assert expected.branches[0].tokens in told(batch)


@pytest.mark.parametrize(
    ("mode", "given"), [("fd", [1, 32]), ("id", [9, 0]), ("hand_fd", [1, 16]), ("hand_id", [5, 0]), ("i2v", [1])]
)
def test_what_is_given_is_what_the_mode_says(maker, mode, given):
    sample = MOMENT if mode in ("fd", "id") else CLIP
    batch = maker.make(mode, [sample] * 2)
    assert [int(run.given.sum()) for run in batch.runs] == given


def test_a_transfer_has_its_control_before_its_target_and_now_and_then_none(maker):
    torch.manual_seed(0)
    batches = [maker.make("transfer", [CLIP] * 2) for _ in range(40)]
    assert {len(batch.runs) for batch in batches} == {1, 2}
    control, target = next(batch.runs for batch in batches if len(batch.runs) == 2)
    assert control.segment.is_control
    assert not control.is_denoised
    assert target.is_denoised
