"""Media over HTTP: uploaded by content, served as what they are, whole or in ranges."""

import io
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fastapi import FastAPI
from PIL import Image
from starlette.testclient import TestClient

from backend import errors
from backend.broadcast import Broadcast, LibraryNews
from backend.database import open_database
from backend.edge.body_limit import MAX_UPLOAD_BYTES, BodyLimit
from backend.library.uploads import Uploads
from backend.media import MediaStore, write_clip
from backend.routes import media


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = FastAPI()
    media_store, database = MediaStore(tmp_path / "media"), open_database(tmp_path / "orrery.db")
    uploads = Uploads(database, media_store, LibraryNews(Broadcast()), quota_bytes=None)
    app.state.services = SimpleNamespace(ledger=SimpleNamespace(media=media_store, uploads=uploads))
    app.include_router(media.router)
    app.include_router(media.recipes_router)
    app.add_middleware(BodyLimit)
    errors.register(app)
    with TestClient(app) as client:
        yield client


@pytest.fixture
def clip(tmp_path: Path) -> bytes:
    frames = np.random.default_rng(0).integers(0, 256, (9, 48, 64, 3), dtype=np.uint8)
    write_clip(tmp_path / "a.mp4", frames, fps=24)
    return (tmp_path / "a.mp4").read_bytes()


def upload(client: TestClient, content: bytes, name: str = "a.bin", mime: str = "text/html"):
    return client.post("/v1/media", files={"file": (name, content, mime)})


def test_an_upload_comes_back_byte_for_byte_as_what_it_was_decoded_as(client: TestClient, clip: bytes):
    answer = upload(client, clip)

    assert answer.status_code == 201
    reference = answer.json()
    assert (reference["type"], reference["mime"], reference["num_frames"]) == ("video", "video/mp4", 9)
    served = client.get(reference["url"])
    assert served.content == clip
    assert served.headers["content-type"] == "video/mp4"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert client.get(reference["thumbnail_url"]).headers["content-type"] == "image/webp"


def test_a_player_may_ask_for_a_part(client: TestClient, clip: bytes):
    url = upload(client, clip).json()["url"]

    part = client.get(url, headers={"range": "bytes=100-199"})

    assert (part.status_code, part.content) == (206, clip[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(clip)}"
    assert part.headers["content-type"] == "video/mp4"
    assert client.get(url, headers={"if-none-match": part.headers["etag"]}).status_code == 304


def test_a_picture_that_also_is_a_page_stays_a_picture(client: TestClient):
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "JPEG")

    url = upload(client, buffer.getvalue() + b"<html><script>alert(1)</script>", "a.html").json()["url"]

    assert client.get(url).headers["content-type"] == "image/jpeg"


@pytest.mark.parametrize(
    ("content", "said"), [(b"words", "is text"), (b"", "empty"), (b"<svg></svg>", "SVG"), (b"<html></html>", "HTML")]
)
def test_what_is_neither_is_refused_in_our_shape(client: TestClient, content: bytes, said: str):
    answer = upload(client, content, "a.mp4", "video/mp4")

    assert answer.status_code == 422
    error = answer.json()["error"]
    assert (error["code"], error["param"]) == ("bad_input", "file")
    assert said in error["message"]
    assert error["hint"]


def test_a_body_without_a_file_is_refused(client: TestClient):
    assert client.post("/v1/media", data={"a": "b"}).status_code == 422
    assert client.post("/v1/media").status_code == 422


def test_an_upload_over_the_limit_is_refused_before_it_is_read(client: TestClient):
    answer = client.post(
        "/v1/media",
        content=b"",
        headers={"content-type": "multipart/form-data; boundary=x", "content-length": str(MAX_UPLOAD_BYTES + 1)},
    )

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_clip_without_a_recipe_says_so(client: TestClient, clip: bytes):
    answer = client.post("/v1/recipes/read", files={"file": ("a.mp4", clip)})

    assert answer.status_code == 422
    assert "no recipe" in answer.json()["error"]["message"]


def test_a_file_that_goes_just_before_it_is_served_is_missing_and_no_fault(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(MediaStore, "file", lambda self, name: tmp_path / "gone.mp4")
    answer = client.get("/v1/media/0123456789ab-0")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "media_not_found"
