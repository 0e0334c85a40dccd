"""The tools as an MCP server, and a way to look at what was made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from importlib.metadata import version
from typing import Annotated, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from studio.client import StudioClient
from studio.errors import StudioError
from studio.mcp.tools import StudioTools

P = ParamSpec("P")
T = TypeVar("T")

INSTRUCTIONS = (
    "Orrery makes pictures, clips and sound with Cosmos 3 world models and answers questions about the physical world. "
    "Work is done by jobs: generate_* answers a job; if it has not ended, ask get_job with wait_s. Results are named "
    "by media ids, which other tools take and look shows."
)

READS = ToolAnnotations(read_only_hint=True)
MAKES = ToolAnnotations(read_only_hint=False, destructive_hint=False)
ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)


def make_server(client: StudioClient) -> MCPServer:
    """An MCP server whose tools act on one studio; what the studio refuses is a tool's error, in its words."""
    server = MCPServer("orrery", title="Orrery", instructions=INSTRUCTIONS, version=version("orrery"))
    tools = StudioTools(client)
    server.tool(annotations=MAKES)(_told(tools.generate_image))
    server.tool(annotations=MAKES)(_told(tools.generate_video))
    server.tool(annotations=READS)(_told(tools.ask))
    server.tool(annotations=READS)(_told(tools.search_library))
    server.tool(annotations=MAKES)(_told(tools.compare))
    server.tool(annotations=READS)(_told(tools.get_comparison))
    server.tool(annotations=READS)(_told(tools.get_job))
    server.tool(annotations=ENDS)(_told(tools.cancel_job))

    @server.tool(annotations=READS)
    @_told
    async def look(media_id: Annotated[str, Field(description="of a picture or clip")]) -> Image:  # pyright: ignore[reportUnusedFunction]
        """Look at a picture, or at a frame of a clip: at most 320 pixels across."""
        return Image(data=await client.thumbnail(media_id), format="webp")

    return server


def _told(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """The tool with a studio's refusal as an error that the agent reads; everything else is a defect."""

    @wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except StudioError as error:
            raise ToolError(str(error)) from None

    return call
