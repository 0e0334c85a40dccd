"""An episode as a page plots it: few enough numbers for one message, however long it was."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.observation import ROWS_PER_SECOND
from robot.recording.reader import Episode

MAX_POINTS = 1200
"""More than a plot has pixels; some 150 KB of JSON."""


def plotted(episode: Episode) -> dict[str, Any]:
    """What `robot.bridge` calls an episode.

    Of a long one every n-th frame is taken; a joint that was clamped in any of the n counts as clamped.
    """
    num_frames = len(episode.states)
    stride = max(1, -(-num_frames // MAX_POINTS))
    clamped = [
        np.flatnonzero(episode.clamped[first : first + stride].any(axis=0)).tolist()
        for first in range(0, num_frames, stride)
    ]
    return {
        "index": episode.summary.index,
        "task": episode.summary.task,
        "num_frames": num_frames,
        "frames_per_second": ROWS_PER_SECOND,
        "stride": stride,
        "ended": episode.summary.ended,
        "success": episode.summary.success,
        "states": _rounded(episode.states[::stride]),
        "actions": _rounded(episode.actions[::stride]),
        "clamped": clamped,
        "run": episode.notes.get("run"),
        "events": episode.notes.get("events", []),
    }


def _rounded(rows: NDArray[np.float64]) -> list[list[float]]:
    return np.round(rows, 4).tolist()
