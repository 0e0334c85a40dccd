"""Cameras that are a recording: they show what was seen, at the time of the replay arm."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing

import numpy as np
import structlog
from numpy.typing import NDArray

from robot.clock import Clock
from robot.faults import BrokenEpisode, CameraLost
from robot.observation import ROWS_PER_SECOND, Views
from robot.recording.features import VIDEOS
from robot.recording.reader import Episode, pictures

log = structlog.get_logger("orrery.robot.cameras")

FIRST_PICTURE_S = 5.0


class ReplayCameras:
    """Plays an episode's views at fifteen a second on a thread of its own, and stays at the last ones.

    Raises CameraLost from `views` when the files cannot be read.
    """

    def __init__(self, episode: Episode, clock: Clock) -> None:
        self._episode = episode
        self._clock = clock
        self._newest: tuple[NDArray[np.uint8], ...] | None = None
        self._lost = ""
        self._ended = threading.Event()
        self._has_views = threading.Event()
        self._thread = threading.Thread(target=self._run, name="replay cameras", daemon=True)
        self._thread.start()
        self._has_views.wait(FIRST_PICTURE_S)

    def views(self) -> Views:
        """What was seen at this time."""
        if self._newest is None or self._lost:
            raise CameraLost(self._lost or "The episode's views cannot be read in time.")
        return Views(self._clock.now(), *self._newest)

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        began_s = self._clock.now()
        try:
            with ExitStack() as stack:
                videos: list[Iterator[NDArray[np.uint8]]] = [
                    stack.enter_context(closing(pictures(self._episode.videos[name]))) for name in VIDEOS
                ]
                for number, views in enumerate(zip(*videos, strict=False)):
                    self._newest = views
                    self._has_views.set()
                    self._clock.wait_until(began_s + (number + 1) / ROWS_PER_SECOND, self._ended)
                    if self._ended.is_set():
                        return
        except BrokenEpisode as error:
            log.warning("replay failed", words=str(error))
            self._lost = str(error)
            self._has_views.set()
