"""Taking a comparison elsewhere: one clip, a web page that works offline, a table."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from backend.comparisons.mosaic import write_mosaic
from backend.comparisons.service import ComparisonService
from backend.comparisons.spreadsheet import csv_of
from backend.library.sheet_desk import SheetDesk
from backend.media import MediaStore
from backend.media.scratch import SUFFIX as PART
from studio.comparisons import Comparison, ExportForm
from studio.errors import MediaNotFound, StorageError

PageOf = Callable[[str, dict[str, Any]], str]
"""The HTML of an offline page: of a title and of a comparison's JSON, whose addresses are relative."""


class Exporting:
    """Exports, each a file that the caller removes.

    Args:
        folder: where they are written.
        page_of: draws the web page.
    """

    def __init__(
        self, comparisons: ComparisonService, store: MediaStore, sheets: SheetDesk, folder: Path, page_of: PageOf
    ) -> None:
        self._comparisons = comparisons
        self._store = store
        self._sheets = sheets
        self._folder = folder
        self._page_of = page_of
        self._one = asyncio.Lock()

    async def export(self, comparison_id: str, form: ExportForm, sound: str | None = None) -> Path:
        """Write a comparison as it is now. One at a time: a mosaic takes a core for as long as its clips last.

        Args:
            sound: the item that is heard in a mosaic; none is the first with sound.

        Raises:
            ComparisonNotFound: there is none.
            BadInput: nothing of it can be seen yet, or it is too large for a mosaic, or the item
                has no sound.
            StorageError: it cannot be written.
        """
        comparison = await self._comparisons.get(comparison_id)
        async with self._one:
            path, is_whole = self._begin(), False
            try:
                match form:
                    case "csv":
                        path.write_text(csv_of(comparison), "utf-8")
                    case "mp4":
                        await asyncio.to_thread(write_mosaic, path, _present(comparison), self._store.file, sound)
                    case "zip":
                        await self._write_zip(path, comparison)
                is_whole = True
            except OSError as error:
                raise StorageError(f"The export cannot be written: {error.strerror or error}.") from None
            finally:
                if not is_whole:
                    path.unlink(missing_ok=True)
        return path

    def _begin(self) -> Path:
        folder = self._folder / "incoming"
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, prefix="export-", suffix=PART)
        os.close(descriptor)
        return Path(name)

    async def _write_zip(self, path: Path, comparison: Comparison) -> None:
        said = comparison.model_dump(mode="json")
        layouts: dict[str, Any] = {}
        actions: dict[str, Any] = {}
        files: dict[str, Path] = {}
        said["thumbnail_url"] = None
        for cell in said["cells"]:
            item = cell["item"]
            if cell["job"] is not None:
                cell["job"]["results"] = []  # their addresses are the server's
            if item is None or item["missing"]:
                continue
            with suppress(MediaNotFound):
                await self._gather(item, cell["actions_url"], files, layouts, actions)
            cell["actions_url"] = None
        said |= {"layouts": layouts, "actions": actions}
        page = self._page_of(comparison.title, said)

        def pack() -> None:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("index.html", page)
                archive.writestr("cells.csv", csv_of(comparison))
                for name, file in files.items():
                    archive.write(file, name)

        await asyncio.to_thread(pack)

    async def _gather(
        self,
        item: dict[str, Any],
        actions_url: str | None,
        files: dict[str, Path],
        layouts: dict[str, Any],
        actions: dict[str, Any],
    ) -> None:
        """Note what is packed of an item, and lead its addresses there."""
        media_id = item["id"]
        file = self._store.file(media_id)
        if file.suffix == ".json" or actions_url:
            shown = file if file.suffix == ".json" else self._store.file(f"{media_id}-actions")
            actions[media_id] = json.loads(await asyncio.to_thread(shown.read_text))
        name = f"media/{file.name}"
        files[name], item["url"] = file, name
        if item["thumbnail_url"]:
            thumbnail = self._store.thumbnail(media_id)
            files[f"media/{thumbnail.name}"], item["thumbnail_url"] = thumbnail, f"media/{thumbnail.name}"
        if item["spritesheet_url"]:
            sheet, layout = await self._sheets.sheet(media_id)
            name = f"media/{media_id}-sheet.webp"
            files[name], item["spritesheet_url"] = sheet, name
            layouts[media_id] = layout.model_dump(mode="json")


def _present(comparison: Comparison) -> Comparison:
    """Without items whose file has gone."""
    cells = tuple(
        cell.model_copy(update={"item": None}) if cell.item is not None and cell.item.missing else cell
        for cell in comparison.cells
    )
    return comparison.model_copy(update={"cells": cells})
