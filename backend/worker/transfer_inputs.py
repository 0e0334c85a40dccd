"""The clips of a transfer: controls that are given, controls that are computed, and what is kept of the source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, compute_control, frame_rate, read_timeline, stream_clip
from backend.worker.frame_gathering import Gather
from studio.controls import ComputedHint
from studio.requests import TransferVideo
from studio.requests.transfer_video import Strength
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
            frames = stream_clip(
                store.file(control.video),
                width=width,
                height=height,
                fps=request.fps,
                num_frames=length,
                param=f"controls.{index}.video",
            )
            gather.fill(room, frames)
        else:
            assert control.hint in ("edge", "blur"), control.hint
            computed[control.hint] = room, control.strength or "medium"
    if request.source_video is not None and (computed or request.num_source_frames):
        kept = np.empty((request.num_source_frames, height, width, 3), np.uint8)
        inputs["source_video"] = kept
        frames = stream_clip(
            store.file(request.source_video),
            width=width,
            height=height,
            fps=request.fps,
            num_frames=max(length if computed else 0, len(kept)),
            param="source_video",
        )
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
    names = {control.video or request.source_video or "" for control in request.controls}
    lengths = [read_timeline(store.file(name)).num_frames_at(frame_rate(request.fps)) for name in names]
    return min(lengths if request.num_frames is None else [*lengths, request.num_frames])
