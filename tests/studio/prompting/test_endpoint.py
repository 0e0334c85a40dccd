from __future__ import annotations

import base64
import socket
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from studio.errors import BadInput, Busy, ServerUnreachable, StudioError, TooLarge, Unauthorized, Unexpected
from studio.prompting import Endpoint, Question, ReasonerSampling, VideoUrl, attach_image, attach_video
from studio.prompting.question import asked_alone

pytestmark = pytest.mark.anyio

PLAIN_QUESTION = Question(messages=asked_alone("What is it?"))


async def test_a_question_is_a_chat_completion(endpoint: Any):
    sampling = ReasonerSampling(temperature=0.5, top_k=7, seed=11, max_tokens=99)
    async with Endpoint(endpoint.address, model="m", api_key="secret") as ask:
        answer = await ask(PLAIN_QUESTION.model_copy(update={"sampling": sampling}))

    assert answer == "hello"
    body = endpoint.bodies[0]
    assert body["model"] == "m"
    assert body["messages"] == [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "What is it?"},
    ]
    assert (body["temperature"], body["top_k"], body["seed"], body["max_tokens"]) == (0.5, 7, 11, 99)
    assert "response_format" not in body
    assert endpoint.headers[0]["authorization"] == "Bearer secret"


async def test_without_a_name_the_first_model_is_asked(endpoint: Any):
    async with Endpoint(endpoint.address) as ask:
        await ask(PLAIN_QUESTION)

    assert endpoint.bodies[0]["model"] == "first"


async def test_a_schema_becomes_a_response_format(endpoint: Any):
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    async with Endpoint(endpoint.address, model="m") as ask:
        await ask(PLAIN_QUESTION.model_copy(update={"answer_schema": schema}))

    wanted = endpoint.bodies[0]["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"] == schema


async def test_a_plain_endpoint_gets_openai_fields_only(endpoint: Any):
    question = PLAIN_QUESTION.model_copy(update={"answer_schema": {"type": "array"}, "video_fps": 4.0})
    async with Endpoint(endpoint.address, model="m", plain=True) as ask:
        await ask(question)

    assert set(endpoint.bodies[0]) == {
        "model",
        "messages",
        "temperature",
        "top_p",
        "presence_penalty",
        "max_tokens",
        "seed",
    }


async def test_media_stand_before_the_words(endpoint: Any, tmp_path: Path):
    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png")
    picture = attach_image(tmp_path / "a.png")
    question = Question(messages=asked_alone("Compare.", picture, VideoUrl(url="file:///v.mp4")), video_fps=4)
    async with Endpoint(endpoint.address, model="m") as ask:
        await ask(question)

    first, second, words = endpoint.bodies[0]["messages"][1]["content"]
    head, _, data = first["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == (tmp_path / "a.png").read_bytes()
    assert second == {"type": "video_url", "video_url": {"url": "file:///v.mp4"}}
    assert words == {"type": "text", "text": "Compare."}
    assert endpoint.bodies[0]["media_io_kwargs"] == {"video": {"fps": 4.0, "num_frames": -1}}


async def test_thinking_that_came_apart_is_put_back(endpoint: Any):
    endpoint.reasoning = "hm"
    async with Endpoint(endpoint.address, model="m") as ask:
        assert await ask(PLAIN_QUESTION) == "<think>hm</think>hello"


@pytest.mark.parametrize(
    ("status", "raw", "kind", "says"),
    [
        (401, b'{"error": {"message": "bad key"}}', Unauthorized, "bad key"),
        (404, b'{"error": {"message": "no model m"}}', BadInput, "no model m"),
        (400, b'{"error": "top_k?"}', BadInput, "top_k"),
        (413, b"", TooLarge, "nothing"),
        (429, b"slow down", Busy, "slow down"),
        (
            503,
            b'{"error": {"code": "busy", "message": "64 are open", "param": null, "hint": "Later."}}',
            Busy,
            "64 are",
        ),
        (500, b'{"error": {"code": "nobodys", "message": "m", "param": null, "hint": ""}}', ServerUnreachable, "500"),
        (503, b"<html>" * 10_000, ServerUnreachable, "503"),
        (302, b"", BadInput, "302"),
        (200, b"not json", Unexpected, "did not answer with a chat completion"),
        (200, b'{"choices": []}', Unexpected, "choices"),
        (200, b'{"choices": [{"message": {"content": null, "refusal": "no"}}]}', BadInput, "refused"),
        (500, b"\xff\xfe[", ServerUnreachable, "500"),
        (500, b"[" * 100_000, ServerUnreachable, "500"),
        (500, b'{"error": {"message": 7}}', ServerUnreachable, "500"),
    ],
)
async def test_a_failure_is_a_typed_error_without_the_key(
    endpoint: Any, status: int, raw: bytes, kind: type[StudioError], says: str
):
    endpoint.answers = [(status, raw)]
    async with Endpoint(endpoint.address, model="m", api_key="secret") as ask:
        with pytest.raises(kind) as caught:
            await ask(PLAIN_QUESTION)

    assert says in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(str(caught.value)) < 400


async def test_an_endless_answer_is_cut_off(endpoint: Any):
    endpoint.answers = [(200, b" " * (9 * 1024 * 1024))]
    async with Endpoint(endpoint.address, model="m") as ask:
        with pytest.raises(TooLarge):
            await ask(PLAIN_QUESTION)


async def test_nobody_there_and_nobody_answering_are_said():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        async with Endpoint(address, model="m", timeout_s=0.1) as ask:
            with pytest.raises(ServerUnreachable, match="did not answer in time"):
                await ask(PLAIN_QUESTION)
    async with Endpoint(address, model="m") as ask:
        with pytest.raises(ServerUnreachable, match="does not answer"):
            await ask(PLAIN_QUESTION)


@pytest.mark.parametrize(
    "address", ["ftp://h/v1", "http://", "http://h/v1?key=1", "http://[::1", "http://user:hidden@h/v1", "\x00"]
)
def test_an_address_that_is_none_is_refused(address: str):
    with pytest.raises(BadInput) as caught:
        Endpoint(address)

    assert "hidden" not in str(caught.value)


def test_a_key_that_no_header_carries_is_refused():
    with pytest.raises(Unauthorized):
        Endpoint("http://h/v1", api_key="a\nb")


@pytest.mark.parametrize(
    ("name", "raw", "mime"),
    [
        ("a.mp4", b"\0\0\0\x18ftypmp42", "video/mp4"),
        ("a.mov", b"\0\0\0\x14ftypqt  ", "video/quicktime"),
        ("a.webm", b"\x1aE\xdf\xa3", "video/webm"),
        ("a.avi", b"RIFF\0\0\0\0AVI ", "video/x-msvideo"),
    ],
)
def test_a_clip_is_told_by_its_first_bytes(tmp_path: Path, name: str, raw: bytes, mime: str):
    (tmp_path / name).write_bytes(raw)

    assert attach_video(tmp_path / name).url.startswith(f"data:{mime};base64,")


def test_a_file_that_is_neither_is_refused(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"text")
    for attach in (attach_image, attach_video):
        for name in ("a", "missing"):
            with pytest.raises(BadInput):
                attach(tmp_path / name)
