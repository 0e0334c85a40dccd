"""The real `openai` client in conversation with a running server."""

import base64
import json
import math
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from running import RunningServer, wait_for
from sent_files import clip_bytes, picture_bytes

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "count": {"enum": [1, 2, 3]}},
    "required": ["name", "count"],
    "additionalProperties": False,
}
FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
ODD: Any = {"type": "json_schema", "json_schema": {"name": "odd", "schema": {"type": "odd"}}}


@pytest.fixture
def client(server: RunningServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def uri(mime: str, content: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(content).decode()}"


def asked(*parts: dict[str, Any]) -> Any:
    return [{"role": "user", "content": [*parts, {"type": "text", "text": "What is on the table?"}]}]


def test_an_answer(client: openai.OpenAI):
    answer = client.chat.completions.create(model="speck", messages=asked(), max_tokens=12, seed=4, temperature=0)

    (choice,) = answer.choices
    assert choice.message.role == "assistant"
    assert choice.message.content
    assert choice.finish_reason in ("stop", "length")
    assert answer.usage is not None
    assert 0 < answer.usage.completion_tokens <= 12
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert answer.model == "speck"


def test_a_streamed_answer_is_the_same_one(client: openai.OpenAI):
    said: Any = {"model": "speck", "messages": asked(), "max_tokens": 40, "seed": 4}
    whole = client.chat.completions.create(**said)

    events = list(client.chat.completions.create(**said, stream=True, stream_options={"include_usage": True}))

    text = "".join(event.choices[0].delta.content or "" for event in events if event.choices)
    assert text == whole.choices[0].message.content
    assert events[0].choices[0].delta.role == "assistant"
    assert events[-2].choices[0].finish_reason == whole.choices[0].finish_reason
    assert not events[-1].choices
    assert events[-1].usage is not None
    assert whole.usage is not None
    assert events[-1].usage.completion_tokens == whole.usage.completion_tokens

    def pieces() -> int:
        return len(list(client.chat.completions.create(**said, stream=True)))

    # What has come while the server was held up comes in one piece, so the first answer may be a single one.
    wait_for(lambda: pieces() > 4, 60)


def test_without_asking_a_stream_has_no_usage(client: openai.OpenAI):
    stream = client.chat.completions.create(model="speck", messages=asked(), max_tokens=3, stream=True)

    assert all(event.usage is None and event.choices for event in stream)


@pytest.mark.parametrize("form", ["data", "media"])
def test_a_picture_is_looked_at(client: openai.OpenAI, server: RunningServer, form: str):
    url = uri("image/png", picture_bytes())
    if form == "media":
        url = f"media:{server.post('/v1/media', files={'file': ('x', picture_bytes())}).json()['id']}"

    answer = client.chat.completions.create(
        model="speck", messages=asked({"type": "image_url", "image_url": {"url": url}}), max_tokens=4
    )

    words = client.chat.completions.create(model="speck", messages=asked(), max_tokens=4)
    assert answer.usage is not None
    assert words.usage is not None
    assert answer.usage.prompt_tokens > words.usage.prompt_tokens


def test_a_clip_is_looked_at_in_as_many_frames_as_are_asked_for(client: openai.OpenAI):
    shown = {"type": "video_url", "video_url": {"url": uri("video/mp4", clip_bytes(num_frames=24, fps=12))}}

    def tokens(**video: float) -> int:
        extra = {"media_io_kwargs": {"video": video}}
        answer = client.chat.completions.create(model="speck", messages=asked(shown), max_tokens=2, extra_body=extra)
        assert answer.usage is not None
        return answer.usage.prompt_tokens

    assert tokens(num_frames=4) < tokens(num_frames=8)
    assert tokens(num_frames=8) == tokens(fps=4, num_frames=-1)


def test_an_answer_matches_its_schema_also_when_its_tokens_run_out(client: openai.OpenAI):
    for seed in range(3):
        answer = client.chat.completions.create(
            model="speck", messages=asked(), max_tokens=50, seed=seed, response_format=FORMAT
        )
        said = json.loads(answer.choices[0].message.content or "")
        assert set(said) == {"name", "count"}
        assert said["count"] in (1, 2, 3)


def test_a_streamed_answer_matches_it_too(client: openai.OpenAI):
    stream = client.chat.completions.create(
        model="speck", messages=asked(), max_tokens=50, seed=1, response_format=FORMAT, stream=True
    )

    text = "".join(event.choices[0].delta.content or "" for event in stream)
    assert set(json.loads(text)) == {"name", "count"}


def test_probabilities_come_with_the_words(client: openai.OpenAI):
    answer = client.chat.completions.create(
        model="speck", messages=asked(), max_tokens=6, temperature=0, logprobs=True, top_logprobs=3
    )

    assert answer.choices[0].logprobs is not None
    content = answer.choices[0].logprobs.content or []
    assert content
    for entry in content:
        assert entry.logprob <= 0
        assert len(entry.top_logprobs) == 3
        assert math.isclose(entry.top_logprobs[0].logprob, max(top.logprob for top in entry.top_logprobs))
    spelt = b"".join(bytes(entry.bytes or []) for entry in content)
    assert spelt.decode(errors="replace") == answer.choices[0].message.content


def test_a_stop_string_ends_an_answer_before_it(client: openai.OpenAI):
    said: Any = {"model": "speck", "messages": asked(), "max_tokens": 40, "seed": 4}
    text = client.chat.completions.create(**said).choices[0].message.content or ""

    answer = client.chat.completions.create(**said, stop=text[5:8])

    assert answer.choices[0].message.content == text[: text.find(text[5:8])]
    assert answer.choices[0].finish_reason == "stop"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"n": 2}, "n"),
        ({"extra_body": {"topk": 4}}, "topk"),
        ({"response_format": ODD}, "response_format.json_schema.schema"),
        ({"max_tokens": 4, "response_format": FORMAT}, "max_tokens"),
        ({"extra_body": {"chat_template_kwargs": {"enable_thinking": True}}}, "chat_template_kwargs.enable_thinking"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_cannot_be_answered_is_refused_before_the_first_word(
    client: openai.OpenAI, fields: dict[str, Any], param: str, stream: bool
):
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.chat.completions.create(model="speck", messages=asked(), stream=stream, **fields)

    assert refused.value.param == param


def test_an_unknown_model_is_not_found(client: openai.OpenAI):
    with pytest.raises(openai.NotFoundError) as refused:
        client.chat.completions.create(model="spek", messages=asked())

    assert refused.value.param == "model"
