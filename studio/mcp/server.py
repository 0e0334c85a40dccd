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
from studio.mcp.arena import ArenaTools
from studio.mcp.tools import StudioTools

P = ParamSpec("P")
T = TypeVar("T")

INSTRUCTIONS = (
    "Orrery generates images, videos and sound with Cosmos 3 world models and answers questions about the physical "
    "world. "
    "Work runs as jobs: a tool that generates something returns a job. If it has not ended, call get_job with wait_s. "
    "Results have media ids, which other tools accept. Call look to see one. "
    "In the arena, judge results blind: call deal_pair, look, vote."
)

READS = ToolAnnotations(read_only_hint=True)
MAKES = ToolAnnotations(read_only_hint=False, destructive_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)


def make_server(client: StudioClient) -> MCPServer:
    """An MCP server whose tools act on one studio; what the studio refuses is a tool's error, in its words."""
    server = MCPServer("orrery", title="Orrery", instructions=INSTRUCTIONS, version=version("orrery"))
    tools = StudioTools(client)
    for make in tools.makers().values():
        server.tool(annotations=MAKES)(_told(make))
    server.tool(annotations=READS)(_told(tools.ask))
    server.tool(annotations=ADDS)(_told(tools.add_file))
    server.tool(annotations=READS)(_told(tools.search_library))
    server.tool(annotations=MAKES)(_told(tools.compare))
    server.tool(annotations=READS)(_told(tools.get_comparison))
    server.tool(annotations=READS)(_told(tools.get_job))
    server.tool(annotations=ENDS)(_told(tools.cancel_job))
    arena = ArenaTools(client)
    server.tool(annotations=READS)(_told(arena.deal_pair))
    server.tool(annotations=MAKES)(_told(arena.vote))
    server.tool(annotations=ENDS)(_told(arena.take_back_vote))
    server.tool(annotations=READS)(_told(arena.get_standings))

    @server.tool(annotations=READS)
    @_told
    async def look(  # pyright: ignore[reportUnusedFunction]
        media_id: Annotated[str, Field(description="id of an image or video")],
        all_frames: Annotated[
            bool, Field(description="for a video, show up to 24 frames in time order, row by row")
        ] = False,
    ) -> Image:
        """Show an image or a frame of a video, at most 320 pixels wide, or 160 per frame with all_frames."""
        seen = client.library.spritesheet(media_id) if all_frames else client.thumbnail(media_id)
        return Image(data=await seen, format="webp")

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
