"""The worker's ties to its server: commands in, reports out, and an end when the server ends."""

from __future__ import annotations

import os
import queue
import threading
from multiprocessing.connection import Connection

from backend.messages import Command, Report


class Lifeline:
    """The pipe. A thread reads it, so that its end is noticed in the middle of a long step."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="lifeline", daemon=True).start()

    def report(self, message: Report) -> None:
        """Tell the server; without a server there is nothing left to do."""
        try:
            self._connection.send(message)
        except OSError:
            os._exit(0)

    def commands(self, *, wait: bool) -> list[Command]:
        """What has arrived; with `wait`, at least one."""
        arrived = [self._commands.get()] if wait else []
        while not self._commands.empty():
            arrived.append(self._commands.get())
        return arrived

    def _read(self) -> None:
        try:
            while True:
                self._commands.put(self._connection.recv())
        except (EOFError, OSError):
            os._exit(0)
