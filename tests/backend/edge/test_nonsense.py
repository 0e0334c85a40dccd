"""What no client of ours sends: refused in words, never with a traceback."""

import json
from typing import Any

import pytest
from websockets.sync.client import connect

from running import RunningServer

CUBE = {"kind": "generate_image", "prompt": "a red cube"}
OPENAI = {"prompt": "a red cube", "size": "256x256"}
LONG = "x" * 1_500_000


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("name", [[], {}, 3, True, ["speck"]])
def test_a_checkpoint_that_is_no_name_is_refused(server: RunningServer, name: Any):
    for path, body in (
        ("/v1/jobs", {**CUBE, "checkpoint": name}),
        ("/v1/images/generations", {**OPENAI, "model": name}),
    ):
        answer = server.post(path, json=body)
        assert answer.status_code == 422, path
        assert answer.json()["error"]["param"] == "checkpoint"


@pytest.mark.parametrize("field", ["kind", "prompt", "checkpoint", "count", "sampling", "unknown"])
def test_what_is_nested_too_deeply_is_refused_at_any_depth(server: RunningServer, field: str):
    for depth in (*range(600, 1000, 20), 100_000):
        body = json.dumps(CUBE).replace("}", f', "{field}": {nested(depth)}}}')
        answer = server.post("/v1/jobs", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, depth


@pytest.mark.parametrize("field", ["size", "response_format", "extra_params", "n", "model"])
def test_the_other_dialect_refuses_it_too(server: RunningServer, field: str):
    for depth in (*range(600, 1000, 40), 100_000):
        body = json.dumps({"prompt": "x"}).replace("}", f', "{field}": {nested(depth)}}}')
        answer = server.post("/v1/images/generations", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, depth


def test_extra_params_as_deep_text_are_refused(server: RunningServer):
    answer = server.post("/v1/images/generations", json={**OPENAI, "extra_params": "[" * 100_000})

    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == "extra_params"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/jobs", {**CUBE, LONG: 1}),
        ("/v1/jobs", {**CUBE, "sampling": {LONG: 1}}),
        ("/v1/jobs", {"kind": LONG}),
        ("/v1/jobs", {**CUBE, "checkpoint": LONG}),
        ("/v1/images/generations", {**OPENAI, LONG: 1}),
        ("/v1/images/generations", {**OPENAI, "size": LONG}),
        ("/v1/images/generations", {**OPENAI, "response_format": LONG}),
    ],
)
def test_an_upload_is_not_echoed(server: RunningServer, path: str, body: dict[str, Any]):
    answer = server.post(path, json=body)

    assert answer.status_code in (404, 422)
    assert len(answer.content) < 1000
    assert answer.elapsed.total_seconds() < 5


@pytest.mark.parametrize("name", ["\ud800", "sampling"])
def test_half_a_character_as_a_name_is_refused(server: RunningServer, name: str):
    for path, body in (("/v1/jobs", CUBE), ("/v1/images/generations", OPENAI)):
        sent = json.dumps({**body, name: {"\ud800": 1}})
        answer = server.post(path, content=sent, headers={"content-type": "application/json"})
        assert answer.status_code == 422, path


def test_a_page_may_send_bytes_and_deep_nonsense(server: RunningServer):
    with connect(server.url.replace("http", "ws") + "/v1/events") as socket:
        socket.recv(timeout=60)
        for nonsense in (b"\x00\x01", b"", '{"want": ' + "[" * 100_000, "[" * 100_000):
            socket.send(nonsense)
        socket.send(json.dumps({"resync": True}))
        # What changes meanwhile on a server that others ask too may come before it.
        while json.loads(socket.recv(timeout=60))["type"] != "snapshot":
            pass
    assert server.tracebacks() == []


def test_seeds_that_do_not_exist_are_refused(server: RunningServer):
    answer = server.post("/v1/jobs", json={**CUBE, "count": 2, "sampling": {"seed": 2**53 - 1}})

    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == "count"
