"""From a form to a job, through the public API."""

import asyncio
import json
from typing import Any

import httpx

from frontend.fields import flatten
from frontend.panels import IMAGE_PANEL, TRANSFER_PANEL, VIDEO_PANEL
from frontend.submission import field_id, submit
from studio.client import StudioClient
from studio.requests import GenerateImage


def send(answer: httpx.Response, **changes: Any) -> tuple[dict[str, Any], list[httpx.Request]]:
    """What the page is told when the server answers so, and what it was asked."""
    asked: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer

    client = StudioClient(
        "http://studio.test",
        forwarded={"cookie": "orrery_token=abc", "x-else": "1"},
        transport=httpx.MockTransport(reply),
    )
    values = {**flatten(GenerateImage(prompt="a cube").model_dump(mode="json", exclude={"kind"})), **changes}
    return asyncio.run(submit(client, IMAGE_PANEL, values)), asked


def refusal(status: int, **error: Any) -> httpx.Response:
    return httpx.Response(status, json={"error": {"type": "x", "param": None, "hint": "", **error}})


def test_a_form_is_posted_as_the_request_it_is_with_the_callers_credential():
    accepted = {
        "id": "7f2c",
        "kind": "generate_image",
        "state": "queued",
        "checkpoint": "speck",
        "request": {"kind": "generate_image", "prompt": "a cube"},
        "progress": {"steps": 20},
        "created_at": "2026-11-21T14:00:00Z",
    }
    told, asked = send(httpx.Response(202, json=accepted), **{"sampling.seed": 7})
    assert told["job"] == "7f2c"
    assert (asked[0].method, asked[0].url.path) == ("POST", "/v1/jobs")
    body = json.loads(asked[0].content)
    assert (body["kind"], body["prompt"], body["sampling"]["seed"]) == ("generate_image", "a cube", 7)
    assert asked[0].headers["cookie"] == "orrery_token=abc"
    assert "x-else" not in asked[0].headers


def test_a_refusal_is_told_at_its_field_with_its_hint():
    answer = refusal(422, code="not_allowed", message="speck says no.", param="resolution", hint="It takes 256.")
    told, _ = send(answer)
    assert (told["field"], told["message"], told["hint"]) == ("image-resolution", "speck says no.", "It takes 256.")


def test_a_refusal_without_a_field_is_told_without_one():
    told, _ = send(refusal(507, code="disk_full", message="The disk is full."))
    assert (told["field"], told["message"]) == ("", "The disk is full.")


def test_the_same_refusal_twice_is_told_twice():
    first, second = (send(refusal(507, code="disk_full", message="Full."))[0] for _ in range(2))
    assert first != second


def test_a_form_that_is_no_request_never_leaves_the_page():
    told, asked = send(httpx.Response(500), prompt="")
    assert told["field"] == "image-prompt"
    assert asked == []


def test_a_field_that_a_part_holds_is_told_at_the_part():
    assert field_id(TRANSFER_PANEL, "controls.0.video") == "transfer-controls"
    assert field_id(VIDEO_PANEL, "condition_frames") == "video-start"
    assert field_id(VIDEO_PANEL, "sampling.seed") == "video-sampling-seed"
