from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.captions import (
    CheckedCaption,
    Controls,
    ImageCaption,
    UnusableAnswer,
    VideoCaption,
    answer_schema,
    check_answer,
    check_object,
    serialise,
)
from studio.captions.checking import check_analysis
from studio.requests import MAX_TEXT_BYTES


def kinds(checked: CheckedCaption) -> list[str]:
    return [repair.kind for repair in checked.repairs]


def test_a_fenced_answer_is_read_without_repairs(video_answer: dict[str, Any], clip: Controls):
    checked = check_answer(f"```json\n{json.dumps(video_answer)}\n```", "video", clip)

    assert isinstance(checked.caption, VideoCaption)
    assert checked.repairs == ()
    assert checked.scene_imagination.startswith("A bench")
    assert checked.caption.actions[0].description == "the arm reaches"


def test_an_unfenced_answer_behind_thinking_is_read(image_answer: dict[str, Any], picture: Controls):
    checked = check_answer(f"<think>Cube {{or}} ball?</think>\n{json.dumps(image_answer)}", "image", picture)

    assert isinstance(checked.caption, ImageCaption)
    assert checked.thought == "Cube {or} ball?"
    assert checked.repairs == ()


def test_the_generator_reads_the_caption_without_the_imagination(image_answer: dict[str, Any], picture: Controls):
    image_answer["background_setting"] = "ein Café, 中"
    prompt = serialise(check_answer(json.dumps(image_answer), "image", picture).caption)

    assert prompt.isascii()
    assert "\\u4e2d" in prompt
    read = json.loads(prompt)
    assert "scene_imagination" not in read
    assert read["subjects"] == [{"description": "a red cube", "location": "centre"}]
    assert read["resolution"] == {"H": 960, "W": 960}
    assert next(iter(read)) == "subjects"
    assert list(read)[-2:] == ["resolution", "aspect_ratio"]


@pytest.mark.parametrize(
    ("name", "value"), [("duration", "0:10"), ("fps", 30), ("aspect_ratio", "1,1"), ("resolution", {"W": 1, "H": 1})]
)
def test_an_altered_control_is_restored_and_reported(
    video_answer: dict[str, Any], clip: Controls, name: str, value: object
):
    checked = check_answer(json.dumps(video_answer | {name: value}), "video", clip)

    assert [(repair.kind, repair.path) for repair in checked.repairs] == [("control_restored", name)]
    assert checked.caption.model_dump(mode="json")[name] == clip.media[name]


def test_a_missing_control_is_put_in_and_reported(video_answer: dict[str, Any], clip: Controls):
    del video_answer["fps"]
    checked = check_answer(json.dumps(video_answer), "video", clip)

    assert kinds(checked) == ["control_restored"]
    assert isinstance(checked.caption, VideoCaption)
    assert checked.caption.fps == 24


def test_a_missing_field_is_named(video_answer: dict[str, Any], clip: Controls):
    del video_answer["lighting"]
    with pytest.raises(UnusableAnswer, match="lighting is missing"):
        check_answer(json.dumps(video_answer), "video", clip)


def test_slips_of_type_and_length_are_put_right(video_answer: dict[str, Any], clip: Controls):
    video_answer["lighting"] = "soft window light"
    video_answer["subjects"] = {"description": "an arm", "number_of_arms": "2", "age": None, "colour": "red"}
    video_answer["context"] = "A sentence. " * 200
    video_answer["transitions"] = None
    video_answer["actions"][0]["time"] = "00:00 – 00:03.5"
    checked = check_answer(json.dumps(video_answer), "video", clip)

    caption = checked.caption
    assert isinstance(caption, VideoCaption)
    assert caption.lighting.conditions == "soft window light"
    assert caption.subjects[0].number_of_arms == 2
    assert caption.subjects[0].age == ""
    assert caption.context.endswith("A sentence.")
    assert caption.transitions == ()
    assert caption.actions[0].time == "0:00-0:03"
    assert set(kinds(checked)) == {"retyped", "key_dropped", "shortened", "timing_respelled"}


@pytest.mark.parametrize("time", ["0:05-0:09", "0:09", "0:06-0:02"])
def test_a_time_outside_the_clip_is_refused_and_named(video_answer: dict[str, Any], clip: Controls, time: str):
    video_answer["actions"][0]["time"] = time
    with pytest.raises(UnusableAnswer, match=rf"actions\.0\.time: {time}"):
        check_answer(json.dumps(video_answer), "video", clip)


