"""What a form starts with."""

import pytest

from frontend.draft import defaults_of, is_locked, usable
from studio.catalogue import CheckpointInfo
from studio.requests import GenerateImage
from studio.rules import Capabilities

KIND = "generate_image"


def checkpoint() -> CheckpointInfo:
    return CheckpointInfo(
        id="speck",
        title="speck",
        summary="",
        installed=True,
        state="loading",
        capabilities=Capabilities(checkpoint="speck"),
        defaults={KIND: {"resolution": "480", "sampling": {"num_inference_steps": 20}}},
    )


def test_the_checkpoints_defaults_lie_over_the_requests_own():
    start = defaults_of(GenerateImage, KIND, checkpoint())
    assert (start["resolution"], start["sampling.num_inference_steps"], start["sampling.flow_shift"]) == (
        "480",
        20,
        3.0,
    )
    assert "prompt" not in start


def test_without_a_checkpoint_the_requests_own_defaults_stand():
    assert defaults_of(GenerateImage, KIND, None)["sampling.num_inference_steps"] == 50


def test_a_draft_of_the_same_checkpoint_comes_back_whole():
    draft = {"checkpoint": "speck", "values": {"prompt": "half a", "sampling.num_inference_steps": 7}, "lock": True}
    assert usable(draft, GenerateImage, "speck") == draft["values"]
    assert is_locked(draft)


def test_of_another_checkpoints_draft_only_the_words_come_back():
    draft = {"checkpoint": "other", "values": {"prompt": "half a", "sampling.num_inference_steps": 7}}
    assert usable(draft, GenerateImage, "speck") == {"prompt": "half a"}


def test_values_that_the_request_no_longer_takes_are_dropped():
    draft = {"checkpoint": "speck", "values": {"prompt": "", "count": 99, "gone": 1, "resolution": "256"}}
    assert usable(draft, GenerateImage, "speck") == {"resolution": "256"}


@pytest.mark.parametrize("draft", [None, "nonsense", [], {}, {"values": 3}, {"values": {"sampling.seed": {"a": 1}}}])
def test_a_draft_that_is_none_leaves_the_defaults(draft: object):
    assert usable(draft, GenerateImage, "speck") == {}
    assert not is_locked(draft)
