"""openpi's own servers (github.com/Physical-Intelligence/openpi, `serving/websocket_policy_server.py`)."""

from __future__ import annotations

from typing import Any

from robot.letterbox import letterbox
from robot.observation import Observation
from robot.policy.answers import Answer, answer_of
from robot.policy.dialects.dialect import state_fields

_SIDE = 224


class OpenpiDialect:
    """One exterior view and the wrist's, 224 pixels square; answers `actions`."""

    name = "openpi"

    def question(self, seen: Observation) -> dict[str, Any]:
        """As `examples/droid/main.py` asks."""
        return {
            **state_fields(seen),
            "observation/exterior_image_1_left": letterbox(seen.views.exterior_1, _SIDE, _SIDE),
            "observation/wrist_image_left": letterbox(seen.views.wrist, _SIDE, _SIDE),
        }

    def reset(self, epoch: int) -> None:
        """There is none."""
        del epoch

    def answer(self, message: Any) -> Answer:
        """`actions`; NVIDIA's and ours say `action`."""
        return answer_of(message, "actions", "action")
