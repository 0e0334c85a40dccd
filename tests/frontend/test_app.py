"""The mounted page, without a browser."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from frontend.app import mount
from frontend.places import KEEPING, Place
from frontend.static_files import FOLDER, static_path

SERVED_S = 0.4


@pytest.fixture(scope="module")
def client(in_a_loop: Callable[..., Any]):
    app = FastAPI()

    @app.get("/v1/ping")
    async def ping() -> str:
        return "pong"

    page = in_a_loop(lambda: mount(app, base_url=lambda: "http://127.0.0.1:9"))
    with TestClient(page, headers={"accept": "text/html"}) as client:
        yield client


def test_the_page_is_served_with_its_shell(client: TestClient):
    html = client.get("/").text
    assert "<o-header" in html
    assert "window.gradio_config" in html


def test_the_robot_page_is_served_at_its_own_path(client: TestClient):
    html = client.get("/robot").text
    assert "<o-robot-stop" in html
    assert "window.gradio_config" in html


@pytest.mark.parametrize("place", KEEPING, ids=lambda place: place.name)
def test_a_page_that_keeps_things_is_one_part_at_its_own_path(client: TestClient, place: Place):
    html = client.get(place.path).text
    assert "window.gradio_config" in html
    assert f"\\u003co-{place.name}\\u003e" in html or f"<o-{place.name}>" in html


def test_serving_the_page_does_not_drag_a_configuration_along(client: TestClient):
    """A component whose configuration drags the whole page along costs half a second here."""
    taken: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        client.get("/")
        taken.append(time.perf_counter() - began)
    assert statistics.median(taken) < SERVED_S


def test_routes_before_the_page_are_not_shadowed(client: TestClient):
    assert client.get("/v1/ping").json() == "pong"


def test_our_files_may_be_kept_for_their_path_names_their_content(client: TestClient):
    answer = client.get(f"{static_path()}/orrery.js")
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.content == (FOLDER / "orrery.js").read_bytes()
    whole = client.get(f"{static_path()}/orrery.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in whole.headers
    assert whole.content == answer.content
    assert client.get(f"{static_path()}/sample.mp4", headers={"range": "bytes=0-9"}).status_code == 206
    assert client.get(f"{static_path()}/none.js").status_code == 404
