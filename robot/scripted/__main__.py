"""`python -m robot.scripted`: serve the scripted policy until told to end.

Once it listens it writes one line to its output, {"listening": "ws://127.0.0.1:8710/"}, so that a parent that asked for
port 0 learns which one it got.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys

from robot.scripted.server import run_server
from studio.errors import BadInput, StudioError
from studio.settings import is_loopback

DEFAULT_PORT = 8710


def main() -> int:
    """Run the program. 0 when it was told to end, 1 when it could not begin."""
    parser = argparse.ArgumentParser(prog="python -m robot.scripted", description="Serve the scripted policy.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help=f"port; 0 selects a free one (default: {DEFAULT_PORT})"
    )
    parser.add_argument(
        "--token", default=os.environ.get("ORRERY_TOKEN") or None, help="token that every client must send"
    )
    said = parser.parse_args()
    try:
        if not is_loopback(said.host) and said.token is None:
            raise BadInput(
                f"{said.host} is reachable from other machines, but no token is set.",
                hint="Set one with --token or ORRERY_TOKEN, or listen on 127.0.0.1.",
            )
        asyncio.run(_serve(said.host, said.port, said.token))
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


async def _serve(host: str, port: int, token: str | None) -> None:
    ending = asyncio.Event()
    for told in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(told, ending.set)
    async with run_server(host, port, token) as server:
        address, taken = server.sockets[0].getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        sys.stdout.write(json.dumps({"listening": f"ws://{shown}:{taken}/"}) + "\n")
        sys.stdout.flush()
        await ending.wait()


if __name__ == "__main__":
    sys.exit(main())
