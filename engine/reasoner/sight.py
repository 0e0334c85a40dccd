"""What a conversation shows, and the tokens that stand for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.reasoner.vocabulary import Vocabulary

IMAGE_TOKEN, VIDEO_TOKEN = "<|image_pad|>", "<|video_pad|>"
START_TOKEN, END_TOKEN = "<|vision_start|>", "<|vision_end|>"


@dataclass(frozen=True)
class Placeholders:
    """Ids of the tokens that stand for what is seen."""

    image: int
    video: int


def read_placeholders(vocabulary: Vocabulary) -> Placeholders | None:
    """The placeholders, where the tokenizer has all that pictures and clips need."""
    ids = [vocabulary.id_of(token) for token in (IMAGE_TOKEN, VIDEO_TOKEN, START_TOKEN, END_TOKEN)]
    if ids[0] is None or ids[1] is None or None in ids:
        return None
    return Placeholders(ids[0], ids[1])


@dataclass(frozen=True)
class Footage:
    """A picture, or the frames of a clip that are to be looked at.

    Attributes:
        frames: uint8 [T, height, width, 3]; a picture is one frame.
        times_s: when each frame is seen, in seconds from the clip's start; a picture has none.
        size: (width, height) as it was shown, where the frames have the size already that they are looked at.
    """

    frames: np.ndarray
    times_s: tuple[float, ...] = ()
    size: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        assert self.frames.dtype == np.uint8
        assert self.frames.ndim == 4
        assert self.frames.shape[3] == 3
        assert len(self.times_s) in (0, len(self.frames))
