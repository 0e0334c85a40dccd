"""The chat over HTTP: bad input, callers that leave, a worker that dies, and a job beside it."""

import base64
import io
import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from running import RunningServer, running, wait_for
from sent_files import clip_bytes, picture_bytes

CHAT = "/v1/chat/completions"
ENDLESS: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Count the bowls."}],
    "max_tokens": 60_000,
    "temperature": 1.5,
    "top_p": 1,
    "top_k": 0,
    # So long that nobody waits for its end.
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "long", "schema": {"type": "array", "items": {"type": "integer"}, "minItems": 3_000}},
    },
}


def uri(content: bytes) -> str:
    return f"data:application/octet-stream;base64,{base64.b64encode(content).decode()}"


def png(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def showing(kind: str, url: str) -> dict[str, Any]:
    content = [{"type": "text", "text": "Well?"}, {"type": kind, kind: {"url": url}}]
    return {"messages": [{"role": "user", "content": content}], "max_tokens": 4}


def metric(server: RunningServer, name: str) -> float:
    lines = server.get("/metrics").text.splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith(f"{name} "))


def nothing_is_decoded(server: RunningServer) -> bool:
    """No piece of any answer comes within the time that three would take."""
    before = metric(server, "orrery_answer_pieces_total")
    server.post(CHAT, json={"messages": ENDLESS["messages"], "max_tokens": 3}).raise_for_status()
    return metric(server, "orrery_answer_pieces_total") - before <= 3 and metric(server, "orrery_conversations") == 0


