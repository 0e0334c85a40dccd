"""How often one caller may come."""

from functools import partial
from itertools import count

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from backend.edge.rate_limit import MAX_CALLERS, REFUSED_COST, Buckets, RateLimit


async def okay(request: Request) -> PlainTextResponse:
    return PlainTextResponse("okay", 401 if request.headers.get("token") == "wrong" else 200)


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


ROUTES = [
    Route("/v1/jobs", okay, methods=["GET", "POST"]),
    Route("/healthz", okay, methods=["GET", "POST"]),
    WebSocketRoute("/v1/events", talk),
]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bucket fills again while a slow machine asks: the clock goes on by a millisecond whenever it is looked at."""
    looks = count()
    monkeypatch.setattr("backend.edge.rate_limit.Buckets", partial(Buckets, now_s=lambda: next(looks) / 1000))


def web(per_minute: int | None, host: str = "203.0.113.7") -> TestClient:
    return TestClient(RateLimit(Starlette(routes=ROUTES), per_minute), client=(host, 5000))


def statuses(client: TestClient, times: int, path: str = "/v1/jobs", **headers: str) -> list[int]:
    return [client.post(path, headers=headers).status_code for _ in range(times)]


def test_who_comes_too_often_is_told_when_to_come_again():
    client = web(6)

    assert statuses(client, 6) == [200] * 6
    refused = client.post("/v1/jobs")
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_requests")
    assert 0 < int(refused.headers["retry-after"]) <= 10


def test_looking_costs_a_tenth():
    client = web(2)

    assert [client.get("/v1/jobs").status_code for _ in range(20)] == [200] * 20
    assert client.get("/v1/jobs").status_code == 429


def test_a_guess_at_the_token_is_dear():
    client = web(2 * REFUSED_COST + 2)

    assert statuses(client, 3, token="wrong") == [401, 401, 429]


def test_a_bucket_fills_again_and_never_overflows():
    now = 0.0
    buckets = Buckets(60, lambda: now)
    assert [buckets.wait_s("a", 30), buckets.wait_s("a", 30)] == [0, 0]
    assert buckets.wait_s("a", 1) == pytest.approx(1)
    now = 1.0
    assert buckets.wait_s("a", 1) == 0
    now = 1000.0
    assert buckets.wait_s("a", 60) == 0
    assert buckets.wait_s("a", 60) == pytest.approx(60)


def test_callers_do_not_take_each_others_share_and_a_crowd_is_bounded():
    buckets = Buckets(1, lambda: 0.0)
    assert [buckets.wait_s(str(caller), 1) for caller in range(MAX_CALLERS + 1)] == [0] * (MAX_CALLERS + 1)
    assert buckets.wait_s("1", 1) > 0
    assert buckets.wait_s("0", 1) == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_limited_only_if_the_settings_say_so(monkeypatch: pytest.MonkeyPatch, host: str):
    monkeypatch.setattr("backend.edge.rate_limit.DEFAULT_PER_MINUTE", 3)

    assert 429 not in statuses(web(None, host), 6)
    assert 429 in statuses(web(3, host), 5)


def test_by_default_other_machines_are_limited_and_nought_is_no_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("backend.edge.rate_limit.DEFAULT_PER_MINUTE", 3)

    assert statuses(web(None), 4) == [200, 200, 200, 429]
    assert 429 not in statuses(web(0), 6)


def test_a_network_of_ipv6_is_one_caller():
    app = RateLimit(Starlette(routes=ROUTES), 2)
    answers = [TestClient(app, client=(f"2001:db8::{end}", 1)).post("/v1/jobs").status_code for end in ("1", "2", "3")]
    assert answers == [200, 200, 429]
    assert TestClient(app, client=("2001:db8:1::1", 1)).post("/v1/jobs").status_code == 200


def test_health_is_never_refused_and_sockets_are_counted():
    client = web(1)

    assert statuses(client, 1) == [200]
    assert statuses(client, 5, "/healthz") == [200] * 5
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/v1/events"):
        pass
    assert (closed.value.code, closed.value.reason) == (1008, "too_many_requests")
