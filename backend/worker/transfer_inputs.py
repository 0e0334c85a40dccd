"""The clips of a transfer: controls that are given, controls that are computed, and what is kept of the source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, compute_control, frame_rate, read_timeline, stream_clip
from backend.worker.frame_gathering import Gather
from backend.worker.named_field import field_named
from studio.requests import TransferVideo
from studio.requests.transfer_video import ComputedHint, Strength
from studio.rules import canvas


def read_transfer(request: TransferVideo, store: MediaStore, gather: Gather) -> dict[str, NDArray[np.uint8]]:
    """Every control by its hint, all of one length, and of "source_video" the frames that are kept.

    The source is decoded once, whatever is computed from it, and its frames are not held.
    Raises as `read_inputs`.
    """
    width, height = canvas(request.resolution, request.aspect_ratio)
    length = _length(request, store)
    rooms = gather.rooms(len(request.controls), (length, height, width, 3))
    inputs: dict[str, NDArray[np.uint8]] = {}
    computed: dict[ComputedHint, tuple[NDArray[np.uint8], Strength]] = {}
    for index, (control, room) in enumerate(zip(request.controls, rooms, strict=True)):
        inputs[control.hint] = room
        if control.video is not None:
            with field_named(f"controls.{index}.video"):
                path = store.file(control.video)
                gather.fill(room, stream_clip(path, width=width, height=height, fps=request.fps, num_frames=length))
        else:
            assert control.hint in ("edge", "blur"), control.hint
            computed[control.hint] = room, control.strength or "medium"
    if request.source_video is not None and (computed or request.num_source_frames):
        kept = np.empty((request.num_source_frames, height, width, 3), np.uint8)
        inputs["source_video"] = kept
        num_frames = max(length if computed else 0, len(kept))
        with field_named("source_video"):
            path = store.file(request.source_video)
            frames = stream_clip(path, width=width, height=height, fps=request.fps, num_frames=num_frames)
            _take_from_source(computed, kept, frames, gather)
    return inputs


def _take_from_source(
    computed: dict[ComputedHint, tuple[NDArray[np.uint8], Strength]],
    kept: NDArray[np.uint8],
    frames: Iterator[NDArray[np.uint8]],
    gather: Gather,
) -> None:
    before: NDArray[np.uint8] | None = None
    for index, frame in enumerate(gather.heeding(frames)):
        if index < len(kept):
            kept[index] = frame
        for hint, (room, strength) in computed.items():
            if index < len(room):
                # A frame that is shown twice comes as the same array.
                room[index] = room[index - 1] if frame is before else compute_control(frame, hint, strength)
        before = frame


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
