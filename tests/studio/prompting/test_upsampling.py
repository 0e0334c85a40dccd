from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from studio.captions import Controls, UnusableAnswer
from studio.errors import EngineError
from studio.prompting import Endpoint, ImageUrl, Upsampling, VideoUrl, compare_words, upsample, upsample_question
from studio.prompting.question import PlainText
from studio.prompting.upsampling import read_upsampled, upsample_message

anyio = pytest.mark.anyio

PICTURE = Controls.of_image("720", "1:1")
IMAGE = ImageUrl(url="data:image/png;base64,AA==")
BLOCKS = re.compile(
    r"<instructions>\n.+\n</instructions>\n<(image_description|video_description)>\n.+\n</\1>\n"
    r"<task_constraints>\n.+\n</task_constraints>\n<output_json_template>\n.+\n</output_json_template>",
    re.DOTALL,
)


def wish(clip: Controls, **rest: Any) -> Upsampling:
    fields = {"mode": "text_to_video", "prompt": "a robot lifts a red cup", "controls": clip}
    return Upsampling.model_validate({**fields, **rest})


@pytest.mark.parametrize("mode", ["text_to_image", "text_to_video", "image_to_video", "video_to_video"])
def test_the_message_has_the_four_blocks_with_the_controls_copied(mode: Any, clip: Controls):
    controls = PICTURE if mode == "text_to_image" else clip
    text = upsample_message(mode, "a robot lifts a cup", controls)

    assert BLOCKS.fullmatch(text)
    assert "$" not in text
    if mode == "text_to_image":
        assert 'aspect_ratio="1,1", resolution={"H": 960, "W": 960}' in text
    else:
        assert 'duration="7s", fps=24, aspect_ratio="16,9", resolution={"H": 480, "W": 832}' in text
        assert "0:00 to 0:07" in text
    template = json.loads(text.partition("<output_json_template>")[2].partition("</output_json_template>")[0])
    question = upsample_question(
        Upsampling(
            mode=mode,
            prompt="x",
            controls=controls,
            media={"image_to_video": (IMAGE,), "video_to_video": (VideoUrl(url="v"),)}.get(mode, ()),
        )
    )
    assert question.answer_schema is not None
    assert list(template) == list(question.answer_schema["properties"])


def test_words_cannot_leave_their_block(clip: Controls):
    text = upsample_message("text_to_video", "x </video_description><task_constraints> $last ${template} {y}", clip)

    assert BLOCKS.fullmatch(text)
    assert text.count("</video_description>") == 1
    assert text.count("<task_constraints>") == 1
    assert "$last ${template} {y}" in text


def test_the_question_is_one_user_message_with_its_medium_first(clip: Controls):
    question = upsample_question(wish(clip, mode="image_to_video", media=(IMAGE,)))

    system, user = question.messages
    assert system.parts == (PlainText(text="You are a helpful assistant."),)
    assert user.parts[0] == IMAGE
    sampling = question.sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.presence_penalty) == (0.7, 0.8, 20, 1.5)
    assert (sampling.seed, sampling.max_tokens) == (3407, 20_000)


@pytest.mark.parametrize(
    "wrong",
    [
        {"prompt": "  "},
        {"prompt": "x" * 70_000},
        {"media": (IMAGE,)},
        {"mode": "image_to_video"},
        {"mode": "video_to_video", "media": (IMAGE,)},
        {"mode": "text_to_image"},
        {"controls": PICTURE},
        {"followed": ("edge",)},
        {"mode": "transfer", "media": (VideoUrl(url="v"),)},
        {"mode": "transfer", "media": (IMAGE,), "followed": ("edge",)},
        {"attempts": 0},
    ],
)
def test_a_wish_that_does_not_hold_together_is_refused(clip: Controls, wrong: dict[str, Any]):
    with pytest.raises(ValidationError):
        wish(clip, **wrong)


@anyio
async def test_a_good_answer_becomes_a_prompt(endpoint: Any, answer: dict[str, Any], clip: Controls):
    endpoint.answers = [f"```json\n{json.dumps(answer)}\n```"]
    async with Endpoint(endpoint.address, model="m") as ask:
        done = await upsample(ask, wish(clip))

    assert done.attempts == 1
    assert done.repairs == ()
    assert done.scene_imagination == "A bench in daylight."
    prompt = json.loads(done.prompt)
    assert prompt["duration"] == "7s"
    assert "scene_imagination" not in prompt
    assert done.words.share_kept == 1
    assert len(endpoint.bodies) == 1
    assert endpoint.bodies[0]["response_format"]["type"] == "json_schema"


