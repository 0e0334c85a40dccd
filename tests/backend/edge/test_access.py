"""Who may come in, through the gate alone: a real Starlette application behind it, no server needed."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from backend.edge.access import COOKIE, Gate, cookie_value
from studio.settings import ServerSettings

TOKEN = "orbit-9"
EVENTS = "ws://127.0.0.1:7860/v1/events"  # left to itself the test client would say "testserver"


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def client(tmp_path: Path, host: str = "127.0.0.1", **settings: str) -> TestClient:
    paths = (
        "/",
        "/v1/jobs",
        "/healthz",
        "/readyz",
        "/health",
        "/v1/health/ready",
        "/login",
        "/gradio_api/info",
        "/ui/x.js",
        "/docs",
        "/metrics",
        "/favicon.ico",
    )
    routes = [*(Route(path, hello) for path in paths), WebSocketRoute("/v1/events", talk)]
    gate = Gate(Starlette(routes=routes), ServerSettings(host=host, data=tmp_path, **settings))  # type: ignore[arg-type]
    return TestClient(gate, base_url="http://127.0.0.1:7860", follow_redirects=False)


def test_loopback_without_a_token_is_open(tmp_path: Path):
    assert client(tmp_path).get("/v1/jobs").text == "hello"


@pytest.mark.parametrize("path", ["/", "/v1/jobs", "/gradio_api/info", "/ui/x.js", "/docs", "/metrics"])
def test_with_a_token_everything_needs_it(tmp_path: Path, path: str):
    web = client(tmp_path, token=TOKEN)

    assert web.get(path).status_code == 401
    assert web.get(path).json()["error"]["code"] == "unauthorized"
    assert web.get(path, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert web.get(path, headers={"authorization": f"Basic {TOKEN}"}).status_code == 401
    assert web.get(path, headers={"authorization": f"Bearer {TOKEN}"}).text == "hello"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/health", "/v1/health/ready", "/login", "/favicon.ico"])
def test_health_and_login_answer_without_it(tmp_path: Path, path: str):
    assert client(tmp_path, token=TOKEN).get(path).text == "hello"


def test_a_page_is_sent_to_the_login_and_comes_back_with_a_cookie(tmp_path: Path):
    web = client(tmp_path, token=TOKEN)

    sent = web.get("/", headers={"accept": "text/html"})
    web.cookies.set(COOKIE, cookie_value(TOKEN))

    assert (sent.status_code, sent.headers["location"]) == (303, "/login")
    assert web.get("/").text == "hello"


@pytest.mark.parametrize("cookie", ["", TOKEN, "x" * 5000, cookie_value("other")])
def test_a_wrong_cookie_is_no_token(tmp_path: Path, cookie: str):
    web = client(tmp_path, token=TOKEN)

    assert web.get("/", headers={"cookie": f"{COOKIE}={cookie}"}).status_code == 401


def test_the_websocket_is_behind_the_same_gate(tmp_path: Path):
    web = client(tmp_path, token=TOKEN)

    with pytest.raises(WebSocketDisconnect) as refused, web.websocket_connect(EVENTS):
        pass
    with web.websocket_connect(EVENTS, headers={"authorization": f"Bearer {TOKEN}"}) as socket:
        assert socket.receive_text() == "hello"

    assert refused.value.code == 1008


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7860", "127.0.0.1.evil.example", "", "10.0.0.9", "[::1"]
)
def test_a_foreign_host_is_refused(tmp_path: Path, host: str):
    answer = client(tmp_path).get("/v1/jobs", headers={"host": host})

    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "foreign_origin"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7860", "127.0.0.1:1", "[::1]:7860", "studio.lab"])
def test_its_own_names_are_known(tmp_path: Path, host: str):
    web = client(tmp_path, allowed_hosts="studio.lab, other.lab")

    assert web.get("/v1/jobs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://"])
def test_a_foreign_origin_is_refused_for_requests_and_sockets(tmp_path: Path, origin: str):
    web = client(tmp_path)

    assert web.post("/v1/jobs", headers={"origin": origin}).status_code == 403
    with pytest.raises(WebSocketDisconnect), web.websocket_connect(EVENTS, headers={"origin": origin}):
        pass
    with web.websocket_connect(EVENTS, headers={"origin": "http://127.0.0.1:7860"}) as socket:
        assert socket.receive_text() == "hello"
    assert web.get("/v1/jobs", headers={"origin": "http://127.0.0.1:7860"}).status_code == 200


def test_a_public_server_answers_to_addresses_and_not_to_foreign_names(tmp_path: Path):
    web = client(tmp_path, host="0.0.0.0", token=TOKEN)
    headers = {"authorization": f"Bearer {TOKEN}"}

    assert web.get("/v1/jobs", headers={**headers, "host": "10.1.2.3:7860"}).status_code == 200
    assert web.get("/v1/jobs", headers={**headers, "host": "evil.example"}).status_code == 403


@pytest.mark.parametrize("other", ['a={"x": 1}', "b=[1, 2]", "odd", "c@d=1", "=x"])
def test_the_odd_cookie_of_another_app_does_not_lose_ours(tmp_path: Path, other: str):
    web = client(tmp_path, token=TOKEN)
    ours = f"{COOKIE}={cookie_value(TOKEN)}"

    for cookies in (f"{other}; {ours}", f"{ours}; {other}"):
        assert web.get("/", headers={"cookie": cookies}).status_code == 200
