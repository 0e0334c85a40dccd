"""Captions for the videos of a data set: asked of a reasoner, or taken from the files' names where a person says so.

A data set that is only read is first laid out again among the uploaded ones: its videos as hard links, or as copies
where it is on another disk. Captions lie beside the videos as a person would put them there, so that a run that was
stopped goes on with what has none.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import structlog

from backend.arena.reasoners import Reasoners
from backend.media.scratch import typed_disk_errors
from backend.tuning.datasets import DatasetFolder, probe, refuse_links_in
from studio.captions import Controls
from studio.captions.caption_files import write_text
from studio.datasets import CAPTION_SUFFIXES, CaptionDataset, Captioning, DatasetInfo, clips_of, has_caption
from studio.errors import BadInput, Conflict, ServerUnreachable, StorageError, StudioError
from studio.prompting import Captioner, VideoUrl
from studio.requests import Adapter

log = structlog.get_logger("orrery.datasets")

AT_ONCE = 4
"""Videos; the worker decodes all answers in one pass."""


class DatasetCaptions:
    """Writes captions, one data set each at a time. Lives on the event loop's thread."""

    def __init__(self, datasets: DatasetFolder, reasoners: Reasoners, default_reasoner: Callable[[], str]) -> None:
        self._datasets = datasets
        self._reasoners = reasoners
        self._default_reasoner = default_reasoner
        self._live: dict[str, asyncio.Task[None]] = {}

    async def start(self, name: str, asked: CaptionDataset) -> DatasetInfo:
        """Begin with the videos that have no caption; the data set to train on, which is another one where this is
        only read.

        Raises:
            DatasetNotFound: there is none of this name.
            BadInput: it holds no bare videos, a link in it leads out of it, or there is no such reasoner.
            Conflict: captions are being written already, or the other one's name is taken.
            DiskFull, StorageError: its videos or captions cannot be written.
        """
        source = await self._datasets.get(name)
        if source.layout != "clips":
            raise BadInput(f"{name} does not consist of videos without a list.", param="name", hint=source.note)
        reasoner = asked.reasoner or self._default_reasoner()
        if asked.by == "reasoner":
            self._reasoners.check(reasoner, "reasoner")
        into = asked.into or (name if source.place == "uploaded" else f"{name}-captioned"[:64])
        self._refuse_live(into)
        if into == name and source.place != "uploaded":
            raise Conflict(f"The data set {name} is only read.", param="into", hint="Use another name.")
        folder = await self._datasets.own(into)
        if into != name:
            await asyncio.to_thread(_lay_out, self._datasets.where(name), folder)
        bare = sorted(clip for clip in clips_of(folder) if not has_caption(clip))
        if asked.by == "names":
            for clip in bare:
                await write_text(clip.with_suffix(".txt"), f"{words_of(clip)}\n")
        elif bare:
            worn = None if asked.adapter is None else Adapter(name=asked.adapter)
            self._refuse_live(into)  # who asked meanwhile was first
            self._told(into, Captioning(total=len(bare)))
            task = asyncio.create_task(self._write(into, bare, reasoner, worn))
            self._live[into] = task
            task.add_done_callback(lambda _: self._live.pop(into, None))
        self._datasets.changed()
        return await self._datasets.get(into)

    async def stop(self, name: str) -> DatasetInfo:
        """Write no more captions; those that are written stay. Raises DatasetNotFound."""
        info = await self._datasets.get(name)
        if task := self._live.get(name):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            info = await self._datasets.get(name)
        return info

    async def close(self) -> None:
        """Write no more of any."""
        for name in tuple(self._live):
            await self.stop(name)

    def _refuse_live(self, name: str) -> None:
        if name in self._live:
            raise Conflict(f"Captions of {name} are being written.", hint="Stop that first.")

    async def _write(self, name: str, clips: list[Path], reasoner: str, adapter: Adapter | None) -> None:
        waiting = iter(clips)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(AT_ONCE, len(clips))):
                    group.create_task(self._work(name, waiting, reasoner, adapter))
        except* (ServerUnreachable, StorageError) as errors:  # nothing more can be asked, or written
            why = errors.exceptions[0]
            log.warning("captioning_failed", dataset=name, reason=str(why))
            self._told(name, self._datasets.captioning[name].model_copy(update={"reason": str(why)}))
        finally:
            self._told(name, self._datasets.captioning[name].model_copy(update={"is_open": False}))

    async def _work(self, name: str, waiting: Iterator[Path], reasoner: str, adapter: Adapter | None) -> None:
        for clip in waiting:
            changes: dict[str, object] = {}
            try:
                await self._caption(clip, reasoner, adapter)
            except (ServerUnreachable, StorageError):
                raise
            except StudioError as error:
                told = self._datasets.captioning[name]
                changes = {"failed": told.failed + 1, "reason": f"{clip.name}: {error}"}
            told = self._datasets.captioning[name]
            self._told(name, told.model_copy(update={"done": told.done + 1, **changes}))

    async def _caption(self, clip: Path, reasoner: str, adapter: Adapter | None) -> None:
        controls = Controls.of_clip(await probe(clip))
        async with self._reasoners.asking(reasoner, {SHOWN: clip}, patient=True, adapter=adapter) as asking:
            [part] = asking.parts
            assert isinstance(part, VideoUrl), "what could be probed is a video"
            made = await Captioner(asking.ask, probe=probe, attach=_as_it_is).caption(part, controls)
        fields = made.caption.model_dump(mode="json", exclude_unset=True)
        await write_text(clip.with_suffix(".json"), json.dumps(fields, indent=2, ensure_ascii=False) + "\n")

    def _told(self, name: str, captioning: Captioning) -> None:
        self._datasets.captioning[name] = captioning
        self._datasets.changed()


SHOWN = f"u{0:016x}"
"""What the one video of a question is called."""


def words_of(clip: Path) -> str:
    """A file's name as a caption: `red-cup_falls 02.mp4` is "red cup falls 02"."""
    return re.sub(r"[\s_.-]+", " ", clip.stem).strip() or clip.stem


async def _as_it_is(path: Path) -> VideoUrl:
    raise AssertionError(f"{path} is shown already")


def _lay_out(source: Path, target: Path) -> None:
    """Videos and captions as hard links, or as copies on another disk. Raises BadInput, DiskFull, StorageError."""
    refuse_links_in(source)
    with typed_disk_errors(target):
        for clip in clips_of(source):
            for path in (clip, *(clip.with_suffix(suffix) for suffix in CAPTION_SUFFIXES)):
                place = target / path.relative_to(source)
                if not path.is_file() or place.exists():
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(path.resolve(), place)
                except OSError:  # another disk, or one without hard links
                    shutil.copyfile(path, place)
