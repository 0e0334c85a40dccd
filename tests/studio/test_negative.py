"""The structured negative prompt of videos, which is a caption of a bad one."""

import json

import pytest

from studio.captions.caption import VideoCaption
from studio.presets import complete, load_presets, structured_negative

WITH = ("cosmos3-nano", "cosmos3-nano-fp8", "cosmos3-super", "cosmos3-edge")


def test_it_is_a_whole_caption_and_physics_after_it():
    negative = json.loads(structured_negative())
    assert list(negative)[-1] == "physical_realism"
    del negative["physical_realism"]
    read = VideoCaption.model_validate(negative)
    unset = {"resolution", "aspect_ratio", "duration", "fps"}
    assert read.model_fields_set == VideoCaption.model_fields.keys() - unset


@pytest.mark.parametrize("kind", ["generate_image", "generate_video", "transfer_video", "predict_video", "run_policy"])
def test_videos_and_transfers_of_the_large_checkpoints_begin_with_it(kind: str):
    videos = kind in ("generate_video", "transfer_video")
    for name, preset in load_presets().items():
        has = videos and name in WITH and kind in preset.defaults
        said = complete(preset, {"kind": kind, "prompt": "x"}).get("negative_prompt", "")
        assert said == (structured_negative() if has else ""), name


def test_what_a_person_says_takes_its_place_and_nothing_is_said_with_an_empty_one():
    nano = load_presets()["cosmos3-nano"]
    for said in ("blur", ""):
        assert complete(nano, {"kind": "generate_video", "negative_prompt": said})["negative_prompt"] == said
