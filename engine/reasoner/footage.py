"""What a conversation shows: pictures and frames of clips, and which frames of a clip are looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.reasoner.sight import Sight
from studio.requests.reason import Reason


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


def choose_frames(num_frames: int, fps: float, request: Reason, sight: Sight) -> tuple[int, ...]:
    """Indexes of frames, evenly from the first to the last (transformers' `Qwen3VLVideoProcessor.sample_frames`).

    Args:
        num_frames: of the clip.
        fps: of the clip.
    """
    assert num_frames > 0
    if request.num_video_frames is not None:
        wanted = min(request.num_video_frames, num_frames)
    else:
        wanted = int(num_frames / fps * (request.video_fps or sight.fps))
        wanted = min(max(wanted, sight.min_frames), sight.max_frames, num_frames)
    return tuple(int(index) for index in np.linspace(0, num_frames - 1, wanted).round())