@contextmanager
def streaming(server: RunningServer, body: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """The events of a stream."""
    with httpx.stream("POST", f"{server.url}{CHAT}", json={**body, "stream": True}, timeout=60) as response:
        assert response.status_code == 200, response.read()
        lines = (line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: {"))
        yield (json.loads(line) for line in lines)


@pytest.mark.parametrize(
    ("kind", "url", "code"),
    [
        ("image_url", uri(png(1, 1)), "bad_input"),
        ("image_url", uri(png(30_000, 10)), "bad_input"),
        ("image_url", uri(png(8_000, 10)), "bad_input"),
        ("image_url", uri(picture_bytes()[:400]), "bad_input"),
        ("image_url", uri(b"no picture"), "bad_input"),
        ("image_url", uri(clip_bytes()), "bad_input"),
        ("video_url", uri(picture_bytes()), "bad_input"),
        ("video_url", uri(clip_bytes()[:3000]), "bad_input"),
        ("video_url", uri(b""), "bad_input"),
        ("image_url", "file:///etc/passwd", "bad_input"),
        ("image_url", "http://127.0.0.1/a.png", "bad_input"),
        ("image_url", "media:u0123456789abcdef", "media_not_found"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_and_its_place_named(server: RunningServer, kind: str, url: str, code: str):
    answer = server.post(CHAT, json=showing(kind, url))

    error = answer.json()["error"]
    assert (error["code"], error["param"]) == (code, "messages.0.content.1")
    assert error["message"]
    assert not list((server.data / "media" / "incoming").glob("*.part"))


@pytest.mark.parametrize("body", [b"[", b"[]", b"null", b'"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(server: RunningServer, body: bytes):
    answer = server.post(CHAT, content=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_input")


def test_a_conversation_longer_than_the_context_is_refused(server: RunningServer):
    messages = [{"role": "user", "content": "a b " * 16_000}] * 12

    answer = server.post(CHAT, json={"messages": messages})

    assert answer.json()["error"]["code"] == "prompt_too_long"
    assert answer.json()["error"]["param"] == "messages"


def test_a_caller_that_leaves_a_stream_stops_its_decoding(server: RunningServer):
    with streaming(server, ENDLESS) as events:
        for _ in range(4):
            next(events)
        wait_for(lambda: metric(server, "orrery_conversations") == 1, 60)

    wait_for(lambda: metric(server, "orrery_conversations") == 0, 60)
    wait_for(lambda: nothing_is_decoded(server), 60)


def test_a_caller_that_leaves_a_whole_answer_stops_it_too(server: RunningServer):
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{server.url}{CHAT}", json=ENDLESS, timeout=httpx.Timeout(30, read=0.3))

    wait_for(lambda: metric(server, "orrery_conversations") == 0, 60)
    wait_for(lambda: nothing_is_decoded(server), 60)


def test_what_was_shown_is_gone_when_the_caller_leaves(server: RunningServer):
    body = {**ENDLESS, "messages": showing("image_url", uri(picture_bytes()))["messages"]}
    with streaming(server, body) as events:
        next(events)
        assert list((server.data / "media" / "incoming").glob("*.part"))

    wait_for(lambda: not list((server.data / "media" / "incoming").glob("*.part")), 60)


def test_a_conversation_and_a_job_go_on_beside_each_other(server: RunningServer):
    job = server.submit(resolution="480", sampling={"num_inference_steps": 200, "seed": 1})
    server.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)

    with streaming(server, ENDLESS) as events:
        for _ in range(10):
            next(events)
        seen = server.job(job["id"])
        assert seen["state"] == "running"
        step = seen["progress"]["step"]
        server.wait_job(job["id"], lambda job: job["progress"]["step"] > step)
        server.post(f"/v1/jobs/{job['id']}/stop").raise_for_status()
        assert server.wait_job(job["id"])["state"] == "succeeded"
        for _ in range(10):
            next(events)


@pytest.mark.slow
def test_a_dead_worker_ends_a_conversation_with_a_reason_and_the_next_one_is_answered(
    tmp_path: Path, server: RunningServer
):
    folder = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    with running(folder) as own:
        own.wait_ready()
        with streaming(own, ENDLESS) as events:
            next(events)
            os.kill(own.worker_pid(), signal.SIGKILL)
            last = list(events)[-1]

        assert last["error"]["code"] == "engine_lost"
        own.wait_ready()
        short = {"messages": ENDLESS["messages"], "max_tokens": 2}
        wait_for(lambda: own.post(CHAT, json=short).status_code == 200, 60)


@pytest.mark.slow
def test_files_are_read_from_allowed_folders_alone(tmp_path: Path, server: RunningServer):
    folder, clips = tmp_path / "data", tmp_path / "clips"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    clips.mkdir()
    for place in (clips, tmp_path):
        (place / "a.mp4").write_bytes(clip_bytes())
    with running(folder, ORRERY_ALLOWED_MEDIA_FOLDERS=str(clips), ORRERY_ALLOW_REMOTE_MEDIA="true") as own:
        own.wait_ready()
        inside = own.post(CHAT, json=showing("video_url", (clips / "a.mp4").as_uri()))
        outside = own.post(CHAT, json=showing("video_url", (tmp_path / "a.mp4").as_uri()))
        private = own.post(CHAT, json=showing("video_url", f"http://localhost:{httpx.URL(own.url).port}/healthz"))

    assert inside.status_code == 200, inside.text
    assert outside.json()["error"]["code"] == "bad_input"
    assert "not a public address" in private.json()["error"]["message"]


def test_an_answer_with_a_key_goes_on_without_its_caller_until_it_is_stopped(server: RunningServer):
    headers = {"Idempotency-Key": "left-alone"}
    with httpx.stream(
        "POST", server.url + CHAT, json={**ENDLESS, "stream": True}, headers=headers, timeout=60
    ) as answer:
        first = next(line for line in answer.iter_lines() if line.startswith("data:"))
    before = metric(server, "orrery_answer_pieces_total")
    wait_for(lambda: metric(server, "orrery_answer_pieces_total") > before + 3, 60)
    other = server.post(CHAT, json={**ENDLESS, "max_tokens": 5}, headers=headers)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "conflict")
    with httpx.stream(
        "POST", server.url + CHAT, json={**ENDLESS, "stream": True}, headers=headers, timeout=60
    ) as again:
        lines = (line for line in again.iter_lines() if line.startswith("data:"))
        assert next(lines) == first
        assert server.delete(f"{CHAT}/left-alone").status_code == 204
        assert len(list(lines)) > 3
    wait_for(lambda: nothing_is_decoded(server), 60)


def test_a_caption_is_streamed_while_it_is_written(server: RunningServer):
    asked = {"kind": "generate_image", "prompt": "The arm lifts the cube."}
    with httpx.stream("POST", f"{server.url}/v1/upsample?stream=true", json=asked, timeout=300) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.iter_lines() if line.startswith("data:")]
    events = [json.loads(line.removeprefix("data:")) for line in lines]
    assert len(events) > 3
    assert all(set(event) == {"text"} for event in events[:-1])
    assert set(events[-1]) in ({"answer"}, {"error"})  # of noise, either
    refused = server.post("/v1/upsample?stream=true", json={**asked, "kind": "run_policy"})
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, "kind")
