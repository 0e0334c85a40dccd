"""What a server can be asked about comparisons."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlencode

from studio.client.connection import Connection
from studio.client.names import comparison_path
from studio.comparisons import CompareRequest, Comparison, ComparisonList, ExportForm
from studio.saving import save_whole

MEASURE_TIMEOUT_S = 3600.0
"""For measuring, and for a mosaic: a minute of 1280x720 takes a core as long, and a grid has many."""

LOOK_AGAIN_S = 1.0


class ComparisonCalls:
    """The comparisons of one server, as `StudioClient.comparisons`. Everything raises StudioErrors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def submit(self, asked: CompareRequest) -> Comparison:
        """Hand in a comparison. Cells that are refused say so; the error is raised only where all of them are."""
        body = asked.model_dump(mode="json", exclude_defaults=True)
        return await self._connection.ask("POST", "/v1/comparisons", Comparison, json=body)

    async def get(self, comparison_id: str) -> Comparison:
        """A comparison as it is now. Raises ComparisonNotFound."""
        return await self._connection.ask("GET", comparison_path(comparison_id), Comparison)

    async def listing(self) -> ComparisonList:
        """What was compared, the newest first."""
        return await self._connection.ask("GET", "/v1/comparisons", ComparisonList)

    async def wait(self, comparison_id: str) -> Comparison:
        """A comparison once all of its cells have ended. Raises ComparisonNotFound."""
        while not (found := await self.get(comparison_id)).ended:
            await asyncio.sleep(LOOK_AGAIN_S)
        return found

    async def measure(self, comparison_id: str) -> Comparison:
        """The same once everything that is made has been measured. Raises ComparisonNotFound."""
        path = f"{comparison_path(comparison_id)}/likeness"
        return await self._connection.ask("GET", path, Comparison, timeout=MEASURE_TIMEOUT_S)

    async def retry(self, comparison_id: str) -> Comparison:
        """Queue its failed and cancelled cells again. Raises ComparisonNotFound, Conflict."""
        return await self._connection.ask("POST", f"{comparison_path(comparison_id)}/retry", Comparison)

    async def cancel(self, comparison_id: str) -> Comparison:
        """Cancel what has not ended of it. Raises ComparisonNotFound."""
        return await self._connection.ask("POST", f"{comparison_path(comparison_id)}/cancel", Comparison)

    async def save_export(self, comparison_id: str, form: ExportForm, path: Path, sound: str | None = None) -> None:
        """Write it as one clip, a zip with an offline page, or a table: a file that is whole or not there.

        Args:
            sound: the item that the clip sounds like; none is the first that can be heard.
        """
        query = {"form": form} if sound is None else {"form": form, "sound": sound}
        address = f"{comparison_path(comparison_id)}/export?{urlencode(query)}"
        async with self._connection.stream(address, silence_s=MEASURE_TIMEOUT_S) as response:
            await save_whole(path, response.aiter_bytes())
