"""What was foreseen during an episode: a video beside its own, frame for frame, and how far things diverged.

It is not part of LeRobot's features, so that data sets with and without it are the same to their readers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from robot.foresight.clip import CANVAS_SIZE
from robot.foresight.watcher import Foreseen
from robot.recording.video_writer import VideoWriter

FORESIGHT_FILES = VIDEO_FILE, FIGURES_FILE = "foreseen.mp4", "foresight.json"


class ForesightTrack:
    """Of one episode. Where nothing was foreseen in time the video is black.

    A comparison is done a tick or two after its moment: the video is written as far as it is known.

    Args:
        staging: folder of the episode while it is recorded.
    """

    def __init__(self, staging: Path) -> None:
        self._staging = staging
        self._frame_of_tick: dict[int, int] = {}
        self._video: VideoWriter | None = None
        self._num_written = 0
        self._figures: list[dict[str, Any]] = []

    def add(self, tick: int, foreseen: Foreseen | None) -> None:
        """One recorded tick, and the newest comparison, which may be known already."""
        self._frame_of_tick[tick] = len(self._frame_of_tick)
        if foreseen is None:
            return
        frame = self._frame_of_tick.get(foreseen.moment.tick)
        if frame is None or frame < self._num_written:
            return
        if self._video is None:
            self._video = VideoWriter(self._staging / VIDEO_FILE, CANVAS_SIZE)
        self._pad(self._video, frame)
        self._video.add(foreseen.picture)
        self._num_written += 1
        found = foreseen.divergence
        self._figures.append({"frame": frame, "psnr_db": found.psnr_db, "motion": found.motion})

    def close(self) -> tuple[str, ...]:
        """Write the ends; names of the files in the staging folder, none where nothing was foreseen."""
        if self._video is None:
            return ()
        self._pad(self._video, len(self._frame_of_tick))
        self._video.close()
        (self._staging / FIGURES_FILE).write_text(json.dumps(self._figures))
        return FORESIGHT_FILES

    def discard(self) -> None:
        """Let go of the open file."""
        if self._video is not None:
            self._video.close()

    def _pad(self, video: VideoWriter, num_frames: int) -> None:
        black = np.zeros((CANVAS_SIZE[1], CANVAS_SIZE[0], 3), np.uint8)
        while self._num_written < num_frames:
            video.add(black)
            self._num_written += 1
