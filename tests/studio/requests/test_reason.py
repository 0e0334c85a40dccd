from __future__ import annotations

import pytest
from pydantic import ValidationError

from studio.requests.reason import Reason

PICTURE, CLIP = "u0000000000000001", "u0000000000000002"


def reason(**fields: object) -> Reason:
    turns = [{"role": "user", "content": "what is in the bowl?"}]
    return Reason.model_validate({"kind": "reason", "messages": turns} | fields)


def test_words_are_enough_and_the_rest_is_the_reasoner_s_own():
    sampling = reason().sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.presence_penalty) == (0.7, 0.8, 20, 1.5)
    assert reason().sampling.seed != reason().sampling.seed


def test_it_survives_a_pipe():
    asked = reason(response_schema={"type": "object"}, sampling={"stop": ["END"], "seed": 4} | {"stop": []})
    assert Reason.model_validate_json(asked.model_dump_json()) == asked


def test_what_is_shown_is_named_once_in_the_order_in_which_it_is_seen():
    parts = [
        {"type": "video", "video": CLIP},
        {"type": "text", "text": "and"},
        {"type": "image", "image": PICTURE},
        {"type": "video", "video": CLIP},
    ]
    assert reason(messages=[{"role": "user", "content": parts}]).media_ids == (CLIP, PICTURE)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"messages": []}, "at least 1"),
        ({"messages": [{"role": "user", "content": []}]}, "at least 1"),
        ({"messages": [{"role": "robot", "content": "hm"}]}, "system"),
        ({"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]}, "the assistant's"),
        ({"messages": [{"role": "user", "content": [{"type": "image", "image": "../secret"}]}]}, "pattern"),
        ({"messages": [{"role": "user", "content": [{"type": "audio", "audio": PICTURE}]}]}, "does not match any"),
        ({"sampling": {"temperature": -0.1}}, "greater than or equal to 0"),
        ({"sampling": {"top_p": 0}}, "greater than 0"),
        ({"sampling": {"max_tokens": 0}}, "greater than or equal to 1"),
        ({"sampling": {"stop": [""]}}, "at least 1"),
        ({"sampling": {"stop": ["x"]}, "response_schema": {}}, "stop strings would cut"),
        ({"video_fps": 2, "num_video_frames": 8}, "both given"),
        ({"min_pixels": 9, "max_pixels": 8}, "above max_pixels"),
        ({"response_schema": {"description": "x" * 300_000}}, "at most 262,144"),
        ({"response_schema": "{}"}, "dictionary"),
        ({"prompt": "hm"}, "not permitted"),
    ],
)
def test_what_means_nothing_is_refused(fields, why):
    with pytest.raises(ValidationError, match=why):
        reason(**fields)


def test_bounds_that_cross_are_an_error_of_a_field():
    with pytest.raises(ValidationError) as raised:
        reason(min_pixels=9, max_pixels=8)
    assert raised.value.errors()[0]["loc"] == ("max_pixels",)
