"""A picture or a clip by its name in the store, with an error that names the field it was in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backend.media import MediaFacts, MediaStore, frame_rate, read_timeline
from studio.errors import BadInput, MediaNotFound


@dataclass(frozen=True)
class NamedClip:
    """A clip of the store.

    Attributes:
        param: the request's field that names it.
        name: in the store.
        size: (width, height) as it is shown.
        fps: the request's frames per second.
        num_frames: at that rate.
        is_still: it holds a single frame, however long that is shown.
    """

    param: str
    name: str
    size: tuple[int, int]
    fps: float
    num_frames: int
    is_still: bool

    def require(self, num_frames: int) -> None:
        """Raises BadInput when it has fewer frames, or has only one to show all the time."""
        if self.is_still and num_frames > 1:
            raise BadInput(
                f"The clip has 1 frame; {num_frames:,} are needed.", param=self.param, hint="Send a clip that moves."
            )
        if self.num_frames < num_frames:
            raise BadInput(
                f"The clip has {self.num_frames:,} frames at {self.fps:g} frames per second; {num_frames:,} are "
                "needed.",
                param=self.param,
                hint=f"Send at least {num_frames / self.fps:.2f} s, or keep fewer frames.",
            )


def find_picture(store: MediaStore, param: str, name: str) -> MediaFacts:
    """What a picture is.

    Raises:
        MediaNotFound: there is nothing of that name.
        BadInput: it is no picture, or can no longer be read.
    """
    return _facts(store, param, name, "image")


def find_clip(store: MediaStore, param: str, name: str, fps: float) -> NamedClip:
    """A clip, and how long it is at a rate; raises as `find_picture`."""
    facts = _facts(store, param, name, "video")
    num_frames = read_timeline(store.file(name)).num_frames_at(frame_rate(fps))
    return NamedClip(param, name, (facts.width, facts.height), fps, num_frames, is_still=facts.num_frames == 1)


def _facts(store: MediaStore, param: str, name: str, wanted: Literal["image", "video"]) -> MediaFacts:
    try:
        facts = store.facts(name)
    except MediaNotFound as error:
        raise MediaNotFound(error.message, param=param, hint="Send it first: POST /v1/media.") from None
    except BadInput as error:
        raise BadInput(error.message, param=param, hint=error.hint) from None
    if facts.type != wanted:
        raise BadInput(f"{param} is {name}, a file of type {facts.type}; {wanted} is expected.", param=param)
    return facts
