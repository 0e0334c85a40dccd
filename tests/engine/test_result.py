"""What is not a number is no result, of whatever kind."""

from __future__ import annotations

import pytest
import torch

from engine.codecs import check_finite
from studio.errors import EngineError
from studio.requests.actions import PredictActions


def spoil(trajectory, index: int, value: float = torch.nan) -> None:
    """Put a value at the end of a segment's estimate."""
    with torch.inference_mode():
        trajectory.estimates()[index].view(-1)[-1] = value


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_a_picture_that_is_not_finite_fails_and_says_what_to_try(engine, ask, run, value):
    trajectory = run(engine, ask(num_inference_steps=1))
    spoil(trajectory, 0, value)
    with pytest.raises(EngineError, match=r"not finite \(vision\)") as raised:
        engine.finish(trajectory)
    assert "adapter's scale" in raised.value.hint
    assert "sampling" in raised.value.hint


def test_so_does_a_picture_that_is_stopped_and_kept(engine, ask):
    trajectory = engine.begin(ask())
    engine.step([trajectory])
    spoil(trajectory, 0)
    with pytest.raises(EngineError, match="vision"):
        engine.finish(trajectory)


@pytest.mark.parametrize(("index", "what"), [(0, "vision"), (1, "sound")])
def test_a_clip_s_frames_and_its_sound_are_each_looked_at(engine, ask_video, run_video, index, what):
    trajectory = run_video(engine, ask_video(sound=True, num_inference_steps=1))
    spoil(trajectory, index)
    with pytest.raises(EngineError, match=rf"not finite \({what}\)"):
        engine.finish(trajectory)


def test_so_are_actions(engine, frames):
    request = PredictActions.model_validate(
        {"prompt": "go", "embodiment": "av", "num_actions": 4, "source_video": "u0123456789abcdef"}
        | {"sampling": {"num_inference_steps": 1}}
    )
    trajectory = engine.begin(request, {"source_video": frames(5)})
    engine.step([trajectory])
    spoil(trajectory, 1)
    with pytest.raises(EngineError, match=r"not finite \(action\)"):
        engine.finish(trajectory)


def test_so_are_the_chunks_before_the_last(engine, ask, run):
    trajectory = run(engine, ask(num_inference_steps=1))
    broken = torch.full((1, 2), torch.inf)
    check_finite(trajectory.plan.segments, trajectory.estimates(), [torch.zeros(1, 2)])
    with pytest.raises(EngineError, match=r"\(vision\)"):
        check_finite(trajectory.plan.segments, trajectory.estimates(), [torch.zeros(1, 2), broken])
