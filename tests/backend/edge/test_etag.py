"""Who has a file already is told so, however a cache in between wrote it down."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from backend.routes.media import serve_file


@pytest.mark.parametrize(
    ("held", "status"),
    [
        ("{etag}", 304),
        ("W/{etag}", 304),
        ('"other", {etag}', 304),
        ('W/"other",W/{etag} , "third"', 304),
        ("*", 304),
        ('"other"', 200),
        ('W/"other", "third"', 200),
        ("", 200),
    ],
)
def test_a_list_of_what_is_held_is_looked_through(tmp_path: Path, held: str, status: int):
    (tmp_path / "a.png").write_bytes(b"picture")

    async def served(request: Request) -> Response:
        return serve_file(tmp_path / "a.png", "image/png", request)

    with TestClient(Starlette(routes=[Route("/a", served)])) as web:
        etag = web.get("/a").headers["etag"]
        answer = web.get("/a", headers={"if-none-match": held.format(etag=etag)})

    assert answer.status_code == status
    assert answer.headers["etag"] == etag
    assert answer.content == (b"picture" if status == 200 else b"")