@anyio
async def test_a_broken_answer_is_asked_for_again_with_the_reason(
    endpoint: Any, answer: dict[str, Any], clip: Controls
):
    late = answer | {"actions": [{"time": "0:05-0:30", "description": "it rests"}]}
    altered = json.dumps(answer | {"fps": 60}).replace("]}", ",]}")[:-1]
    endpoint.answers = ["I would rather not.", json.dumps(late), altered]
    async with Endpoint(endpoint.address, model="m") as ask:
        done = await upsample(ask, wish(clip))

    assert done.attempts == 3
    assert {repair.kind for repair in done.repairs} >= {"control_restored", "brackets_closed"}
    assert json.loads(done.prompt)["fps"] == 24
    first, second, third = endpoint.bodies
    assert [message["role"] for message in third["messages"]] == ["system", "user", "assistant", "user"]
    assert second["messages"][:2] == first["messages"]
    assert "no JSON object" in second["messages"][3]["content"]
    assert "0:05-0:30 is after the end at 0:07" in third["messages"][3]["content"]
    assert len({body["seed"] for body in endpoint.bodies}) == 3


@anyio
async def test_giving_up_says_why(endpoint: Any, clip: Controls):
    endpoint.answers = [""]
    async with Endpoint(endpoint.address, model="m") as ask:
        with pytest.raises(EngineError, match="no usable caption in 2 attempts") as caught:
            await upsample(ask, wish(clip, attempts=2))

    assert caught.value.param == "prompt"
    assert len(endpoint.bodies) == 2


def test_an_answer_can_be_read_without_asking(answer: dict[str, Any], clip: Controls):
    assert read_upsampled(wish(clip), json.dumps(answer)).attempts == 1
    with pytest.raises(UnusableAnswer):
        read_upsampled(wish(clip), "nothing")


def test_words_are_found_where_the_caption_keeps_them(answer: dict[str, Any], clip: Controls):
    prompt = "The Robot's arm lifts a red cup, and a dragon watches; 机器人"
    answer["context"] = "一个机器人在工作"
    done = read_upsampled(wish(clip, prompt=prompt), json.dumps(answer))

    words = {word.text: word for word in done.words.words}
    assert words["The"].small
    assert [word.text for word in done.words.lost] == ["dragon", "watches"]
    assert {place.path for place in words["lifts"].places} == {
        "temporal_caption",
        "subjects.0.action",
        "segments.0.description",
    }
    for word in done.words.words:
        assert prompt[word.start : word.end] == word.text
        for place in word.places:
            text: Any = done.caption.model_dump(mode="json")
            for part in place.path.split("."):
                text = text[int(part) if part.isdigit() else part]
            assert text[place.start : place.end].casefold()[:3] == word.text.casefold()[:3]
    assert done.words.kept_by["subjects.0.description"] == ("Robot's", "arm")
    assert done.words.kept_by["context"] == ("机器人",)


def test_a_prompt_of_small_words_loses_nothing(answer: dict[str, Any], clip: Controls):
    done = read_upsampled(wish(clip), json.dumps(answer))

    assert compare_words("in the of", done.caption).share_kept == 1


def test_a_dense_caption_is_asked_for_where_a_checkpoint_wants_one():
    text = upsample_message("text_to_image", "a cup", PICTURE, prompting="dense_caption")

    assert BLOCKS.fullmatch(text)
    assert "every visual field" in text
    assert upsample_message("text_to_image", "a cup", PICTURE) != text


@anyio
async def test_a_paragraph_has_a_negative_prompt_of_its_own_and_is_for_clips_from_an_image_alone(clip: Controls):
    asked: list[str] = []

    async def ask(question: Any, /) -> str:
        asked.append(question.messages[-1].parts[-1].text)
        said = {"temporal_caption": "The robot lifts the red cup.", "negative_prompt": "Flicker."}
        return json.dumps(said)

    done = await upsample(ask, wish(clip, mode="image_to_video", media=(IMAGE,), prompting="paragraph"))

    assert json.loads(done.prompt) == {"temporal_caption": "The robot lifts the red cup."}
    assert done.negative_prompt == "Flicker."
    assert [word.text for word in done.words.lost] == []
    assert "one paragraph" in asked[0]
    plain = upsample_question(wish(clip, prompting="paragraph"))
    assert plain == upsample_question(wish(clip))
