"""`/v1/library`: everything that was made or uploaded, found, kept in order, and removed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, cast

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import StreamingResponse

from backend.errors import documented
from backend.routes.media import MediaId
from backend.services import Parts, Services, UsesBackups, UsesCuts, UsesItems
from studio.errors import BadInput, Conflict, DiskFull, MediaNotFound, QuotaExceeded, StorageError, StudioError
from studio.library import (
    MAX_IDS,
    ChangedIds,
    CutVideo,
    DeleteEverything,
    ErasedItems,
    ImportReport,
    ItemChange,
    ItemIds,
    ItemsChange,
    LibraryDetail,
    LibraryItem,
    LibraryPage,
    LibraryQuery,
)
from studio.media import MediaReference
from studio.requests import parse_as
from studio.tuning.lineage import Lineage, lineage_of

router = APIRouter(prefix="/v1/library", tags=["library"])

IDS = {"ids": ["u0123456789abcdef"]}
CUT = {"parts": [{"media": "uc1c1c1c1c1c1c1c1", "first": 0, "last": 11}], "title": "the first second"}
ZIP: dict[str, Any] = {"content": {"application/zip": {}}}


def _either_form(schema: Mapping[str, Any], example: Mapping[str, Any]) -> dict[str, Any]:
    kinds = ("application/json", "application/x-www-form-urlencoded")
    return {"required": True, "content": {kind: {"schema": schema, "example": example} for kind in kinds}}


Ids = Annotated[ItemIds, Body(examples=[IDS])]


@router.get("", responses=documented(BadInput))
async def search(query: Annotated[LibraryQuery, Query()], items: UsesItems) -> LibraryPage:
    """Search the library: one page of items, the library's total size, and the values of filters."""
    return await items.search(query)


@router.get("/export", response_class=StreamingResponse, responses={200: ZIP, **documented(StorageError, DiskFull)})
async def export(backups: UsesBackups) -> StreamingResponse:
    """Download a backup: a zip of database, media, presets and adapters. Unpacked, it is a data folder."""
    return _download(await backups.export(), "orrery-export.zip")


@router.post(
    "/import",
    responses=documented(BadInput, QuotaExceeded, StorageError, DiskFull),
    openapi_extra={"requestBody": {"required": True, "content": {"application/zip": {}}}},
)
async def bring_in(request: Request, backups: UsesBackups) -> ImportReport:
    """Import a backup, sent as the body. Existing items are kept; jobs that were open in the backup are cancelled."""
    return await backups.bring_in(request.stream())


@router.post(
    "/archive",
    response_class=StreamingResponse,
    responses={200: ZIP, **documented(BadInput, MediaNotFound)},
    openapi_extra={"requestBody": _either_form(ItemIds.model_json_schema(), IDS)},
)
async def archive(request: Request, backups: UsesBackups) -> StreamingResponse:
    """Download items with their recipes as a zip; accepts a form with `ids` or JSON."""
    ids = parse_as(ItemIds, await _ids_of(request)).ids
    return _download(await backups.archive(ids), "orrery.zip")


@router.post(
    "/cuts",
    status_code=201,
    responses=documented(BadInput, MediaNotFound, QuotaExceeded, StorageError, DiskFull),
)
async def cut(asked: Annotated[CutVideo, Body(examples=[CUT])], cuts: UsesCuts) -> MediaReference:
    """Trim and join videos: parts of one size and frame rate become a new item of the library."""
    return await cuts.cut(asked)


@router.delete("", responses=documented(BadInput, Conflict, StorageError))
async def erase_everything(
    asked: Annotated[DeleteEverything, Body(examples=[{"confirm": "delete everything"}])], parts: Parts
) -> ErasedItems:
    """Cancel all jobs and permanently delete all results, uploads and requests."""
    await parts.library.refining.close()  # or they would queue more, from the words that go
    try:
        await parts.fleet.queue.cancel_everything()
        erased = await parts.library.backups.erase_everything()
    except StudioError:
        await parts.library.refining.open()
        raise
    parts.library.arena.forget()
    return erased


@router.get("/{media_id}", responses=documented(MediaNotFound))
async def item(media_id: MediaId, parts: Parts) -> LibraryDetail:
    """Get an item, its request, its inputs and the results made from it, and the tuning behind its weights."""
    found = await parts.library.items.item(media_id)
    return found.model_copy(update={"lineage": await asyncio.to_thread(_lineage, parts, found)})


def _lineage(parts: Services, found: LibraryDetail) -> Lineage | None:
    adapter = getattr(found.request, "adapter", None)
    with suppress(StudioError):  # what was used may be gone
        if adapter is not None:
            return lineage_of(parts.fleet.adapters.path(adapter.name))
        checkpoint = parts.fleet.catalogue.named(found.checkpoint) if found.checkpoint else None
        if checkpoint is not None and checkpoint.folder is not None and checkpoint.preset.tuned_from:
            return lineage_of(checkpoint.folder)
    return None


@router.patch("/{media_id}", responses=documented(BadInput, MediaNotFound, StorageError))
async def change(
    media_id: MediaId,
    change: Annotated[ItemChange, Body(examples=[{"starred": True, "tags": ["table"]}])],
    items: UsesItems,
) -> LibraryItem:
    """Star, tag or name an item; omitted fields stay the same."""
    return await items.change(media_id, change)


@router.post("/change", responses=documented(BadInput, StorageError))
async def change_many(
    change: Annotated[ItemsChange, Body(examples=[IDS | {"add_tags": ["table"]}])], items: UsesItems
) -> ChangedIds:
    """Star or tag items; returns those that exist."""
    return ChangedIds(ids=tuple(await items.change_many(change)))


@router.post("/trash", responses=documented(BadInput, StorageError))
async def trash(asked: Ids, items: UsesItems) -> ChangedIds:
    """Move items to the trash. They can still be viewed, used and restored."""
    return ChangedIds(ids=tuple(await items.trash(asked.ids)))


@router.post("/restore", responses=documented(BadInput, StorageError))
async def restore(asked: Ids, items: UsesItems) -> ChangedIds:
    """Restore items from the trash."""
    return ChangedIds(ids=tuple(await items.restore(asked.ids)))


@router.delete("/trash", responses=documented(BadInput, Conflict, StorageError))
async def erase(items: UsesItems, asked: Annotated[dict[str, Any] | None, Body(examples=[IDS])] = None) -> ErasedItems:
    """Permanently delete items in the trash: the given ones, or all."""
    ids = parse_as(ItemIds, asked).ids if asked else None
    return await items.erase(ids)


def _download(chunks: Iterator[bytes], name: str) -> StreamingResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return StreamingResponse(chunks, media_type="application/zip", headers=headers)


async def _ids_of(request: Request) -> dict[str, Any]:
    if request.headers.get("content-type", "").startswith(("application/x-www-form-urlencoded", "multipart/form-data")):
        form = await request.form(max_fields=MAX_IDS, max_files=0)
        return {"ids": [value for value in form.getlist("ids") if isinstance(value, str)]}
    try:
        said = json.loads(await request.body())
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise BadInput("The body is not a JSON object.", hint='Send {"ids": [...]} with content-type application/json.')
    return cast("dict[str, Any]", said)