@pytest.mark.parametrize("prose", ["0:05-0:12 the arm rests.", "It rests. [0:12] It moves.", "0:12: it moves"])
def test_prose_that_runs_past_the_end_is_refused(video_answer: dict[str, Any], clip: Controls, prose: str):
    video_answer["temporal_caption"] = prose
    with pytest.raises(UnusableAnswer, match="temporal_caption: "):
        check_answer(json.dumps(video_answer), "video", clip)


@pytest.mark.parametrize("prose", ["A clock reads 12:40 above the door.", "At the 10:30-11:00 slot a train leaves."])
def test_clock_times_of_the_scene_are_no_timings(video_answer: dict[str, Any], clip: Controls, prose: str):
    video_answer["temporal_caption"] = prose
    checked = check_answer(json.dumps(video_answer), "video", clip, words="the train of the 10:30-11:00 slot")

    assert isinstance(checked.caption, VideoCaption)
    assert checked.caption.temporal_caption == prose


def test_an_answer_cut_off_in_the_middle_names_what_is_missing(video_answer: dict[str, Any], clip: Controls):
    text = json.dumps(video_answer)
    with pytest.raises(UnusableAnswer, match="is missing"):
        check_answer(text[: text.index('"style_medium"') + 20], "video", clip)


def test_a_caption_that_no_prompt_can_hold_is_refused(video_answer: dict[str, Any], clip: Controls):
    subject = {"description": "中" * 600} | dict.fromkeys(["location", "pose", "age", "gender", "clothing"], "中" * 200)
    video_answer["subjects"] = [subject] * 6
    video_answer["actions"] = [{"time": "0:00-0:01", "description": "中" * 600}] * 12
    assert len(json.dumps(video_answer)) > MAX_TEXT_BYTES
    with pytest.raises(UnusableAnswer, match="Write less"):
        check_answer(json.dumps(video_answer), "video", clip)


def test_an_analysis_needs_neither_prose_nor_controls(video_answer: dict[str, Any], clip: Controls):
    for name in ("temporal_caption", "scene_imagination", *clip.media):
        del video_answer[name]
    caption, repairs = check_analysis(json.dumps(video_answer), clip)

    assert repairs == []
    assert caption.duration == "7s"


def of_schema(schema: dict[str, Any], definitions: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Every value that a bounded schema allows."""
    if "$ref" in schema:
        return of_schema(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema:
        return st.just(schema["const"])
    match schema["type"]:
        case "string" if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        case "string":
            letters = st.characters(codec="utf-8", exclude_characters=":")
            return st.text(letters, min_size=schema.get("minLength", 0), max_size=min(schema["maxLength"], 12))
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "array":
            return st.lists(of_schema(schema["items"], definitions), min_size=schema.get("minItems", 0), max_size=2)
        case "object" if "patternProperties" in schema:
            ((pattern, rule),) = schema["patternProperties"].items()
            keys = st.from_regex(pattern, fullmatch=True)
            return st.dictionaries(keys, of_schema(rule, definitions), max_size=schema["maxProperties"])
        case _:
            assert schema["required"] == list(schema["properties"])
            return st.fixed_dictionaries(
                {name: of_schema(child, definitions) for name, child in schema["properties"].items()}
            )


CLIP = Controls.of_video("256", "4:3", 65, 10)
PICTURE = Controls.of_image("768", "9:16")
VIDEO_SCHEMA = answer_schema("video", CLIP)
IMAGE_SCHEMA = answer_schema("image", PICTURE)


@given(of_schema(VIDEO_SCHEMA, VIDEO_SCHEMA["$defs"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_whatever_the_video_schema_allows_is_valid_as_it_is(answer: dict[str, Any]):
    checked = check_answer(json.dumps(answer), "video", CLIP)

    del answer["scene_imagination"]
    assert json.loads(serialise(checked.caption)) == answer
    assert checked.repairs == ()


@given(of_schema(IMAGE_SCHEMA, IMAGE_SCHEMA["$defs"]))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_whatever_the_image_schema_allows_is_valid_as_it_is(answer: dict[str, Any]):
    checked = check_answer(json.dumps(answer), "image", PICTURE)

    del answer["scene_imagination"]
    assert json.loads(serialise(checked.caption)) == answer
    assert checked.repairs == ()


@given(
    st.dictionaries(
        st.sampled_from([*VideoCaption.model_fields, "other"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
            max_leaves=12,
        ),
    )
)
def test_no_object_makes_the_check_raise_anything_else(value: dict[str, Any]):
    with contextlib.suppress(UnusableAnswer):
        caption, _ = check_object(value, "video", CLIP)
        assert VideoCaption.model_validate_json(serialise(caption)) == caption
