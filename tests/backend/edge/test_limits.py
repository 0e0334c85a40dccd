"""How much anybody may send, on every path and before anybody is known."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from backend.edge.body_limit import (
    MAX_CHAT_BYTES,
    MAX_JSON_BYTES,
    MAX_LOGIN_BYTES,
    MAX_UPLOAD_BYTES,
    BodyLimit,
    limit_of,
)
from running import RunningServer

MULTIPART = "multipart/form-data; boundary=x"


@pytest.mark.parametrize(
    ("path", "content_type", "limit"),
    [
        ("/login", "application/x-www-form-urlencoded", MAX_LOGIN_BYTES),
        ("/login", MULTIPART, MAX_LOGIN_BYTES),
        ("/v1/media", MULTIPART, MAX_UPLOAD_BYTES),
        ("/v1/media", MULTIPART.upper(), MAX_UPLOAD_BYTES),
        ("/v1/jobs", "application/json", MAX_JSON_BYTES),
        ("/gradio_api/upload", MULTIPART, MAX_JSON_BYTES),
        ("/v1/chat/completions", "application/json", MAX_CHAT_BYTES),
        ("/v1/tasks/grounding", "application/json", MAX_CHAT_BYTES),
        ("/v1/videos", "application/json", MAX_CHAT_BYTES),
        ("/v1/videos/sync", MULTIPART, MAX_CHAT_BYTES),
        ("/v1/actions/generations", "application/json", MAX_CHAT_BYTES),
        ("/v1/actions/generations", "application/msgpack", MAX_CHAT_BYTES),
        ("/v1/tasks", "application/json", MAX_JSON_BYTES),
        ("/anything", "", MAX_JSON_BYTES),
    ],
)
def test_every_path_has_a_limit(path: str, content_type: str, limit: int):
    assert limit_of(path, content_type) == limit


def pieces(size: int) -> Iterator[bytes]:
    yield from (b"x" * 1024 for _ in range(size // 1024 + 1))


async def read(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def shrug(request: Request) -> PlainTextResponse:
    try:
        await request.body()
    except Exception:  # noqa: BLE001 - what this application is here for
        return PlainTextResponse("whatever", 500)
    return PlainTextResponse("read")


@pytest.mark.parametrize("path", ["/read", "/shrug", "/page/read"])
def test_a_body_without_a_length_is_refused_whatever_the_application_makes_of_it(path: str):
    routes = [Route("/read", read, methods=["POST"]), Route("/shrug", shrug, methods=["POST"])]
    app = BodyLimit(Starlette(routes=[*routes, Mount("/page", Starlette(routes=routes))]))
    with TestClient(app) as web:
        answer = web.post(path, content=pieces(MAX_JSON_BYTES))
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        assert web.post(path, content=pieces(1024)).status_code == 200


def test_the_login_and_the_page_take_little(server: RunningServer):
    big = {"file": ("a.bin", b"x" * 3_000_000)}

    for path in ("/login", "/gradio_api/upload", "/gradio_api/queue/join", "/nothing"):
        answer = server.post(path, files=big)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large"), path


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/gradio_api/upload/", "/gradio_api/uplo%61d"])
def test_the_page_library_takes_no_upload(server: RunningServer, path: str):
    answer = server.post(path, files={"files": ("a.txt", b"small")}, follow_redirects=True)

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
