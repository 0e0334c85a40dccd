"""`python -m backend`: the server as a process, told everything by its environment."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sys
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

import uvicorn

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.edge.browser_policy import BROWSER_HEADERS
from studio.data_folder import DataFolder, Hold
from studio.errors import CannotListen, StorageError, StudioError
from studio.logs import configure_logs
from studio.settings import ServerSettings, read_settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from backend.services import Services

GRACE_S = 3
"""How long open requests may still take when the server is told to stop."""

SWITCH_INTERVAL_S = 0.0005
"""How long a thread that reads the database may keep the interpreter from the event loop, which lets go of it at every
write to a socket; with Python's own 5 ms, fifty answers at once take a quarter second."""


def main() -> int:
    """Serve until told to stop; 2 when it cannot start, with one line that says why."""
    configure_logs()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        settings = read_settings()
        folder = DataFolder(settings.data)
        folder.prepare()
        hold = Hold(folder)
        catalogue = CheckpointCatalogue.open(
            settings.checkpoint, folder, is_told="checkpoint" in settings.model_fields_set
        )
        listener = listen(settings)
        _serve(settings, folder, catalogue, hold, listener)
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
    # The protocol is said: asyncio turns Nagle's algorithm off only where it is, and with it on the body of an answer
    # on a kept connection waits 40 ms for the other side to acknowledge its head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise CannotListen(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror or error}.",
            param="port",
            hint="Set another port with --port, or use --port 0 for any free one.",
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
        # What is there now stays: looking through all of it for garbage stops every thread for a quarter of a second.
        gc.freeze()
        gc.enable()
        if self.started:
            try:
                self._hold.announce(self._own_url)
            except StorageError:
                await self.shutdown(sockets)
                raise
            sys.stdout.write(f"orrery listening on {self._url}\n")
            sys.stdout.flush()


def _serve(
    settings: ServerSettings, folder: DataFolder, catalogue: CheckpointCatalogue, hold: Hold, listener: socket.socket
) -> None:
    gc.disable()  # until all is there, see `Server.startup`
    from backend.serve import build_services  # a second of imports, after all cheap refusals

    services = build_services(settings, folder, catalogue)
    with suppress(KeyboardInterrupt):  # uvicorn has shut down by then, and raises the signal again
        asyncio.run(_live(settings, services, hold, listener))


async def _live(settings: ServerSettings, services: Services, hold: Hold, listener: socket.socket) -> None:
    from backend.edge.paced_http import PacedHttp
    from backend.living import living

    own_url = address(settings, listener, loopback=True)
    async with AsyncExitStack() as alive:
        if (cluster := services.fleet.cluster) is not None:
            await alive.enter_async_context(cluster.living())
        await alive.enter_async_context(living(services))
        # Seconds of imports and drawing, each: the pages' here, the engine's in the worker meanwhile.
        app = await asyncio.to_thread(_make_app, settings, services, own_url, alive)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=GRACE_S,
            http=PacedHttp,
            headers=BROWSER_HEADERS,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=settings.trusted_proxies,
            ws="websockets-sansio",
            ws_per_message_deflate=False,  # it costs the event loop more than a near network costs
        )
        await Server(config, address(settings, listener), hold, own_url).serve(sockets=[listener])


def _make_app(settings: ServerSettings, services: Services, own_url: str, alive: AsyncExitStack) -> FastAPI:
    from backend.application import create_app

    return create_app(settings, services, own_url, alive)


if __name__ == "__main__":
    sys.exit(main())
