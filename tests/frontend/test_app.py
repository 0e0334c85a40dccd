"""The mounted page, without a browser."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from gradio.routes import App

from frontend.app import mount
from frontend.gradio_files import ASSETS
from frontend.places import IMAGE, KEEPING, ROBOT, Place

SERVED_S = 0.4

ASKED = re.compile(r'(?:src|href)="\.?(/(?:ui|assets)/[^"]+)"')


@pytest.fixture(scope="module")
def client(in_a_loop: Callable[..., Any]):
    app = FastAPI()

    @app.get("/v1/ping")
    async def ping() -> str:
        return "pong"

    made: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        create = App.create_app
        patch.setattr(App, "create_app", lambda *given, **named: made.append(given) or create(*given, **named))
        page = in_a_loop(lambda: mount(app, base_url=lambda: "http://127.0.0.1:9"))
    assert len(made) <= 3, "Gradio's app is made when all pages are drawn and when they are mounted, not once a page"
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
        began = time.process_time()
        client.get("/")
        taken.append(time.process_time() - began)
    # The quickest: others in this process, and the machine itself, take of the rest.
    assert min(taken) < SERVED_S


def test_routes_before_the_page_are_not_shadowed(client: TestClient):
    assert client.get("/v1/ping").json() == "pong"


@pytest.mark.parametrize("place", [IMAGE, ROBOT, *KEEPING], ids=lambda place: place.name)
def test_all_that_a_page_asks_for_may_be_kept_and_comes_packed(client: TestClient, place: Place):
    linked = re.findall(r"<(?:link|script)\b[^>]*>", client.get(place.path).text)
    asked = [found.group(1) for tag in linked if " disabled" not in tag for found in [ASKED.search(tag)] if found]
    assert {path.partition("-")[0] for path in asked} >= {"/assets/index", "/assets/Index", "/assets/page"}
    for path in asked:
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "private" in answer.headers["cache-control"]
        assert "immutable" in answer.headers["cache-control"]
        if not path.endswith((".svg", ".woff2")):  # a typeface is packed already
            assert answer.headers["content-encoding"] in ("br", "gzip"), path


@pytest.mark.parametrize(
    ("taken", "encoding"), [("gzip, deflate, br, zstd", "br"), ("gzip, deflate", "gzip"), ("identity", None)]
)
def test_a_text_comes_packed_as_its_reader_can_unpack_it(client: TestClient, taken: str, encoding: str | None):
    path = re.findall(r'href="(/ui/[^"]+/page-image.css)"', client.get("/").text)[0]
    answer = client.get(path, headers={"accept-encoding": taken})
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "accept-encoding"
    assert b"--o-bg" in answer.content


def test_a_page_fetches_nothing_for_a_frame_around_it(client: TestClient):
    assert "iframeResizer" not in client.get("/").text


def test_our_other_files_are_kept_too_and_come_in_pieces(client: TestClient):
    [folder] = set(re.findall(r'"(/ui/[0-9a-f]{8})/', client.get("/").text))
    assert client.get(f"{folder}/sample.mp4", headers={"range": "bytes=0-9"}).status_code == 206
    assert "immutable" in client.get(f"{folder}/sample.png").headers["cache-control"]
    assert client.get(f"{folder}/none.js").status_code == 404


def test_gradios_other_files_are_served_and_nothing_beside_them(client: TestClient):
    login = next(ASSETS.glob("Login-*.js"))
    assert client.get(f"/assets/{login.name}").content == login.read_bytes()
    assert client.get("/assets/none.js").status_code == 404
    assert client.get("/assets/..%2findex.html").status_code == 404
