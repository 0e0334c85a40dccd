"""The studio as tools for agents: a handful of them, over `studio.client`, spoken in the Model Context Protocol."""

from studio.mcp.server import make_server

__all__ = ["make_server"]
