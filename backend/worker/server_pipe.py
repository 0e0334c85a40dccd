"""The worker's ties to its server: commands in, reports out, and an end when the server ends."""

from __future__ import annotations

import os
import queue
import threading
from multiprocessing.connection import Connection
from typing import NoReturn

from backend.messages import Command, Report


class ServerPipe:
    """The pipe. A thread reads it, so that its end is noticed in the middle of a long step."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="server-pipe", daemon=True).start()

    def report(self, message: Report) -> None:
        """Tell the server; without a server there is nothing left to do."""
        try:
            self._connection.send(message)
        except OSError:
            os._exit(0)

    def commands(self, *, wait: bool) -> list[Command]:
        """What has arrived; with `wait`, as soon as something has, or when the worker is woken."""
        arrived = [self._commands.get()] if wait else []
        while not self._commands.empty():
            arrived.append(self._commands.get())
        return [command for command in arrived if command is not None]

    def wake(self) -> None:
        """End a wait for commands: something is to be done that did not come from the server. From any thread."""
        self._commands.put(None)

    def end(self) -> NoReturn:
        """End the process now. What was reported is in the pipe, and the server reads it before it sees the end.

        Nothing is torn down: a device that has broken may hang in that.
        """
        os._exit(1)

    def _read(self) -> None:
        try:
            while True:
                self._commands.put(self._connection.recv())
        except (EOFError, OSError):
            os._exit(0)
