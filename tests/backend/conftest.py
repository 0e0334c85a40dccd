"""Files to send, and sending them."""

from collections.abc import Callable

import pytest

from running import RunningServer
from sent_files import clip_bytes, picture_bytes


@pytest.fixture(scope="session")
def make_clip() -> Callable[..., bytes]:
    return clip_bytes


@pytest.fixture(scope="session")
def make_picture() -> Callable[..., bytes]:
    return picture_bytes


@pytest.fixture(scope="session")
def upload(server: RunningServer) -> Callable[[bytes], str]:
    """Send something; answers its id."""

    def send(content: bytes) -> str:
        answer = server.post("/v1/media", files={"file": ("x", content)})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    return send
