"""What the worker looks at with a model of depth or objects, for whoever waits: a frame a turn."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, stream_clip
from backend.media.alignment import aligned
from backend.media.frame_array import MAX_IN_MEMORY_BYTES
from backend.messages import CompareViews, PaintControl, PaintFrame, Perceive, Perceived, PerceptionFailed, Seen
from backend.worker.server_pipe import ServerPipe
from engine import Engine
from engine.device import typed_out_of_memory
from engine.perception import DepthModel, Following, MaskOverlaps, ObjectModel, Painter, painter_of, si_rmse
from studio.errors import StudioError
from studio.jobs import Failure
from studio.perception import perception_folder
from studio.requests.transfer_video import PerceivedHint
from studio.rules import canvas


def pulled_painter(hint: PerceivedHint, engine: Engine) -> Painter:
    """Who paints a control, on the engine's device. Raises CheckpointNotFound: not pulled; BrokenCheckpoint."""
    return painter_of(hint, perception_folder(hint), engine.model.device)


Work = Generator[None, None, Seen]
"""Comes back after every frame."""


@dataclass(eq=False)
class OpenPerception:
    """Something that is looked at; `work` has begun once there is some."""

    asked: Perceive
    work: Work | None = None


class Perceiving:
    """What is looked at, the oldest first. A model is loaded for each, and let go of with it."""

    def __init__(self, pipe: ServerPipe, store: MediaStore) -> None:
        self._pipe = pipe
        self._store = store
        self._open: dict[str, OpenPerception] = {}

    def ask(self, asked: Perceive) -> None:
        """Take it."""
        self._open[asked.perception_id] = OpenPerception(asked)

    def stop(self, perception_id: str) -> None:
        """Drop it, wherever it stands."""
        self._open.pop(perception_id, None)

    @property
    def turn(self) -> OpenPerception | None:
        """Whose turn it is."""
        return next(iter(self._open.values()), None)

    def advance(self, engine: Engine, looked: OpenPerception) -> None:
        """Look at its next frame; after the last one, report.

        Raises:
            CheckpointNotFound: the model was not pulled.
            BrokenCheckpoint, OutOfMemory: it cannot be loaded, or does not fit.
            BadInput, MediaNotFound, DiskFull, StorageError: a file cannot be read or written.
        """
        with typed_out_of_memory(engine.model.device):
            looked.work = looked.work or self._work(looked.asked, engine)
            try:
                next(looked.work)
            except StopIteration as end:
                self.stop(looked.asked.perception_id)
                self._pipe.report(Perceived(looked.asked.perception_id, end.value))

    def fail(self, looked: OpenPerception, error: StudioError) -> None:
        """End it for a reason, unless nobody waits any more."""
        if self._open.pop(looked.asked.perception_id, None):
            self._pipe.report(PerceptionFailed(looked.asked.perception_id, Failure.of(error)))

    def _work(self, asked: Perceive, engine: Engine) -> Work:
        match asked.work:
            case PaintFrame(hint, pixels):
                return _paint_frame(pulled_painter(hint, engine), pixels)
            case PaintControl():
                return self._paint_control(pulled_painter(asked.work.hint, engine), asked.work)
            case CompareViews("depth"):
                return _compare_depth(DepthModel.load(perception_folder("depth"), engine.model.device), asked.work)
            case CompareViews():
                return _compare_objects(ObjectModel.load(perception_folder("seg"), engine.model.device), asked.work)

    def _paint_control(self, painter: Painter, asked: PaintControl) -> Work:
        width, height = canvas(asked.origin.resolution, asked.origin.aspect_ratio)
        shape = (asked.num_frames, height, width, 3)
        room = self._store.frame_array(shape, on_disk=math.prod(shape) > MAX_IN_MEMORY_BYTES)
        frames = stream_clip(asked.source, width=width, height=height, fps=asked.fps, num_frames=asked.num_frames)
        for place, frame in zip(room, frames, strict=True):
            painter.paint(place, frame)
            yield
        painter.finish(room)
        return self._store.put_control(room, fps=asked.fps, origin=asked.origin)


def _paint_frame(painter: Painter, pixels: NDArray[np.uint8]) -> Work:
    room = np.empty((1, *pixels.shape), np.uint8)
    painter.paint(room[0], pixels)
    yield
    painter.finish(room)
    return room[0]


def _compare_depth(model: DepthModel, asked: CompareViews) -> Work:
    """Mean over the frames, as PAIBench-C has it."""
    errors: list[float] = []
    for frame, wanted in aligned(asked.path, asked.against, asked.max_frames):
        errors.append(si_rmse(model.estimate(frame), model.estimate(wanted)))
        yield
    return {"depth_si_rmse": float(np.mean(errors))}


def _compare_objects(model: ObjectModel, asked: CompareViews) -> Work:
    overlaps: MaskOverlaps | None = None
    followed: list[Following] = []
    for pair in aligned(asked.path, asked.against, asked.max_frames):
        if overlaps is None:
            first = [model.find(frame) for frame in pair]
            followed = [model.follow(masks) for masks in first]
            overlaps = MaskOverlaps(*(len(masks) for masks in first))
        overlaps.add(*(following.next(frame) for following, frame in zip(followed, pair, strict=True)))
        yield
    assert overlaps is not None, "a video has a frame"
    return {"mask_miou": overlaps.likeness.iou, "mask_recall": overlaps.likeness.recall}
