"""The pictures and clips that a conversation shows, as the frames that are looked at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore, decode_picture, is_picture, read_timeline, stream_frames
from backend.media.frame_array import MAX_IN_MEMORY_BYTES, let_go
from backend.worker.frame_gathering import LET_GO_EVERY
from engine.reasoner import Footage
from studio.errors import BadInput, MediaNotFound
from studio.requests import Reason
from studio.requests.reason import ImagePart, TextPart, VideoPart

MAX_PICTURE_PIXELS = 200 * 10**6
"""Of all pictures of a conversation together: 600 MB."""

ChooseFrames = Callable[[int, float, Reason], tuple[int, ...]]
"""`Engine.choose_frames`: a matter of counting, so that any thread may ask."""


def read_footage(
    request: Reason, files: Mapping[str, Path], store: MediaStore, choose: ChooseFrames, heed: Callable[[], None]
) -> dict[str, Footage]:
    """Everything that a conversation shows, by id; of clips only the frames that are looked at.

    Args:
        request: the conversation.
        files: by id.
        store: where frames go that are too many for memory.
        choose: which frames of a clip.
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
            raise MediaNotFound("The file is gone.", param=param, hint="Show it again.")
        try:
            if isinstance(part, ImagePart):
                shown[name] = _picture(files[name])
                num_pixels += shown[name].frames.size // 3
                if num_pixels > MAX_PICTURE_PIXELS:
                    raise BadInput(
                        f"The pictures have more than {MAX_PICTURE_PIXELS // 10**6} megapixels together.",
                        hint="Scale them down, or show fewer.",
                    )
            else:
                clip = _Clip(files[name], request, choose)
                num_bytes += clip.size_bytes
                room = store.frame_array(clip.shape, on_disk=num_bytes > MAX_IN_MEMORY_BYTES)
                shown[name] = clip.read(room, heed)
        except BadInput as error:
            raise BadInput(error.message, param=param, hint=error.hint) from None
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
        raise BadInput("One file is shown as a picture and as a clip; it is one of them.", param=param)


def _picture(path: Path) -> Footage:
    if not is_picture(path):
        raise BadInput("The file is no still picture; PNG, JPEG or WebP is expected.", hint="Show a clip as video_url.")
    pixels, _ = decode_picture(path)
    return Footage(pixels[None])


class _Clip:
    """A clip whose frames have been chosen and not been read.

    Attributes:
        shape: of its frames, [T, height, width, 3], as the first of them is shown.
    """

    def __init__(self, path: Path, request: Reason, choose: ChooseFrames) -> None:
        if is_picture(path):
            raise BadInput("The file is a still picture; a clip is expected.", hint="Show a picture as image_url.")
        self._path = path
        self._timeline = read_timeline(path)
        ticks = self._timeline.ticks
        self._chosen = choose(len(ticks), float(self._timeline.mean_rate), request)
        self._times_s = tuple(float((ticks[i] - ticks[0]) * self._timeline.time_base) for i in self._chosen)
        first = next(stream_frames(path, self._timeline, self._chosen[:1]))
        self.shape = (len(self._chosen), *first.shape)

    @property
    def size_bytes(self) -> int:
        """Of its frames."""
        return math.prod(self.shape)

    def read(self, room: NDArray[np.uint8], heed: Callable[[], None]) -> Footage:
        """The frames, in this room."""
        frames = stream_frames(self._path, self._timeline, self._chosen)
        for index, (place, frame) in enumerate(zip(room, frames, strict=True)):
            heed()
            place[:] = frame
            if index % LET_GO_EVERY == LET_GO_EVERY - 1:
                let_go(room)
        return Footage(room, self._times_s)
