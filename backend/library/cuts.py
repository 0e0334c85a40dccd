"""Cutting videos: parts of one or of several, one after the other, as a new item of the library."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaStore, frame_rate, read_sound, read_timeline, write_clip
from backend.media.clip_reader import stream_frames
from backend.media.clip_writer import SOUND_RATE
from backend.media.scratch import scratch
from backend.media.timeline import Timeline
from studio.errors import BadInput
from studio.library import CutPart, CutVideo
from studio.media import MediaReference

MAX_FRAMES = 3600
"""Of the new video: two minutes at 30 frames per second, encoded in about as long."""


@dataclass(frozen=True)
class _Cut:
    """A part that can be read: the frames from `first` to `last`, both kept."""

    path: Path
    timeline: Timeline
    size: tuple[int, int]
    rate: Fraction
    has_sound: bool
    first: int
    last: int

    @property
    def num_frames(self) -> int:
        return self.last - self.first + 1


class CutService:
    """One at a time: encoding takes a core for as long as the video lasts.

    Args:
        folder: on the disk of the store, where a video is written before it is kept.
    """

    def __init__(self, store: MediaStore, uploads: Uploads, folder: Path) -> None:
        self._store = store
        self._uploads = uploads
        self._folder = folder
        self._one = asyncio.Lock()

    async def cut(self, asked: CutVideo) -> MediaReference:
        """The new video, kept like an upload that was made from its first part.

        Raises:
            MediaNotFound: a part's video is not there.
            BadInput: a part is no video, or has not the frames; the parts differ in size or frame rate; there are too
                many frames.
            QuotaExceeded, DiskFull, StorageError: it does not go in.
        """
        async with self._one:
            reference = await DECODERS.beside(lambda: self._write(asked.parts))
        return await self._uploads.record(reference, title=asked.title, source_id=asked.parts[0].media)

    def _write(self, parts: Sequence[CutPart]) -> MediaReference:
        cuts = [self._open(part, f"parts.{index}") for index, part in enumerate(parts)]
        _check_alike(cuts)
        with scratch(self._folder) as (path,):
            write_clip(path, _frames(cuts), fps=cuts[0].rate, sound=_sound(cuts))
            with path.open("rb") as file:
                return self._store.put_upload(file)

    def _open(self, part: CutPart, param: str) -> _Cut:
        path, facts = self._store.file(part.media), self._store.facts(part.media)
        if facts.type != "video" or not facts.width or not facts.height or not facts.fps:
            raise BadInput(f"{part.media} is no video.", param=f"{param}.media", hint="Name a video of the library.")
        timeline = read_timeline(path)
        there = len(timeline.ticks)
        last = there - 1 if part.last is None else part.last
        if not part.first <= last < there:
            raise BadInput(
                f"Frames {part.first} to {last} of a video of {there}; frames 0 to {there - 1} can be kept.",
                param=f"{param}.{'first' if part.first > last else 'last'}",
            )
        return _Cut(
            path, timeline, (facts.width, facts.height), frame_rate(facts.fps), facts.has_sound, part.first, last
        )


def _check_alike(cuts: Sequence[_Cut]) -> None:
    first = cuts[0]
    for index, other in enumerate(cuts):
        if other.size != first.size:
            sizes = [f"{width}×{height}" for width, height in (other.size, first.size)]
            raise BadInput(f"It is {sizes[0]}; the first part is {sizes[1]}.", param=f"parts.{index}.media")
        if abs(float(other.rate) - float(first.rate)) > 0.01:
            raise BadInput(
                f"It has {float(other.rate):g} frames per second; the first part has {float(first.rate):g}.",
                param=f"parts.{index}.media",
            )
    total = sum(cut.num_frames for cut in cuts)
    if total > MAX_FRAMES:
        raise BadInput(f"It would have {total:,} frames; at most {MAX_FRAMES:,} are possible.", param="parts")


def _frames(cuts: Sequence[_Cut]) -> Iterator[NDArray[np.uint8]]:
    for cut in cuts:
        yield from stream_frames(cut.path, cut.timeline, range(cut.first, cut.last + 1), "parts")


def _sound(cuts: Sequence[_Cut]) -> NDArray[np.float32] | None:
    """float32 [2, samples] of all parts, silent where one has no sound; none where all are silent."""
    if not any(cut.has_sound for cut in cuts):
        return None
    pieces: list[NDArray[np.float32]] = []
    for cut in cuts:
        begin, end = (round(frame / cut.rate * SOUND_RATE) for frame in (cut.first, cut.last + 1))
        piece = np.zeros((2, end - begin), np.float32)
        if cut.has_sound:
            heard = read_sound(cut.path, SOUND_RATE, stereo=True)[:, begin:end]
            piece[:, : heard.shape[1]] = heard
        pieces.append(piece)
    return np.concatenate(pieces, axis=1)
