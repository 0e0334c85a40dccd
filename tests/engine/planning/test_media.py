from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch

from engine.planning import Media, plan
from engine.planning.setting import HeldFrames, padded
from studio.requests.actions import PredictActions


@pytest.mark.parametrize("wanted", [slice(0, 1), slice(1, 5), slice(4, 8), slice(9, 13), slice(None, 1)])
def test_a_short_clip_stands_still_at_its_end(frames, wanted):
    clip = frames(6)
    copied = np.concatenate([clip, np.repeat(clip[-1:], 7, axis=0)])
    held = padded(clip, 13)
    assert held.shape == copied.shape
    assert len(held) == 13
    assert np.array_equal(held[wanted], copied[wanted])


def test_of_a_clip_that_is_long_enough_the_first_frames_are_taken_as_they_are(frames):
    clip = frames(6)
    taken = padded(clip, 5)
    assert isinstance(taken, np.ndarray)
    assert np.shares_memory(taken, clip)
    assert len(padded(clip, 6)) == 6


def test_a_clip_that_stands_still_has_the_latents_of_one_that_was_repeated(engine, frames):
    clip = frames(3)
    with torch.inference_mode():
        held = engine.coder.encode(HeldFrames(clip, 9))
        copied = engine.coder.encode(np.concatenate([clip, np.repeat(clip[-1:], 6, axis=0)]))
    assert torch.equal(held, copied)


def test_actions_of_a_short_large_clip_are_planned_without_its_frames_repeated(engine):
    request = PredictActions.model_validate(
        {"prompt": "drive", "embodiment": "av", "num_actions": 396, "source_video": "u0123456789abcdef"}
    )
    clip = np.zeros((2, 2160, 3840, 3), np.uint8)
    shown: list[int] = []

    def encode(frames, fit=None):
        shown.extend(len(frames[start : start + 4]) for start in range(0, len(frames), 4))
        return torch.zeros(48, (len(frames) - 1) // 4 + 1, 60, 60)

    tracemalloc.start()
    plan(request, engine.setting, Media({"source_video": clip}, encode))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(shown) == 397
    # Four frames of 25 MB at a time, and the four before; all of them are 9.9 GB.
    assert peak_bytes < 300e6
