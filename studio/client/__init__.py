"""The HTTP client of a running server: every page, command and script talks to it through this."""

from studio.client.studio_client import StudioClient

__all__ = ["StudioClient"]
