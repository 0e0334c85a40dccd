"""What a server can be asked about its library."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import httpx

from studio.client.connection import CONNECT_TIMEOUT_S, Connection
from studio.client.names import item_path, media_path
from studio.errors import BadInput
from studio.library import (
    CONFIRMATION,
    ChangedIds,
    ErasedItems,
    ImportReport,
    ItemChange,
    ItemsChange,
    LibraryDetail,
    LibraryItem,
    LibraryPage,
    LibraryQuery,
    SpritesheetLayout,
    Waveform,
)
from studio.saving import save_whole

LONG_TIMEOUT_S = 3600.0
"""For what goes through every file: an import, or the removal of everything."""

_CHUNK_BYTES = 2**20


class LibraryCalls:
    """The library of one server, as `StudioClient.library`. Everything raises StudioErrors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def search(self, query: LibraryQuery | None = None) -> LibraryPage:
        """One page of what a query finds; of everything without one."""
        said = (query or LibraryQuery()).model_dump(mode="json", exclude_defaults=True)
        return await self._connection.ask("GET", "/v1/library", LibraryPage, params=_query(said))

    async def item(self, media_id: str) -> LibraryDetail:
        """An item with its recipe and its relatives. Raises MediaNotFound."""
        return await self._connection.ask("GET", item_path(media_id), LibraryDetail)

    async def change(self, media_id: str, change: ItemChange) -> LibraryItem:
        """Star, tag or name one item. Raises MediaNotFound."""
        body = change.model_dump(mode="json", exclude_unset=True)
        return await self._connection.ask("PATCH", item_path(media_id), LibraryItem, json=body)

    async def change_many(self, change: ItemsChange) -> tuple[str, ...]:
        """Star or tag items; answers those that are there."""
        body = change.model_dump(mode="json", exclude_unset=True)
        return (await self._connection.ask("POST", "/v1/library/change", ChangedIds, json=body)).ids

    async def trash(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Put items into the trash; answers those that were not in it."""
        return (await self._connection.ask("POST", "/v1/library/trash", ChangedIds, json={"ids": list(ids)})).ids

    async def restore(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Take items out of the trash; answers those that were in it."""
        return (await self._connection.ask("POST", "/v1/library/restore", ChangedIds, json={"ids": list(ids)})).ids

    async def erase(self, ids: Sequence[str] | None = None) -> ErasedItems:
        """Remove items that are in the trash for good; all of them without ids.

        Raises:
            Conflict: a job that has not ended needs one of them.
        """
        body = None if ids is None else {"ids": list(ids)}
        return await self._connection.ask("DELETE", "/v1/library/trash", ErasedItems, json=body, timeout=_patient())

    async def erase_everything(self) -> ErasedItems:
        """Cancel all jobs and remove them, with everything that was made or uploaded, for good."""
        body = {"confirm": CONFIRMATION}
        return await self._connection.ask("DELETE", "/v1/library", ErasedItems, json=body, timeout=_patient())

    async def save_archive(self, ids: Sequence[str], path: Path) -> None:
        """Write a zip of items and their recipes, which is whole or not there."""
        async with self._connection.stream("/v1/library/archive", method="POST", json={"ids": list(ids)}) as response:
            await save_whole(path, response.aiter_bytes())

    async def save_export(self, path: Path) -> None:
        """Write a zip of database, media, presets and adapters, which is whole or not there."""
        async with self._connection.stream("/v1/library/export", silence_s=LONG_TIMEOUT_S) as response:
            await save_whole(path, response.aiter_bytes())

    async def import_export(self, path: Path) -> ImportReport:
        """Bring in an export. What is here already stays as it is.

        Raises:
            BadInput: it cannot be opened, or is no export that is accepted.
            DiskFull, QuotaExceeded: it does not fit.
        """
        try:
            with path.open("rb"):
                size_bytes = path.stat().st_size
            async with aclosing(_chunks(path)) as chunks:
                return await self._connection.ask(
                    "POST",
                    "/v1/library/import",
                    ImportReport,
                    content=chunks,
                    headers={"content-type": "application/zip", "content-length": str(size_bytes)},
                    timeout=_patient(),
                )
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error.strerror}.", param="file") from None

    async def spritesheet(self, media_id: str) -> bytes:
        """Frames of a clip side by side, as WebP. Raises MediaNotFound, BadInput."""
        async with self._connection.stream(f"{media_path(media_id)}/spritesheet") as response:
            return await response.aread()

    async def spritesheet_layout(self, media_id: str) -> SpritesheetLayout:
        """Where the frames of a spritesheet lie. Raises MediaNotFound, BadInput."""
        path = f"{media_path(media_id)}/spritesheet"
        return await self._connection.ask("GET", path, SpritesheetLayout, params={"layout": "json"})

    async def waveform(self, media_id: str) -> Waveform:
        """How loud a clip is over its length. Raises MediaNotFound, BadInput."""
        return await self._connection.ask("GET", f"{media_path(media_id)}/waveform", Waveform)


def _query(said: dict[str, Any]) -> list[tuple[str, str]]:
    """A query's fields as they stand in an address; a list says its name for each value."""
    pairs: list[tuple[str, str]] = []
    for name, value in said.items():
        values = cast(list[object], value) if isinstance(value, list) else [value]
        pairs += [(name, str(each).lower() if isinstance(each, bool) else str(each)) for each in values]
    return pairs


def _patient() -> httpx.Timeout:
    return httpx.Timeout(LONG_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)


async def _chunks(path: Path) -> AsyncGenerator[bytes, None]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
