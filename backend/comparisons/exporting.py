"""Taking a comparison elsewhere: one clip, a web page that works offline, a table."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from backend.comparisons.drawing import GONE
from backend.comparisons.mosaic import write_mosaic
from backend.comparisons.service import ComparisonService
from backend.library.sheets import SheetService
from backend.media import DECODERS, MediaStore, run_apart
from backend.media.scratch import FULL
from backend.media.scratch import SUFFIX as PART
from studio.comparisons import METRICS, Comparison, ExportForm
from studio.errors import BadInput, DiskFull, MediaNotFound, StorageError

PageOf = Callable[[str, dict[str, Any]], str]
"""The HTML of an offline page: of a title and of a comparison's JSON, whose addresses are relative."""


class Exporting:
    """Exports, each a file that the caller removes.

    Args:
        folder: where they are written.
        page_of: draws the web page.
    """

    def __init__(
        self, comparisons: ComparisonService, store: MediaStore, sheets: SheetService, folder: Path, page_of: PageOf
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
            DiskFull, StorageError: it cannot be written.
        """
        comparison = await self._comparisons.get(comparison_id)
        async with self._one:
            path, is_whole = self._begin(), False
            try:
                match form:
                    case "csv":
                        path.write_text(csv_of(comparison), "utf-8")
                    case "mp4":
                        files = self._store.file
                        await DECODERS.beside(lambda: run_apart(write_mosaic, path, comparison, files, sound))
                    case "zip":
                        await self._write_zip(path, comparison)
                is_whole = True
            except OSError as error:
                kind = DiskFull if error.errno in FULL else StorageError
                raise kind(
                    f"The export cannot be written: {error.strerror or error}.",
                    hint="Free some space, then export again." if kind is DiskFull else "",
                ) from None
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
            item, actions_url = cell["item"], cell["actions_url"]
            # Their addresses are the server's.
            cell["actions_url"] = None
            if cell["job"] is not None:
                cell["job"]["results"] = []
            if item is not None:
                await self._gather(item, actions_url, files, layouts, actions)
        said |= {"layouts": layouts, "actions": actions}
        page = self._page_of(comparison.title, said)

        def pack() -> None:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("index.html", page)
                archive.writestr("cells.csv", csv_of(comparison))
                for name, file in files.items():
                    with suppress(FileNotFoundError):  # it has just gone; the page says so when it comes to it
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
        """Note what is packed of an item, and lead its addresses there; of what is gone the item says so."""
        media_id, is_clip = item["id"], item["spritesheet_url"] is not None
        item |= {"url": "", "thumbnail_url": None, "spritesheet_url": None}
        try:
            file = self._store.file(media_id)
        except MediaNotFound:
            item["missing"] = True
            return
        item["url"] = f"media/{file.name}"
        files[item["url"]] = file
        with suppress(MediaNotFound, FileNotFoundError):
            if file.suffix == ".json" or actions_url:
                shown = file if file.suffix == ".json" else self._store.file(f"{media_id}-actions")
                actions[media_id] = json.loads(await asyncio.to_thread(shown.read_text))
        with suppress(MediaNotFound):
            thumbnail = self._store.thumbnail(media_id)
            item["thumbnail_url"] = f"media/{thumbnail.name}"
            files[item["thumbnail_url"]] = thumbnail
        with suppress(MediaNotFound, FileNotFoundError, BadInput):  # a damaged clip goes along as it is
            if is_clip:
                sheet, layout = await self._sheets.sheet(media_id)
                item["spritesheet_url"] = f"media/{media_id}-sheet.webp"
                files[item["spritesheet_url"]] = sheet
                layouts[media_id] = layout.model_dump(mode="json")


FIRST = ("row", "column", "role")
COST = ("state", "seconds", "memory_gb")
LAST = ("critic", "note", "media_id", "width", "height", "num_frames", "fps", "error", "job_id", "prompt")


def csv_of(comparison: Comparison) -> str:
    """The table: labels, the values of the axes, cost, what was measured, and what was made; RFC 4180."""
    axes = list(dict.fromkeys(path for column in comparison.columns for path in column.values))
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow([*FIRST, *axes, *COST, *METRICS, *LAST])
    for cell in comparison.cells:
        column, item, like = comparison.columns[cell.column], cell.item, cell.likeness
        error = cell.error or (cell.job.error if cell.job else None)
        why = error.message if error else GONE if cell.gone else None
        state = "gone" if cell.gone else cell.job.state if cell.job else "refused" if cell.error else "shown"
        table.writerow(
            _safe(value)
            for value in (
                comparison.rows[cell.row],
                column.label,
                column.role,
                *(_plain(column.values.get(path)) for path in axes),
                state,
                cell.seconds,
                cell.memory_gb,
                *(like.figure(name) if like else None for name in METRICS),
                cell.critic,
                like.note if like else None,
                item.id if item else None,
                *((item.width, item.height, item.num_frames, item.fps) if item else (None,) * 4),
                why,
                cell.job.id if cell.job else None,
                cell.job.request.prompt if cell.job else item.prompt if item else None,
            )
        )
    return text.getvalue()


def _plain(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict | list | tuple) else value


def _safe(value: object) -> object:
    """A spreadsheet takes a text that begins so for a formula; with a quote before it, it is a text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value
