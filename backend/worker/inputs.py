"""The media that a request names, as arrays at its frame rate: the engine never opens a file.

Of a transfer these are controls that are given or computed, and what is kept of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media import (
    MediaStore,
    compute_control,
    decode_picture,
    frame_rate,
    read_picture,
    read_timeline,
    stream_clip,
)
from backend.worker.footage import Gather
from engine.perception import Painter
from studio.errors import BadInput, MediaNotFound
from studio.requests import Request, TransferVideo, media_of
from studio.requests.model import FrameSpan
from studio.requests.transfer_video import FilteredHint, PerceivedHint, Strength
from studio.rules import canvas, canvas_of


@contextmanager
def field_named(param: str) -> Generator[None]:
    """Whatever is wrong with a medium inside is said of the field that names it.

    Raises:
        MediaNotFound, BadInput: with this `param`.
    """
    try:
        yield
    except MediaNotFound as error:
        raise MediaNotFound(error.message, param=param, hint=error.hint) from None
    except BadInput as error:
        raise BadInput(error.message, param=param, hint=error.hint) from None


PaintersBy = Callable[[PerceivedHint], Painter]
"""Who paints a control that takes a model. Raises CheckpointNotFound, BrokenCheckpoint, OutOfMemory."""


def read_transfer(
    request: TransferVideo, store: MediaStore, gather: Gather, painters: PaintersBy
) -> dict[str, NDArray[np.uint8]]:
    """Every control by its hint, all of one length, and of "source_video" the frames that are kept.

    The source is decoded once, whatever is computed from it, and its frames are not held.
    Raises as `read_inputs`.
    """
    width, height = canvas(request.resolution, request.aspect_ratio)
    length = _length(request, store)
    rooms = gather.rooms(len(request.controls), (length, height, width, 3))
    inputs: dict[str, NDArray[np.uint8]] = {}
    computed: list[tuple[NDArray[np.uint8], Painter]] = []
    for index, (control, room) in enumerate(zip(request.controls, rooms, strict=True)):
        inputs[control.hint] = room
        if control.video is not None:
            with field_named(f"controls.{index}.video"):
                path = store.file(control.video)
                gather.fill(room, stream_clip(path, width=width, height=height, fps=request.fps, num_frames=length))
        elif control.hint in ("depth", "seg"):
            computed.append((room, painters(control.hint)))
        else:
            assert control.hint in ("edge", "blur"), control.hint
            computed.append((room, _Filter(control.hint, control.strength or "medium")))
    if request.source_video is not None and (computed or request.num_source_frames):
        kept = np.empty((request.num_source_frames, height, width, 3), np.uint8)
        inputs["source_video"] = kept
        num_frames = max(length if computed else 0, len(kept))
        with field_named("source_video"):
            path = store.file(request.source_video)
            frames = stream_clip(path, width=width, height=height, fps=request.fps, num_frames=num_frames)
            _take_from_source(computed, kept, frames, gather)
    return inputs


@dataclass(frozen=True)
class _Filter:
    """A `Painter` of outlines or blur."""

    hint: FilteredHint
    strength: Strength

    def paint(self, place: NDArray[np.uint8], frame: NDArray[np.uint8]) -> None:
        place[:] = compute_control(frame, self.hint, self.strength)

    def finish(self, room: NDArray[np.uint8]) -> None:
        pass


def _take_from_source(
    computed: list[tuple[NDArray[np.uint8], Painter]],
    kept: NDArray[np.uint8],
    frames: Iterator[NDArray[np.uint8]],
    gather: Gather,
) -> None:
    before: NDArray[np.uint8] | None = None
    for index, frame in enumerate(gather.heeding(frames)):
        if index < len(kept):
            kept[index] = frame
        for room, painter in computed:
            if index >= len(room):
                continue
            if frame is before:  # a frame that is shown twice comes as the same array
                room[index] = room[index - 1]
            else:
                painter.paint(room[index], frame)
        before = frame
    for room, painter in computed:
        painter.finish(room)


def _length(request: TransferVideo, store: MediaStore) -> int:
    """Frames of every control: the shortest one's, and at most what is asked for."""
    named = {
        control.video or request.source_video or "": f"controls.{index}.video" if control.video else "source_video"
        for index, control in enumerate(request.controls)
    }
    lengths = [] if request.num_frames is None else [request.num_frames]
    for name, param in named.items():
        with field_named(param):
            lengths.append(read_timeline(store.file(name)).num_frames_at(frame_rate(request.fps)))
    return min(lengths)


Inputs = dict[str, NDArray[np.uint8]]


def read_inputs(request: Request, store: MediaStore, heed: Callable[[], None], painters: PaintersBy) -> Inputs:
    """By field name or, of controls, by hint: uint8 [frames, height, width, 3].

    On the request's canvas; where there are actions in their own size, for the engine fits those itself.

    Args:
        heed: called between frames; what it raises passes through.
        painters: who paints depth and objects.

    Raises:
        MediaNotFound: a file is gone; `param` names the field that it was for.
        BadInput: it cannot be read, or is too short.
        CheckpointNotFound, BrokenCheckpoint, OutOfMemory: as `painters`.
        DiskFull, StorageError: frames are too many for memory, and the disk does not take them either.
    """
    gather = Gather(store, heed)
    if isinstance(request, TransferVideo):  # its controls may be computed, and lie over each other
        return read_transfer(request, store, gather, painters)
    size = canvas_of(request)
    inputs: Inputs = {}
    for named in media_of(request):
        with field_named(named.param):
            if named.type == "image":
                inputs[named.param] = _picture(store.file(named.id), size)[None]
            else:
                inputs[named.param] = _clip(named.id, request.source_frames, size, store, gather)
    return inputs


def _picture(path: Path, size: tuple[int, int] | None) -> NDArray[np.uint8]:
    return read_picture(path, *size) if size else decode_picture(path)[0]


def _clip(
    name: str, span: FrameSpan, size: tuple[int, int] | None, store: MediaStore, gather: Gather
) -> NDArray[np.uint8]:
    """As many frames as there are, where fewer do too; the engine repeats the last one."""
    path, facts = store.file(name), store.facts(name)
    width, height = size or (facts.width, facts.height)
    num_frames = span.most
    if span.fewest < num_frames:
        num_frames = min(num_frames, read_timeline(path).num_frames_at(frame_rate(span.fps)))
    frames = stream_clip(path, width=width, height=height, fps=span.fps, num_frames=num_frames, end=span.end)
    (room,) = gather.rooms(1, (num_frames, height, width, 3))
    return gather.fill(room, frames)
