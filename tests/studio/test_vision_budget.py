"""What a clip takes of a conversation, in figures that can be checked by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.sight import context_of, read_sight
from studio.vision_budget import ClipLook, VisionBudget, vision_budget

PIXELS = {"shortest_edge": 4096, "longest_edge": 25_165_824}


def budget(tmp_path: Path, *, is_edge: bool = False, context: int = 32_768, **look: Any) -> VisionBudget:
    (tmp_path / "video_preprocessor_config.json").write_text(json.dumps({"size": PIXELS}))
    return vision_budget(read_sight(tmp_path, is_edge), context, ClipLook(**look))


def test_frames_tokens_and_what_is_left_follow_from_rate_and_size(tmp_path: Path):
    # 7 s at 2 fps: 14 frames in 7 layers of 10 x 10 tokens.
    found = budget(tmp_path, width=320, height=320, duration_s=7, fps=2, max_tokens=4096)

    assert (found.num_frames, found.width, found.height) == (14, 320, 320)
    assert (found.num_tokens, found.num_left, found.max_tokens) == (700, 3396, 4096)
    # (4096 - 1024) / 7 = 438 tokens a layer, a square of 20.
    assert found.largest_side == 20 * 32


def test_an_odd_number_of_frames_fills_its_last_layer(tmp_path: Path):
    assert budget(tmp_path, width=64, height=64, num_frames=5).num_tokens == 3 * 2 * 2


def test_edge_has_a_token_for_every_frame(tmp_path: Path):
    found = budget(tmp_path, is_edge=True, width=64, height=64, num_frames=5)

    assert (found.frames_per_token, found.num_tokens) == (1, 5 * 2 * 2)


def test_pixels_of_a_frame_make_it_smaller(tmp_path: Path):
    large = budget(tmp_path, width=640, height=320, num_frames=4)
    small = budget(tmp_path, width=640, height=320, num_frames=4, max_pixels=50_000)

    assert (small.width, small.height) == (288, 128)
    assert small.num_tokens == 2 * 9 * 4 < large.num_tokens


def test_a_clip_that_does_not_fit_leaves_less_than_nothing(tmp_path: Path):
    found = budget(tmp_path, width=512, height=512, num_frames=2, max_tokens=100, answer_tokens=100)

    assert (found.num_left, found.largest_side) == (100 - 256, 0)


def test_no_frame_is_larger_than_the_checkpoint_takes(tmp_path: Path):
    assert budget(tmp_path, num_frames=2, context=262_144).largest_side == 3520


def test_no_conversation_is_longer_than_the_context(tmp_path: Path):
    assert budget(tmp_path, context=2048, max_tokens=4096).max_tokens == 2048
    assert context_of({"text_config": {"max_position_embeddings": 262_144}}) == 262_144
    assert context_of({}) == 32_768


@pytest.mark.parametrize(
    ("look", "param"),
    [({"num_frames": 4, "fps": 2}, "fps"), ({"num_frames": 16, "max_pixels": 2_000_000}, "max_pixels")],
)
def test_what_the_checkpoint_does_not_take_is_refused(tmp_path: Path, look: dict[str, Any], param: str):
    with pytest.raises(BadInput) as refused:
        budget(tmp_path, **look)

    assert refused.value.param == param
