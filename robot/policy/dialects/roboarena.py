"""RoboArena's servers (github.com/robo-arena/roboarena, `policy_server.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from robot.letterbox import letterbox
from robot.observation import Observation
from robot.policy.answers import Answer, answer_of
from robot.policy.dialects.dialect import state_fields

MAX_SIDE = 1280
"""Of a view that may be asked for: the cameras' own are 640 x 360 and 320 x 180."""


class RoboarenaDialect:
    """The views that the server's first frame asks for, an `endpoint`, and a session.

    Its exterior cameras are counted from 0, as in RoboArena's own repository (its evaluator counts from 1).

    Args:
        metadata: the server's PolicyServerConfig.
        session: of this client.
    """

    name = "roboarena"

    def __init__(self, metadata: Mapping[Any, Any], session: str) -> None:
        num_exterior = metadata.get("n_external_cameras", 2)
        self._num_exterior = num_exterior if isinstance(num_exterior, int) else 2
        self._needs_wrist = metadata.get("needs_wrist_camera", True) is not False
        self._size = _size(metadata.get("image_resolution"))
        self._session = session

    def question(self, seen: Observation) -> dict[str, Any]:
        """With `endpoint`, without which these servers end in a KeyError."""
        views: dict[str, NDArray[np.uint8]] = {}
        exteriors = (seen.views.exterior_1, seen.views.exterior_2)[: self._num_exterior]
        for index, view in enumerate(exteriors):
            views[f"observation/exterior_image_{index}_left"] = self._sized(view)
        if self._needs_wrist:
            views["observation/wrist_image_left"] = self._sized(seen.views.wrist)
        return {**state_fields(seen), **views, "endpoint": "infer", "session_id": f"{self._session}-{seen.epoch}"}

    def reset(self, epoch: int) -> dict[str, Any]:
        """Answered by the text "reset successful"."""
        return {"endpoint": "reset", "session_id": f"{self._session}-{epoch}"}

    def answer(self, message: Any) -> Answer:
        """`actions`, or a bare array."""
        return answer_of(message, "actions", "action")

    def _sized(self, view: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return view if self._size is None else letterbox(view, self._size[1], self._size[0])


def _size(value: object) -> tuple[int, int] | None:
    """(height, width) where the server names one."""
    if not isinstance(value, list | tuple):
        return None
    sides = [side for side in cast("list[object]", value) if isinstance(side, int) and 0 < side <= MAX_SIDE]
    return (sides[0], sides[1]) if len(sides) == 2 else None
