from __future__ import annotations

import json
from typing import Any

import pytest

from studio.errors import BadInput
from studio.prompting import ImageUrl, VideoUrl, is_upsampled, shown_media, uncaptioned, upsample_question, wish_of
from studio.requests import KINDS, GenerateImage, GenerateVideo, TransferVideo

PICTURE, CLIP = ImageUrl(url="i"), VideoUrl(url="v")
UPLOAD = "u0123456789abcdef"


@pytest.mark.parametrize(
    ("fields", "media", "mode"),
    [
        ({}, (), "text_to_video"),
        ({"start_image": UPLOAD}, (PICTURE,), "image_to_video"),
        ({"source_video": UPLOAD}, (CLIP,), "video_to_video"),
    ],
)
def test_a_video_request_wishes_by_what_it_starts_from(fields: dict[str, str], media: Any, mode: str):
    request = GenerateVideo.model_validate({"prompt": "a robot", "num_frames": 49, "fps": 24, **fields})
    wish = wish_of(request, media)

    assert wish.mode == mode
    assert wish.controls.media == {
        "resolution": {"H": 480, "W": 832},
        "aspect_ratio": "16,9",
        "duration": "2s",
        "fps": 24,
    }


def test_an_image_request_wishes_for_a_picture():
    wish = wish_of(GenerateImage(prompt="a cube", resolution="720", aspect_ratio="1:1"))

    assert (wish.mode, wish.prompt) == ("text_to_image", "a cube")
    assert "duration" not in wish.controls.media


def test_a_transfer_wishes_for_a_clip_that_follows_its_source_and_the_controls_that_are_given():
    request = TransferVideo.model_validate(
        {
            "prompt": "a robot of clay",
            "source_video": UPLOAD,
            "controls": [{"hint": "edge"}, {"hint": "depth", "video": "u1111111111111111"}],
            "num_frames": 189,
        }
    )
    shown = shown_media(request)
    wish = wish_of(request, [CLIP, CLIP])
    words = upsample_question(wish).messages[-1].parts[-1]

    assert [(found.param, found.id) for found in shown] == [
        ("source_video", UPLOAD),
        ("controls.1.video", "u1111111111111111"),
    ]
    assert (wish.mode, wish.followed, wish.controls.duration) == ("transfer", ("source", "depth"), "7s")
    assert words.type == "text"
    assert "clip 1, the source clip" in words.text
    assert "clip 2, how far away" in words.text
    assert "$" not in words.text
    with pytest.raises(BadInput, match="transfer needs 2 video"):
        wish_of(request, [CLIP])


def test_every_request_with_words_is_captioned_or_says_why_not():
    captioned = {"generate_image", "generate_video", "transfer_video"}

    assert {kind for kind in KINDS if not uncaptioned(kind)} == captioned


def test_media_that_are_not_the_requests_are_refused():
    with pytest.raises(BadInput, match="text_to_video needs no media"):
        wish_of(GenerateVideo(prompt="a robot"), (PICTURE,))


def test_a_structured_caption_is_upsampled_already(answer: dict[str, Any]):
    assert is_upsampled(json.dumps(answer))
    for prompt in ("a robot", '{"prompt": "a robot"}', "{broken", "[1]", "{" * 100_000, '{"a":' * 100_000):
        assert not is_upsampled(prompt)
