"""`python -m backend`: the server as a process, told everything by its environment."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress

import uvicorn

from backend.checkpoint_shelf import CheckpointShelf
from backend.logs import configure_logs
from studio.data_folder import DataFolder, Hold
from studio.errors import CannotListen, StorageError, StudioError
from studio.settings import ServerSettings, read_settings

GRACE_S = 3
"""How long open requests may still take when the server is told to stop."""


def main() -> int:
    """Serve until told to stop; 2 when it cannot start, with one line that says why."""
    configure_logs()
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        settings = read_settings()
        folder = DataFolder(settings.data)
        folder.prepare()
        hold = Hold(folder)
        shelf = CheckpointShelf.open(settings.checkpoint, folder)
        listener = listen(settings)
        _serve(settings, folder, shelf, hold, listener)
    except StudioError as error:
        sys.stderr.write(f"orrery: {error}\n")
        return 2
    return 0


def listen(settings: ServerSettings) -> socket.socket:
    """A listening socket, before anything slow is loaded.

    Raises:
        CannotListen: the port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise CannotListen(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror or error}.",
            param="port",
            hint="Choose another with --port, or --port 0 for any free one.",
        ) from None
    return listener


def address(settings: ServerSettings, listener: socket.socket, *, loopback: bool = False) -> str:
    """The URL of a listening socket; with `loopback`, as this machine itself reaches it."""
    host, port = listener.getsockname()[:2]
    everywhere = host in ("0.0.0.0", "::")
    if loopback and everywhere:
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """Says where it listens once it answers."""

    def __init__(self, config: uvicorn.Config, url: str, hold: Hold, own_url: str) -> None:
        super().__init__(config)
        self._url = url
        self._own_url = own_url
        self._hold = hold

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell the terminal and the data folder."""
        await super().startup(sockets)
        if self.started:
            try:
                self._hold.announce(self._own_url)
            except StorageError:
                await self.shutdown(sockets)
                raise
            sys.stdout.write(f"orrery listening on {self._url}\n")
            sys.stdout.flush()


def _serve(
    settings: ServerSettings, folder: DataFolder, shelf: CheckpointShelf, hold: Hold, listener: socket.socket
) -> None:
    from backend.serve import build_services, create_app  # loads the page's library: seconds, after all cheap refusals

    own_url = address(settings, listener, loopback=True)
    app = create_app(settings, build_services(settings, folder, shelf), own_url)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=GRACE_S, ws="websockets-sansio"
    )
    with suppress(KeyboardInterrupt):  # uvicorn has shut down by then, and raises the signal again
        Server(config, address(settings, listener), hold, own_url).run(sockets=[listener])


if __name__ == "__main__":
    sys.exit(main())
