"""Both ends of a robot's wire, as a bridge and a page would hold them."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import quote

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from running import RunningServer
from studio.wire import pack_frame

BOUND_S = 60.0
LIMITS = {"soft_min": [-1.0] * 7, "soft_max": [1.0] * 7, "velocity": [2.0] * 7}
HELLO = {"type": "hello", "arm": "simulated", "model": "panda", "policy": "ws://p/", "limits": LIMITS}


class End:
    """One websocket; everything that comes is kept."""

    def __init__(self, url: str, token: str = "") -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._stack = ExitStack()
        self.socket = self._stack.enter_context(
            connect(url, additional_headers=headers, compression=None, max_size=None, close_timeout=1)
        )
        self.heard: list[dict[str, Any]] = []
        self.pictures: list[bytes] = []
        self.closed_with: tuple[int, str] | None = None
        self._changed = threading.Condition()
        self._numbers = iter(range(1, 1_000_000))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while True:
            try:
                frame = self.socket.recv()
            except ConnectionClosed as error:
                with self._changed:
                    frame = error.rcvd
                    self.closed_with = (frame.code, frame.reason) if frame is not None else (1006, "")
                    self._changed.notify_all()
                return
            with self._changed:
                if isinstance(frame, bytes):
                    self.pictures.append(frame)
                else:
                    self.heard.append(json.loads(frame))
                self._changed.notify_all()

    def close(self) -> None:
        """Hang up."""
        self._stack.close()

    def until(self, look: Callable[[], Any], limit_s: float = BOUND_S) -> Any:
        """What `look` says as soon as it says something; looked at whenever something came."""
        with self._changed:
            found = self._changed.wait_for(look, limit_s)
        assert found, f"not within {limit_s} s; heard {self.heard[-5:]}, closed with {self.closed_with}"
        return found

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message.get("type") == kind]

    def next(self, kind: str, known: int = 0) -> dict[str, Any]:
        """The message of a kind after the first `known`."""
        return self.until(lambda: self.of(kind)[known:])[0]

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def ask(self, **message: Any) -> dict[str, Any]:
        """An order, or a wish for control, and its answer."""
        number = f"page-{next(self._numbers)}"
        self.say(id=number, **message)
        return self.until(lambda: next((found for found in self.of("answer") if found["id"] == number), None))


class Bridge(End):
    """A bridge that answers orders when the test says so."""

    def __init__(self, server: RunningServer, name: str, token: str = "") -> None:
        super().__init__(websocket(server) + "/v1/robots/bridge", token)
        self.say(**(HELLO | {"name": name}))
        self.session("idle")

    def session(self, state: str) -> None:
        self.say(type="session", state=state, epoch=0, hold=None, stop=None, words="", run=None)

    def picture(self, topic: str, payload: bytes) -> None:
        self.socket.send(pack_frame(topic, payload))

    def order(self, known: int = 0) -> dict[str, Any]:
        """The order after the first `known`."""
        return self.until(lambda: self.orders()[known:])[0]

    def orders(self) -> list[dict[str, Any]]:
        return [message for message in self.heard if "command" in message]

    def answer(self, order: dict[str, Any], value: Any = None) -> None:
        self.say(type="answer", id=order["id"], error=None, value=value)


def websocket(server: RunningServer) -> str:
    return server.url.replace("http", "ws", 1)


@contextmanager
def bridge(server: RunningServer, name: str, **options: Any) -> Iterator[Bridge]:
    end = Bridge(server, name, **options)
    try:
        yield end
    finally:
        end.close()


@contextmanager
def page(server: RunningServer, name: str, **options: Any) -> Iterator[End]:
    end = End(f"{websocket(server)}/v1/robots/{quote(name)}/live", **options)
    try:
        yield end
    finally:
        end.close()
