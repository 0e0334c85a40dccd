from __future__ import annotations

import json
from typing import Any

import pytest

from studio.errors import BadInput
from studio.prompting import ImagePart, VideoPart, is_upsampled, wish_of
from studio.requests import GenerateImage, GenerateVideo

PICTURE, CLIP = ImagePart(url="i"), VideoPart(url="v")
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


def test_media_that_are_not_the_requests_are_refused():
    with pytest.raises(BadInput, match="text_to_video takes no media"):
        wish_of(GenerateVideo(prompt="a robot"), (PICTURE,))


def test_a_structured_caption_is_upsampled_already(answer: dict[str, Any]):
    assert is_upsampled(json.dumps(answer))
    for prompt in ("a robot", '{"prompt": "a robot"}', "{broken", "[1]", "{" * 100_000, '{"a":' * 100_000):
        assert not is_upsampled(prompt)
