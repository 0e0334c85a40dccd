from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

from engine.reasoner import Footage
from engine.reasoner.pixels import to_patches
from studio.errors import BadInput
from studio.sight import Bounds, fit

PICTURE, CLIP = "u0000000000000000", "u0000000000000002"

sides = st.integers(4, 3000)


@given(sides, sides, st.sampled_from([(4096, 65_536), (65_536, 16_777_216), (3136, 1_003_520)]))
@settings(max_examples=200, deadline=None)
def test_pictures_are_fitted_as_transformers_fits_them(engine, height, width, bounds):
    if max(height, width) > 200 * min(height, width):
        return
    expected = smart_resize(height, width, 32, *bounds)
    assert fit(height, width, engine.chat.writer.sight, Bounds(*bounds)) == expected


@pytest.mark.parametrize("which", ["theirs", "edge_theirs"])
@given(st.integers(2, 50), sides, sides, st.sampled_from([(4096, 25_165_824), (131_072, 786_432)]))
@settings(max_examples=200, deadline=None)
def test_clips_are_fitted_as_transformers_fits_them(request, which, num_frames, height, width, bounds):
    if max(height, width) > 100 * min(height, width):
        return
    engine = request.getfixturevalue({"theirs": "engine", "edge_theirs": "seeing_edge_engine"}[which])
    sight = engine.chat.writer.sight
    source = SOURCES.setdefault(which, request.getfixturevalue(which).source)
    expected = source.smart_resize(num_frames, height, width, sight.frames_per_patch, 32, *bounds)
    assert fit(height, width, sight, Bounds(*bounds), num_frames, is_clip=True) == expected


SOURCES: dict[str, object] = {}


@pytest.mark.parametrize(
    ("num_frames", "fps", "asked"),
    [(240, 24.0, {}), (10, 30.0, {}), (3, 30.0, {}), (100_000, 30.0, {}), (240, 24.0, {"video_fps": 4.0})],
)
def test_frames_are_chosen_as_transformers_chooses_them(engine, theirs, say, num_frames, fps, asked):
    from transformers.video_utils import VideoMetadata

    class Processor:
        fps, min_frames, max_frames = 2, 4, 768

    metadata = VideoMetadata(total_num_frames=num_frames, fps=fps)
    expected = theirs.source.sample_frames(Processor, metadata, fps=asked.get("video_fps"))
    chosen = engine.choose_frames(num_frames, fps, say(**asked))
    assert list(chosen) == expected.tolist()


def test_a_number_of_frames_is_taken_evenly_and_never_more_than_there_are(engine, say):
    assert engine.choose_frames(9, 30.0, say(num_video_frames=3)) == (0, 4, 8)
    assert engine.choose_frames(2, 30.0, say(num_video_frames=3)) == (0, 1)
    assert engine.choose_frames(9, 30.0, say(num_video_frames=1)) == (0,)


def test_a_request_may_bound_what_is_looked_at(engine, say, frames):
    name = "u0000000000000000"
    picture = {name: Footage(frames(1, 640, 480))}

    def grid(**asked: int) -> tuple[int, int, int]:
        return engine.converse(say("what?", (name,), **asked), picture).prompt.shown[0].patches.grid

    assert grid() == (1, 12, 18)
    assert grid(max_pixels=16 * 1024) == (1, 6, 8)
    assert grid(min_pixels=16 * 1024, max_pixels=16 * 1024) == (1, 6, 8)


@pytest.mark.parametrize("field", ["min_pixels", "max_pixels"])
@pytest.mark.parametrize("num_frames", [1, 2], ids=["picture", "clip"])
def test_no_more_is_looked_at_than_the_checkpoint_s_own_bound(engine, say, frames, field, num_frames):
    name = PICTURE if num_frames == 1 else CLIP
    shown = {name: Footage(frames(num_frames, 64, 64), () if num_frames == 1 else (0.0, 0.5))}
    sight = engine.chat.writer.sight
    most = (sight.image if num_frames == 1 else sight.video).max_pixels
    engine.converse(say("what?", (name,), max_pixels=most), shown)
    with pytest.raises(BadInput, match=f"{field} is {most + 1:,}.*{most:,} pixels") as raised:
        engine.converse(say("what?", (name,), **{field: most + 1}), shown)
    assert raised.value.param == field


def test_equal_pictures_are_told_from_different_ones(engine, frames):
    sight = engine.chat.writer.sight
    one, same, other = (to_patches(Footage(frames(1, seed=seed)), sight, None, "") for seed in (0, 0, 1))
    assert one.digest == same.digest
    assert one.digest != other.digest
    clip = to_patches(Footage(np.repeat(frames(1), 2, 0), (0.0, 0.1)), sight, None, "")
    assert torch.equal(clip.values[:1], clip.values[:1])
    assert clip.times_s == (0.05,)
    assert clip.digest != one.digest
