"""Computing controls for somebody who waits: one frame to look at, or a whole clip to watch and use."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.library.uploads import Uploads
from backend.media import ControlOrigin, MediaStore, compute_control, frame_rate, read_timeline, stream_clip
from backend.media.clip_frames import read_frame
from backend.media.pictures import Cover
from backend.messages import PaintControl, PaintFrame, Seen
from studio.errors import BadInput, Conflict
from studio.media import MediaReference
from studio.requests import AspectRatio
from studio.requests.transfer_video import MAX_FRAMES, ComputeControl, ComputedHint, ControlTier, Strength
from studio.rules import canvas

NUM_PREVIEWS, NUM_CLIPS = 2, 1
"""How many are computed at a time; each filter spreads over the cores by itself. The others wait their turn."""

LOOK_EVERY_S = 0.5
"""How often it is looked whether somebody still waits for a clip."""


class _AbandonedError(Exception):
    """Nobody waits for the clip any more."""


See = Callable[[PaintFrame | PaintControl], Awaitable[Seen]]
"""`PerceptionService.see`."""


class ControlService:
    """Controls off the event loop, a few at a time; those that take a model in the worker.

    Args:
        see: who asks the worker.
    """

    def __init__(self, store: MediaStore, uploads: Uploads, see: See) -> None:
        self._see = see
        self._store = store
        self._uploads = uploads
        self._previews = ThreadPoolExecutor(NUM_PREVIEWS, thread_name_prefix="control-preview")
        self._clips = ThreadPoolExecutor(NUM_CLIPS, thread_name_prefix="control-clip")
        self._closed = threading.Event()

    async def preview(
        self,
        media_id: str,
        hint: ComputedHint,
        strength: Strength,
        resolution: ControlTier,
        aspect_ratio: AspectRatio,
        at: float,
    ) -> bytes:
        """One frame of a control as PNG, exactly as the model will see it.

        Not quite of depth, whose greys are this frame's own, and of objects, which are this frame's: in a whole control
        both come from the whole video.

        Args:
            at: 0 is the clip's first frame, 0.5 the middle, 1 the last.

        Raises:
            MediaNotFound: there is no such clip.
            BadInput: it is no clip, or cannot be read.
            StudioError: as `PerceptionService.see`.
        """

        def read() -> NDArray[np.uint8]:
            self._size_of(media_id, "media_id")
            pixels = read_frame(self._store.file(media_id), at)
            return Cover(pixels.shape[1], pixels.shape[0], *canvas(resolution, aspect_ratio))(pixels)

        def write(pixels: NDArray[np.uint8]) -> bytes:
            buffer = io.BytesIO()
            Image.fromarray(pixels).save(buffer, "PNG", compress_level=4)
            return buffer.getvalue()

        loop = asyncio.get_running_loop()
        if hint in ("depth", "seg"):
            pixels = await loop.run_in_executor(self._previews, read)
            seen = await self._see(PaintFrame(hint, pixels))
            assert isinstance(seen, np.ndarray)
            return await loop.run_in_executor(self._previews, write, seen)
        return await loop.run_in_executor(self._previews, lambda: write(compute_control(read(), hint, strength)))

    async def compute(self, asked: ComputeControl, is_gone: Callable[[], Awaitable[bool]]) -> MediaReference:
        """A whole control, kept in the store as if it had been uploaded.

        Args:
            is_gone: whether whoever asked has left; then nothing is kept.

        Raises:
            MediaNotFound, BadInput: see `preview`; so a clip of too many frames.
            DiskFull, StorageError: it could not be kept.
            Conflict: nobody waits any more, or the server stops.
            StudioError: of depth and objects, as `PerceptionService.see`.
        """
        abandoned = threading.Event()
        loop = asyncio.get_running_loop()
        if asked.hint in ("depth", "seg"):
            planned = await loop.run_in_executor(self._clips, self._plan, asked)
            return await self._perceive(asked, PaintControl(asked.hint, *planned), is_gone)
        working = loop.run_in_executor(self._clips, self._compute, asked, abandoned)
        try:
            while not (await asyncio.wait({working}, timeout=LOOK_EVERY_S))[0]:
                if await is_gone():
                    abandoned.set()
            return await self._uploads.record(working.result(), source_id=asked.source_video)
        except _AbandonedError:
            raise _cancelled() from None
        finally:
            abandoned.set()

    async def _perceive(
        self, asked: ComputeControl, work: PaintControl, is_gone: Callable[[], Awaitable[bool]]
    ) -> MediaReference:
        working = asyncio.ensure_future(self._see(work))
        try:
            while not (await asyncio.wait({working}, timeout=LOOK_EVERY_S))[0]:
                if self._closed.is_set() or await is_gone():
                    raise _cancelled()
            control = working.result()
        finally:
            working.cancel()
        assert isinstance(control, MediaReference)
        return await self._uploads.record(control, source_id=asked.source_video)

    def close(self) -> None:
        """Give up what is being computed."""
        self._closed.set()
        for pool in (self._previews, self._clips):
            pool.shutdown(wait=False, cancel_futures=True)

    def _plan(self, asked: ComputeControl) -> tuple[Path, int, float, ControlOrigin]:
        """The source, how many frames at which rate, and what is written into the control."""
        source_size = self._size_of(asked.source_video, "source_video")
        path = self._store.file(asked.source_video)
        num_frames = read_timeline(path).num_frames_at(frame_rate(asked.fps))
        if num_frames > MAX_FRAMES:
            raise BadInput(
                f"The video has {num_frames:,} frames at {asked.fps:g} frames per second; at most {MAX_FRAMES:,} are "
                "taken.",
                param="source_video",
                hint="Trim it to the part that you need.",
            )
        origin = ControlOrigin(
            hint=asked.hint,
            strength=asked.strength,
            source_video=asked.source_video,
            source_size=source_size,
            resolution=asked.resolution,
            aspect_ratio=asked.aspect_ratio,
        )
        return path, num_frames, asked.fps, origin

    def _compute(self, asked: ComputeControl, abandoned: threading.Event) -> MediaReference:
        path, num_frames, _, origin = self._plan(asked)
        hint = asked.hint
        assert hint in ("edge", "blur"), hint
        width, height = canvas(asked.resolution, asked.aspect_ratio)
        frames = stream_clip(
            path, width=width, height=height, fps=asked.fps, num_frames=num_frames, param="source_video"
        )

        def controls() -> Iterator[NDArray[np.uint8]]:
            for frame in frames:
                if abandoned.is_set() or self._closed.is_set():
                    raise _AbandonedError
                yield compute_control(frame, hint, asked.strength)

        return self._store.put_control(controls(), fps=asked.fps, origin=origin)

    def _size_of(self, name: str, param: str) -> tuple[int, int]:
        facts = self._store.facts(name)
        if facts.type != "video":
            raise BadInput(
                f"{param} is {name}, a file of type {facts.type}; controls are computed from a video.", param=param
            )
        return facts.width, facts.height


def _cancelled() -> Conflict:
    return Conflict("Computing the control was cancelled: the client disconnected.", hint="Send the request again.")
