"""The websocket on which a policy's server sends the frames that it foresees, beside the one that carries actions.

The server names its path in the first frame of the policy's connection. A question that is to be foreseen carries a
label; its frames come here when they are decoded, or never. Whatever is wrong on this side ends this connection alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

import structlog
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from robot.faults import PolicyLost
from robot.foresight.clip import ForeseenClip, read_clip
from robot.process import lower_priority

log = structlog.get_logger("orrery.robot.foresight")

MAX_MESSAGE_BYTES = 16 << 20
"""33 canvases have about 2 MB."""

LOOK_EVERY_S = 0.25
OPEN_TIMEOUT_S = 5.0


class ForesightLink:
    """Dials while somebody wants frames and the server has a path for them.

    Args:
        url: of the policy.
        path: where the server sends frames now; empty where it sends none.
        take: told of every clip, on this link's thread.

    Attributes:
        wanted: whether anybody looks.
    """

    def __init__(self, url: str, token: str, path: Callable[[], str], take: Callable[[ForeseenClip], None]) -> None:
        self._url = url
        self._token = token
        self._path = path
        self._take = take
        self.wanted = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="foresight-link", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        lower_priority()
        while not self._ended.wait(LOOK_EVERY_S):
            path = self._path()
            if not self.wanted or not path.startswith("/"):
                continue
            try:
                self._receive(path)
            except (OSError, WebSocketException, ValueError) as error:
                log.info("foresight lost", words=str(error) or type(error).__name__)

    def _receive(self, path: str) -> None:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        address = urlunsplit((*urlsplit(self._url)[:2], path, "", ""))
        with connect(
            address,
            additional_headers=headers,
            compression=None,
            proxy=None,
            max_size=MAX_MESSAGE_BYTES,
            open_timeout=OPEN_TIMEOUT_S,
            close_timeout=0.5,
        ) as socket:
            while self.wanted and path == self._path() and not self._ended.is_set():
                try:
                    frame = socket.recv(timeout=LOOK_EVERY_S)
                except TimeoutError:
                    continue
                try:
                    self._take(read_clip(frame))
                except PolicyLost as error:
                    log.info("foreseen frames dropped", words=str(error))
