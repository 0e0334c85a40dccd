"""The pictures and clips that a conversation shows, as the frames that are looked at.

A clip's frames are put together without filling memory, and while the worker goes on listening to the server.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, decode_picture, is_picture, read_timeline, stream_frames
from backend.media.frame_array import MAX_IN_MEMORY_BYTES, let_go
from engine.reasoner import Footage
from studio.errors import BadInput, MediaNotFound
from studio.requests import Reason
from studio.requests.reason import ImagePart, TextPart, VideoPart

LET_GO_EVERY = 64
"""Frames between two times that what was written to disk is let go of: 180 MB of 1280x720."""


@dataclass(frozen=True)
class Gather:
    """How one request's frames are gathered.

    Attributes:
        store: where frames go that are too many for memory.
        heed: called between frames; what it raises ends the gathering.
        on_disk: the arrays that lie there.
    """

    store: MediaStore
    heed: Callable[[], None]
    on_disk: list[NDArray[np.uint8]] = field(default_factory=list[NDArray[np.uint8]])

    def rooms(self, count: int, shape: tuple[int, ...]) -> list[NDArray[np.uint8]]:
        """Arrays for so many clips of one shape [frames, height, width, 3]. Raises DiskFull, StorageError."""
        on_disk = count * math.prod(shape) > MAX_IN_MEMORY_BYTES
        rooms = [self.store.frame_array(shape, on_disk=on_disk) for _ in range(count)]
        self.on_disk.extend(rooms if on_disk else [])
        return rooms

    def fill(self, room: NDArray[np.uint8], frames: Iterator[NDArray[np.uint8]]) -> NDArray[np.uint8]:
        """The room, with a frame in each place."""
        for place, frame in zip(room, self.heeding(frames), strict=True):
            place[:] = frame
        return room

    def heeding(self, frames: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
        """The same frames."""
        for index, frame in enumerate(frames):
            self.heed()
            yield frame
            if index % LET_GO_EVERY == LET_GO_EVERY - 1:
                for room in self.on_disk:
                    let_go(room)


MAX_PICTURE_PIXELS = 200 * 10**6
"""Of all pictures of a conversation together: 600 MB."""

MAX_CLIP_BYTES = 4 * 10**9
"""Of the frames of all clips of a conversation, as they are looked at; of one clip those are at most 75 MB."""


@dataclass(frozen=True)
class Looking:
    """How a checkpoint looks at clips: matters of counting, so that any thread may ask.

    Attributes:
        choose_frames: `Engine.choose_frames`.
        seen_size: `Chat.seen_size`.
    """

    choose_frames: Callable[[int, float, Reason], tuple[int, ...]]
    seen_size: Callable[[int, int, int, Reason], tuple[int, int]]


def read_footage(
    request: Reason, files: Mapping[str, Path], store: MediaStore, looking: Looking, heed: Callable[[], None]
) -> dict[str, Footage]:
    """Everything that a conversation shows, by id; of clips only the frames that are looked at.

    Args:
        request: the conversation.
        files: by id.
        store: where frames go that are too many for memory.
        looking: which frames of a clip, and how large.
        heed: called between frames; what it raises passes through.

    Raises:
        BadInput: a file is not what it is shown as, or cannot be read; `param` names the part of the message.
        MediaNotFound: a file is gone.
        DiskFull, StorageError: frames are too many for memory, and the disk does not take them either.
    """
    shown: dict[str, Footage] = {}
    num_pixels = num_bytes = 0
    for param, part in _parts(request):
        name = part.image if isinstance(part, ImagePart) else part.video
        if name in shown:
            _refuse_both(part, shown[name], param)
            continue
        if not files[name].is_file():
            raise MediaNotFound("The file was deleted.", param=param, hint="Send it again.")
        try:
            if isinstance(part, ImagePart):
                shown[name] = _picture(files[name])
                num_pixels += shown[name].frames.size // 3
                if num_pixels > MAX_PICTURE_PIXELS:
                    raise BadInput(
                        f"The images have more than {MAX_PICTURE_PIXELS // 10**6} megapixels together.",
                        hint="Scale them down, or send fewer.",
                    )
            else:
                clip = _Clip(files[name], request, looking)
                num_bytes += clip.size_bytes
                if num_bytes > MAX_CLIP_BYTES:
                    raise BadInput(
                        f"The frames of the videos need {num_bytes / 1e9:,.1f} GB together; at most "
                        f"{MAX_CLIP_BYTES / 1e9:.0f} GB are accepted.",
                        hint="Send fewer or shorter videos.",
                    )
                room = store.frame_array(clip.shape, on_disk=num_bytes > MAX_IN_MEMORY_BYTES)
                shown[name] = clip.read(room, heed)
        except BadInput as error:
            own = error.param not in (None, "file")  # the request's bounds, and not the file
            raise BadInput(error.message, param=error.param if own else param, hint=error.hint) from None
        heed()
    return shown


def _parts(request: Reason) -> Iterator[tuple[str, ImagePart | VideoPart]]:
    """What is shown, each with the path of the field that names it."""
    for number, message in enumerate(request.messages):
        for place, part in enumerate(() if isinstance(message.content, str) else message.content):
            if not isinstance(part, TextPart):
                yield f"messages.{number}.content.{place}", part


def _refuse_both(part: ImagePart | VideoPart, footage: Footage, param: str) -> None:
    if isinstance(part, ImagePart) == bool(footage.times_s):
        raise BadInput("One file is sent both as an image and as a video.", param=param)


def _picture(path: Path) -> Footage:
    if not is_picture(path):
        raise BadInput("The file is not an image; expected PNG, JPEG or WebP.", hint="Send a video as video_url.")
    pixels, _ = decode_picture(path)
    return Footage(pixels[None])


class _Clip:
    """A clip whose frames have been chosen and not been read.

    Attributes:
        shape: of its frames, [T, height, width, 3]: as the first of them is shown, or, where that is less, looked at.
    """

    def __init__(self, path: Path, request: Reason, looking: Looking) -> None:
        if is_picture(path):
            raise BadInput("The file is an image; expected a video.", hint="Send an image as image_url.")
        self._path = path
        self._timeline = read_timeline(path)
        ticks = self._timeline.ticks
        self._chosen = looking.choose_frames(len(ticks), float(self._timeline.mean_rate), request)
        self._times_s = tuple(float((ticks[i] - ticks[0]) * self._timeline.time_base) for i in self._chosen)
        first = next(stream_frames(path, self._timeline, self._chosen[:1]))
        height, width = self._size = first.shape[:2]
        seen = looking.seen_size(width, height, len(self._chosen), request)
        self._seen = seen if seen[0] * seen[1] < width * height else None
        columns, rows = self._seen or (width, height)
        self.shape = (len(self._chosen), rows, columns, 3)

    @property
    def size_bytes(self) -> int:
        """Of its frames."""
        return math.prod(self.shape)

    def read(self, room: NDArray[np.uint8], heed: Callable[[], None]) -> Footage:
        """The frames, in this room."""
        frames = stream_frames(self._path, self._timeline, self._chosen, size=self._seen)
        for index, (place, frame) in enumerate(zip(room, frames, strict=True)):
            heed()
            place[:] = frame
            if index % LET_GO_EVERY == LET_GO_EVERY - 1:
                let_go(room)
        height, width = self._size
        return Footage(room, self._times_s, None if self._seen is None else (width, height))
