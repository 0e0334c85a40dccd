"""The media that a request names, as arrays at its frame rate: the engine never opens a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, decode_picture, frame_rate, read_picture, read_timeline, stream_clip
from backend.worker.frame_gathering import Gather
from backend.worker.named_field import field_named
from backend.worker.transfer_inputs import read_transfer
from studio.requests import Request, TransferVideo, media_of
from studio.requests.model import FrameSpan
from studio.rules import canvas_of

Inputs = dict[str, NDArray[np.uint8]]


def read_inputs(request: Request, store: MediaStore, heed: Callable[[], None]) -> Inputs:
    """By field name or, of controls, by hint: uint8 [frames, height, width, 3].

    On the request's canvas; where there are actions in their own size, for the engine fits those itself.

    Args:
        heed: called between frames; what it raises passes through.

    Raises:
        MediaNotFound: a file is gone; `param` names the field that it was for.
        BadInput: it cannot be read, or is too short.
        DiskFull, StorageError: frames are too many for memory, and the disk does not take them either.
    """
    gather = Gather(store, heed)
    if isinstance(request, TransferVideo):  # its controls may be computed, and lie over each other
        return read_transfer(request, store, gather)
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
