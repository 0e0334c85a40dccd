"""`orrery mcp`: the studio as tools for agents, over standard input and output."""

from __future__ import annotations

import asyncio

from cli.options import DataOption, ServerOption, TokenOption


def mcp(server: ServerOption = None, data: DataOption = None, token: TokenOption = None) -> None:
    """Speak the Model Context Protocol on stdin and stdout, for an agent that starts this command.

    The tools act on the server that was named, else on the one that holds the data folder, else on one that is started
    for as long as the agent is there.
    """
    from cli.target import reached, read_target
    from studio.errors import BadInput

    try:
        from studio.mcp import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise BadInput("The package mcp is not installed.", hint="Install it with pip install mcp.") from None
    target = read_target(server, data, token)

    async def run() -> None:
        async with reached(target, None) as client:
            await make_server(client).run_stdio_async()

    asyncio.run(run())
