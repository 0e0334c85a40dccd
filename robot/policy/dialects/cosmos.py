"""NVIDIA's server of the DROID policy (github.com/nvidia-cosmos/cosmos-framework, `action_policy_server_robolab.py`),
and ours, which speaks the same and declares what its actions mean."""

from __future__ import annotations

from typing import Any

from robot.objects import OBJECTS_FIELD, pack_objects
from robot.observation import Observation
from robot.policy.answers import Answer, answer_of
from robot.policy.dialects.dialect import state_fields


class CosmosDialect:
    """The three views at the sizes of the policy's canvas, so that nobody resizes them; answers `action`.

    Args:
        needs_objects: whether the server asked for known poses; only our scripted policy does.
    """

    name = "cosmos"

    def __init__(self, *, needs_objects: bool = False) -> None:
        self._needs_objects = needs_objects

    def question(self, seen: Observation) -> dict[str, Any]:
        """The named views rather than the canvas: a server that wants the canvas makes the same from them."""
        objects = {OBJECTS_FIELD: pack_objects(seen.objects)} if self._needs_objects else {}
        return {
            **state_fields(seen),
            "observation/wrist_image_left": seen.views.wrist,
            "observation/exterior_image_1_left": seen.views.exterior_1,
            "observation/exterior_image_2_left": seen.views.exterior_2,
            **objects,
        }

    def reset(self, epoch: int) -> None:
        """It keeps nothing between questions."""
        del epoch

    def answer(self, message: Any) -> Answer:
        """`action`, in the singular; openpi says `actions`."""
        return answer_of(message, "action", "actions")
