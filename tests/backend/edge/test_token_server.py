"""A server with a token, whole: login, cookie, page, API and socket."""

from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from running import running

TOKEN = "orbit-9"


@pytest.mark.slow
def test_a_server_with_a_token_opens_only_to_it(tmp_path: Path):
    with running(tmp_path / "data", ORRERY_TOKEN=TOKEN) as server, httpx.Client(base_url=server.url, timeout=60) as web:
        assert web.get("/v1/jobs").status_code == 401
        assert web.get("/openapi.json").status_code == 401
        assert web.get("/config").status_code == 401
        assert web.get("/", headers={"accept": "text/html"}).headers["location"] == "/login"
        assert web.post("/login", data={"token": "wrong"}).status_code == 401
        entered = web.post("/login", data={"token": TOKEN})
        assert entered.status_code == 303
        assert "httponly" in entered.headers["set-cookie"].lower()
        assert TOKEN not in entered.headers["set-cookie"]
        assert web.get("/v1/jobs").json()["jobs"] == []
        assert web.get("/", headers={"accept": "text/html"}).status_code == 200
        socket_url = server.url.replace("http", "ws") + "/v1/events"
        with pytest.raises(InvalidStatus):
            connect(socket_url)
        with connect(socket_url, additional_headers={"authorization": f"Bearer {TOKEN}"}) as socket:
            assert "snapshot" in str(socket.recv(timeout=60))
        assert not [line for line in server.log if TOKEN in line]
