"""`orrery mcp`: the studio as tools for agents, over standard input and output."""

from __future__ import annotations

import asyncio

from cli.flags import TargetFlags, with_flags
from cli.target import reached
from studio.errors import BadInput


@with_flags
def mcp(target: TargetFlags) -> None:
    """Serve the Model Context Protocol on stdin and stdout, for an agent that starts this command.

    The tools use the server given by --server, else the one that uses the data folder, else one that is started while
    the agent runs.
    """
    try:
        from studio.mcp import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise BadInput("The package mcp is not installed.", hint="Install it with pip install mcp.") from None

    async def run() -> None:
        async with reached(target) as (client, _):
            await make_server(client).run_stdio_async()

    asyncio.run(run())
