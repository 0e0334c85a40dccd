from __future__ import annotations

import json
import re
from typing import Any

import pytest

from studio.captions import Controls, analysis_schema, answer_schema, sparing
from studio.requests import MAX_TEXT_BYTES

CLIP = Controls.of_video("480", "16:9", 189, 24)
LONG = Controls.of_video("256", "1:1", 397, 10)
PICTURE = Controls.of_image("720", "1:1")
SCHEMAS = {
    "image": answer_schema("image", PICTURE),
    "video": answer_schema("video", CLIP),
    "long video": answer_schema("video", LONG),
    "analysis": analysis_schema(CLIP),
}


def longest(schema: dict[str, Any], definitions: dict[str, Any]) -> int:
    """Characters of the longest legal answer, escapes aside; a KeyError where something has no bound."""
    if "$ref" in schema:
        return longest(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema:
        return len(json.dumps(schema["const"]))
    match schema["type"]:
        case "string":
            return 2 + schema["maxLength"]
        case "integer":
            return len(str(schema["maximum"]))
        case "array":
            return 2 + schema["maxItems"] * (2 + longest(schema["items"], definitions))
        case "object" if "patternProperties" in schema:
            (rule,) = schema["patternProperties"].values()
            return 2 + schema["maxProperties"] * (46 + longest(rule, definitions))
        case _:
            assert schema["additionalProperties"] is False
            fields = schema["properties"].items()
            return 2 + sum(len(name) + 6 + longest(child, definitions) for name, child in fields)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_text_list_and_number_is_bounded(name: str):
    assert longest(SCHEMAS[name], SCHEMAS[name]["$defs"]) < MAX_TEXT_BYTES


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_grammar_compiler_takes_it(name: str):
    matcher = pytest.importorskip("llguidance").LLMatcher

    assert matcher.validate_grammar(matcher.grammar_from_json_schema(SCHEMAS[name])) == ""


def test_the_answer_begins_with_imagination_then_caption_then_sound():
    assert list(SCHEMAS["video"]["properties"])[:3] == ["scene_imagination", "temporal_caption", "audio_description"]
    assert list(SCHEMAS["image"]["properties"])[:2] == ["scene_imagination", "comprehensive_t2i_caption"]


def test_controls_are_constants():
    media = {name: SCHEMAS["video"]["properties"][name] for name in CLIP.media}

    assert media == {
        "resolution": {"const": {"H": 480, "W": 832}},
        "aspect_ratio": {"const": "16,9"},
        "duration": {"const": "7s"},
        "fps": {"const": 24},
    }


def test_times_are_limited_to_the_clip():
    pattern = SCHEMAS["video"]["$defs"]["Action"]["properties"]["time"]["pattern"]

    assert re.fullmatch(pattern, "0:00-0:07")
    assert not re.fullmatch(pattern, "0:00-0:08")
    assert not re.fullmatch(pattern, "0:05-0:04")


def test_a_time_pattern_stays_short_however_long_the_clip():
    hour = LONG.model_copy(update={"duration": "3600s"})

    assert len(analysis_schema(hour)["$defs"]["Action"]["properties"]["time"]["pattern"]) < 100


def test_only_definitions_that_are_used_are_sent():
    assert "QuadrantScan" not in SCHEMAS["video"]["$defs"]
    assert "PixelSize" not in SCHEMAS["video"]["$defs"]


def test_a_sparing_schema_asks_for_what_cannot_be_empty_and_for_what_an_object_begins_with():
    spare = sparing(SCHEMAS["image"])

    assert spare["required"] == [
        "scene_imagination",
        "comprehensive_t2i_caption",
        "background_setting",
        "resolution",
        "aspect_ratio",
    ]
    assert spare["$defs"]["Subject"]["required"] == ["description"]
    assert spare["$defs"]["Lighting"]["required"] == []
    assert spare["properties"] == SCHEMAS["image"]["properties"]
    within = sparing({"type": "object", "properties": {"caption": spare | {"$defs": {}}}, "required": ["caption"]})
    assert within["required"] == ["caption"]


def test_what_may_be_left_out_is_let_out_by_the_grammar_and_what_may_not_is_not():
    guidance = pytest.importorskip("llguidance")
    caption = {"background_setting": "a table", "style_medium": "render"}
    schema = sparing(
        {
            "type": "object",
            "properties": {name: SCHEMAS["image"]["properties"][name] for name in ("lighting", *caption)},
            "required": ["lighting", *caption],
            "$defs": SCHEMAS["image"]["$defs"],
        }
    )

    def takes(answer: dict[str, Any]) -> bool:
        tokens = guidance.LLTokenizer("byte")
        matcher = guidance.LLMatcher(tokens, guidance.LLMatcher.grammar_from_json_schema(schema), log_level=0)
        return matcher.try_consume_tokens(list(json.dumps(answer).encode())) and matcher.is_accepting()

    assert takes({"lighting": {}, **caption})
    assert takes({"lighting": {"shadows": "faint"}, "background_setting": "a table"})
    assert not takes({"lighting": {}, "style_medium": "render"})
