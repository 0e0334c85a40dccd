"""What a server can be asked about refinements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.client.connection import Connection
from studio.client.names import refinement_path
from studio.refinements import Branch, Refinement, RefinementList


class RefinementCalls:
    """The refinements of one server, as `StudioClient.refinements`. Everything raises StudioErrors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begin(self, request: Mapping[str, Any]) -> Refinement:
        """Begin one: a `RefineImage`, whose `generate` may leave out what a job may. Raises BadInput."""
        return await self._connection.ask("POST", "/v1/refinements", Refinement, json=dict(request))

    async def newest(self, limit: int = 50) -> RefinementList:
        """The newest ones in short, newest first."""
        return await self._connection.ask("GET", "/v1/refinements", RefinementList, params={"limit": limit})

    async def get(self, name: str) -> Refinement:
        """One of them as it is now. Raises RefinementNotFound."""
        return await self._connection.ask("GET", refinement_path(name), Refinement)

    async def branch(self, name: str, asked: Branch) -> Refinement:
        """Go on from a result in other words. Raises RefinementNotFound, BadInput, Conflict."""
        body = asked.model_dump(mode="json")
        return await self._connection.ask("POST", f"{refinement_path(name)}/branches", Refinement, json=body)

    async def stop(self, name: str) -> Refinement:
        """Begin nothing more, keep what is there. Raises RefinementNotFound, Conflict."""
        return await self._connection.ask("POST", f"{refinement_path(name)}/stop", Refinement)

    async def resume(self, name: str) -> Refinement:
        """Go on at the first thing that is missing. Raises RefinementNotFound, Conflict."""
        return await self._connection.ask("POST", f"{refinement_path(name)}/resume", Refinement)
