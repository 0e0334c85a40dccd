from __future__ import annotations

import json

import pytest
from diffusers import Cosmos3OmniPipeline
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import (
    _ACTION_RESOLUTION_BINS,
    _ACTION_VIEWPOINT_TEMPLATES,
    _EMBODIMENT_TO_DOMAIN_ID,
    _EMBODIMENT_TO_RAW_ACTION_DIM,
)
from diffusers.video_processor import VideoProcessor
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.planning.action import Fit, action_caption, fit
from engine.planning.trained_strings import FRAMING
from studio.errors import NotAllowed
from studio.requests.actions import PredictVideo, RunPolicy
from studio.requests.embodiments import EMBODIMENTS

quick = settings(max_examples=60, deadline=None, derandomize=True)
MEDIA = "u0123456789abcdef"


def test_embodiments_are_the_library_s():
    ours = {name: body for name, body in EMBODIMENTS.items() if not body.state_width}
    assert {name: body.domain for name, body in ours.items()} == {
        name: domain for name, domain in _EMBODIMENT_TO_DOMAIN_ID.items() if name != "no_action"
    }
    assert {name: body.width for name, body in ours.items() if body.width} == _EMBODIMENT_TO_RAW_ACTION_DIM


def test_framing_sentences_are_the_library_s():
    assert {view: text for view, text in FRAMING.items() if view != "droid_view"} == _ACTION_VIEWPOINT_TEMPLATES


@quick
@given(tier=st.sampled_from(["256", "480", "704", "720"]), width=st.integers(1, 4000), height=st.integers(1, 4000))
def test_the_canvas_is_the_library_s_bin(tier, width, height):
    theirs = VideoProcessor.classify_height_width_bin(height, width, ratios=_ACTION_RESOLUTION_BINS[tier])
    assert fit(tier, width, height).canvas == theirs[::-1]


def test_the_robot_s_canvas_is_padded_and_cut_to_33_by_40_cells():
    placed = fit("480", 640, 540)
    assert placed == Fit((736, 544), (640, 540))
    assert placed.cells(16) == (40, 33)


@quick
@given(
    task=st.text(max_size=40),
    view=st.sampled_from(sorted(_ACTION_VIEWPOINT_TEMPLATES)),
    num_frames=st.integers(2, 4000),
    fps=st.floats(1, 60),
    canvas=st.sampled_from([(736, 544), (320, 192), (256, 256), (192, 320)]),
)
def test_captions_are_the_library_s(task, view, num_frames, fps, canvas):
    theirs = Cosmos3OmniPipeline._build_action_json_prompt(
        task, view_point=view, num_frames=num_frames, fps=fps, height=canvas[1], width=canvas[0]
    )
    assert action_caption(task, view, num_frames, fps, canvas) == theirs


def a_video(embodiment: str, rows: list[list[float]], **fields: object) -> PredictVideo:
    return PredictVideo.model_validate(
        {"prompt": "go", "start_image": MEDIA, "embodiment": embodiment, "actions": rows, **fields}
    )


@pytest.mark.parametrize(
    ("embodiment", "rows", "fields", "reason"),
    [
        ("pusht", [[0.0] * 3] * 4, {}, "action 0 has 3 values; expected 2"),
        ("pusht", [[0.0] * 2] * 5, {}, "5 actions are not a multiple of four; use 4 or 8"),
        ("pusht", [[0.0, float("nan")]] * 4, {}, "finite number"),
        ("pusht", [[0.0] * 2] * 4, {"action_width": 3}, "an action of pusht has 2 values"),
        ("libero", [[0.0] * 7] * 4, {}, "depends on its data set"),
        ("cat", [[0.0] * 7] * 4, {}, "Input should be"),
    ],
)
def test_actions_that_do_not_fit_are_refused_in_words(embodiment, rows, fields, reason):
    with pytest.raises(ValidationError, match=reason):
        a_video(embodiment, rows, **fields)


def test_a_body_whose_width_depends_on_its_data_set_takes_the_one_that_is_sent(engine, frames):
    request = a_video("libero", [[0.5] * 7] * 4, action_width=7)
    plan = engine.begin(request, {"start_image": frames(1)}).plan
    assert plan.segments[1].width == 7
    assert plan.segments[1].domain == 5


@pytest.mark.parametrize(
    ("embodiment", "state"), [("droid_joint_position", None), ("droid_joint_position", [0.0] * 7), ("av", [0.0] * 9)]
)
def test_a_policy_takes_the_state_that_its_body_has(embodiment, state):
    with pytest.raises(ValidationError, match="state has"):
        RunPolicy.model_validate({"prompt": "go", "start_image": MEDIA, "embodiment": embodiment, "state": state})


def test_more_values_than_the_checkpoint_has_are_refused(engine, frames):
    request = a_video("libero", [[0.5] * 65] * 4, action_width=65)
    with pytest.raises(NotAllowed, match="65 of domain 5"):
        engine.begin(request, {"start_image": frames(1)})


def test_idle_frames_stand_behind_the_description():
    caption = json.loads(action_caption("Lift it.", "ego_view", 33, 15, (736, 544), idle_frames=3))

    assert list(caption["actions"][0]) == ["time", "description", "idle_frame"]
    assert caption["actions"][0]["idle_frame"] == "3 out of 32."


def test_no_more_frames_are_idle_than_there_are():
    with pytest.raises(ValidationError, match="idle_frames is 5; expected up to 4"):
        a_video("pusht", [[0.0] * 2] * 4, idle_frames=5)
