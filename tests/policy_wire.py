"""A client of the policy's websocket, as plain as it can be."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from policy_requests import policy_request
from running import RunningServer
from studio.wire.arrays import pack_message, unpack_message

ANSWER_S = 150


class Client:
    """An open session; its metadata have come."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.metadata = self.receive()

    def receive(self) -> dict[str, Any]:
        frame = self.socket.recv(timeout=ANSWER_S)
        assert isinstance(frame, bytes), frame
        return unpack_message(frame)

    def send(self, **changes: Any) -> None:
        self.socket.send(pack_message(policy_request(**changes)))

    def ask(self, **changes: Any) -> dict[str, Any]:
        self.send(**changes)
        return self.receive()

    def ask_raw(self, frame: str | bytes) -> dict[str, Any]:
        self.socket.send(frame)
        return self.receive()


@contextmanager
def policy_client(server: RunningServer, authorization: str = "", **options: Any) -> Iterator[Client]:
    headers = {"Authorization": authorization} if authorization else {}
    with connect(
        server.url.replace("http", "ws", 1) + "/",
        additional_headers=headers,
        compression=None,
        max_size=None,
        close_timeout=1,
        **options,
    ) as socket:
        yield Client(socket)
