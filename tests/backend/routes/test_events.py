"""The websocket of a page: a snapshot, numbered changes, previews of what it shows."""

import io
import json
from typing import Any

from PIL import Image
from websockets.sync.client import ClientConnection, connect

from running import RunningServer
from studio.wire import unpack_frame

LONG: dict[str, Any] = {"resolution": "480", "aspect_ratio": "16:9", "sampling": {"num_inference_steps": 200}}


def open_socket(server: RunningServer, **options: Any) -> ClientConnection:
    return connect(server.url.replace("http", "ws") + "/v1/events", **options)


def texts(socket: ClientConnection, limit: int):
    for _ in range(limit):
        message = socket.recv(timeout=60)
        if isinstance(message, str):
            yield json.loads(message)


def next_snapshot(socket: ClientConnection) -> dict[str, Any]:
    """The next snapshot; what changes meanwhile on a server that others ask too may come before it."""
    return next(message for message in texts(socket, 100) if message["type"] == "snapshot")


def until_cancelled(socket: ClientConnection):
    while True:
        message = socket.recv(timeout=60)
        yield message
        if isinstance(message, str) and '"cancelled"' in message:
            return


def test_a_page_gets_a_snapshot_then_changes_without_gaps(server: RunningServer):
    before = server.wait_job(server.submit()["id"])

    with open_socket(server) as socket:
        snapshot = json.loads(socket.recv(timeout=60))
        job = server.submit()
        seen: list[dict[str, Any]] = []
        for delta in texts(socket, 500):
            seen.append(delta)
            if delta["id"] == job["id"] and delta["value"].get("state") == "succeeded":
                break

    assert snapshot["type"] == "snapshot"
    assert snapshot["state"]["jobs"][before["id"]]["state"] == "succeeded"
    assert snapshot["state"]["system"]["checkpoint"]["state"] == "ready"
    assert snapshot["state"]["system"]["checkpoint"]["random_weights"] is True
    assert [delta["seq"] for delta in seen] == list(range(snapshot["seq"] + 1, snapshot["seq"] + 1 + len(seen)))
    states = [delta["value"]["state"] for delta in seen if delta["id"] == job["id"] and "state" in delta["value"]]
    assert states == ["queued", "running", "succeeded"]
    assert any(delta["value"].get("progress", {}).get("phase") == "denoising" for delta in seen)


def test_whoever_shows_a_job_gets_its_previews_and_nobody_else(server: RunningServer):
    job = server.submit(**LONG)
    topic = f"preview/{job['id']}"

    with open_socket(server) as looking, open_socket(server) as away:
        looking.send(json.dumps({"want": [topic, 7]}))
        frame = next(message for message in iter(lambda: looking.recv(timeout=60), None) if isinstance(message, bytes))
        server.delete(f"/v1/jobs/{job['id']}")
        others = list(until_cancelled(away))

    name, jpeg = unpack_frame(frame)
    assert name == topic
    assert max(Image.open(io.BytesIO(jpeg)).size) <= 512
    assert all(isinstance(message, str) for message in others)


def test_asking_again_gives_a_snapshot_and_the_numbers_go_on_from_it(server: RunningServer):
    with open_socket(server) as socket:
        socket.recv(timeout=60)
        socket.send(json.dumps({"resync": True}))
        again = next_snapshot(socket)
        server.wait_job(server.submit()["id"])
        first = json.loads(socket.recv(timeout=60))

    assert first["seq"] == again["seq"] + 1


def test_nonsense_from_a_page_is_ignored(server: RunningServer):
    with open_socket(server) as socket:
        socket.recv(timeout=60)
        for nonsense in ("", "[]", '{"want": 3}', '{"want": [null]}', "x" * 10_000):
            socket.send(nonsense)
        socket.send(json.dumps({"resync": True}))
        assert next_snapshot(socket)["state"]
