"""The media that a request names, as arrays at its frame rate: the engine never opens a file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, decode_picture, frame_rate, read_picture, read_timeline, stream_clip
from backend.worker.frame_gathering import Gather
from backend.worker.named_field import field_named
from backend.worker.transfer_inputs import read_transfer
from studio.requests import (
    GenerateImage,
    GenerateVideo,
    PredictActions,
    PredictVideo,
    Request,
    RunPolicy,
    TransferVideo,
)
from studio.rules import canvas

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
    match request:
        case GenerateImage():
            return {}
        case GenerateVideo():
            return _generate_video(request, store, gather)
        case TransferVideo():
            return read_transfer(request, store, gather)
        case PredictVideo() | RunPolicy():
            with field_named("start_image"):
                return {"start_image": decode_picture(store.file(request.start_image))[0][None]}
        case PredictActions():
            return _predict_actions(request, store, gather)


def _generate_video(request: GenerateVideo, store: MediaStore, gather: Gather) -> Inputs:
    """Of a source clip only the frames up to the last one that is kept."""
    width, height = canvas(request.resolution, request.aspect_ratio)
    if request.start_image is not None:
        with field_named("start_image"):
            return {"start_image": read_picture(store.file(request.start_image), width, height)[None]}
    if request.source_video is None:
        return {}
    with field_named("source_video"):
        frames = stream_clip(
            store.file(request.source_video),
            width=width,
            height=height,
            fps=request.fps,
            num_frames=request.num_condition_frames,
            end=request.condition_end,
        )
        (room,) = gather.rooms(1, (request.num_condition_frames, height, width, 3))
        return {"source_video": gather.fill(room, frames)}


def _predict_actions(request: PredictActions, store: MediaStore, gather: Gather) -> Inputs:
    """As many frames as there are; the engine repeats the last one where they are too few."""
    with field_named("source_video"):
        path = store.file(request.source_video)
        facts = store.facts(request.source_video)
        num_frames = min(read_timeline(path).num_frames_at(frame_rate(request.fps)), request.num_actions + 1)
        frames = stream_clip(path, width=facts.width, height=facts.height, fps=request.fps, num_frames=num_frames)
        (room,) = gather.rooms(1, (num_frames, facts.height, facts.width, 3))
        return {"source_video": gather.fill(room, frames)}
