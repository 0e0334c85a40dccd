"""Which frames of a clip are looked at."""

from __future__ import annotations

import numpy as np

from engine.reasoner.sight import Sight
from studio.requests.reason import Reason


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
