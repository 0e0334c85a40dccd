"""What stands below a field that is wrong."""

from typing import Any

import pytest

from frontend.fields import flatten
from frontend.validation import mistakes
from studio.requests import GenerateImage


def form(**changes: Any) -> dict[str, Any]:
    return {**flatten(GenerateImage(prompt="a cube").model_dump(mode="json")), **changes}


def test_a_form_that_is_a_request_has_no_mistakes():
    assert mistakes(GenerateImage, form()) == {}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("prompt", " ", "The prompt is empty; write at least one word"),
        ("sampling.seed", -1, "At least 0"),
        ("sampling.seed", None, "A whole number is needed"),
        ("sampling.num_inference_steps", 201, "At most 200"),
        ("sampling.guidance_scale", float("nan"), "A finite number is needed"),
        ("count", 1.5, "A whole number is needed"),
        ("resolution", "1080", "One of '256', '480', '720' or '768'"),
    ],
)
def test_each_mistake_is_said_in_plain_words_at_its_field(path: str, value: object, words: str):
    assert mistakes(GenerateImage, form(**{path: value})) == {path: words}


def test_every_wrong_field_is_named_at_once():
    assert set(mistakes(GenerateImage, form(prompt="", count=0))) == {"prompt", "count"}
