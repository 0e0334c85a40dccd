"""Spritesheets and waveforms of clips for whoever looks at them: made when first asked for, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from backend.media import MediaStore, read_timeline
from backend.media.sound import read_waveform
from backend.media.spritesheet import draw_spritesheet, layout_of
from studio.errors import BadInput, MediaNotFound
from studio.library import SpritesheetLayout, Waveform

T = TypeVar("T")

NUM_THREADS = 2
"""Decoding takes a core each; a page that asks for many at once waits, and others do not."""


class SheetService:
    """What is drawn of a clip beside its thumbnail. A sheet is kept with the clip, and goes with it."""

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(NUM_THREADS, thread_name_prefix="sheets")

    async def layout(self, media_id: str) -> SpritesheetLayout:
        """How a clip's frames lie in its sheet. Raises MediaNotFound, BadInput."""
        return await self._run(lambda: self._layout(media_id))

    async def sheet(self, media_id: str) -> tuple[Path, SpritesheetLayout]:
        """The sheet's file, WebP, and how it is laid out.

        Raises:
            MediaNotFound: there is no such clip.
            BadInput: it is no clip, or cannot be decoded.
            DiskFull, StorageError: the sheet cannot be kept.
        """

        def draw() -> tuple[Path, SpritesheetLayout]:
            layout = self._layout(media_id)
            path = self._store.sheet(media_id)
            if path is None:
                picture = draw_spritesheet(self._store.file(media_id), layout)
                path = self._store.put_sheet(media_id, picture)
            return path, layout

        return await self._run(draw)

    async def waveform(self, media_id: str) -> Waveform:
        """How loud a clip is. Raises MediaNotFound, BadInput."""
        return await self._run(lambda: read_waveform(self._clip(media_id)))

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _run(self, act: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, act)
        except FileNotFoundError:
            raise MediaNotFound("The video's file is missing.", hint="Its file was removed.") from None

    def _layout(self, media_id: str) -> SpritesheetLayout:
        self._clip(media_id)
        facts = self._store.facts(media_id)
        return layout_of(read_timeline(self._store.file(media_id)), facts.width, facts.height)

    def _clip(self, media_id: str) -> Path:
        path = self._store.file(media_id)
        facts = self._store.facts(media_id)
        if facts.type != "video":
            raise BadInput(f"{media_id} is of type {facts.type}; expected a video.", param="media_id")
        return path
