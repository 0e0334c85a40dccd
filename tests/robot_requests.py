"""A question to the scripted policy as a Cosmos client packs it, with the poses."""

from typing import Any

import numpy as np

from robot.objects import OBJECTS_FIELD, ObjectPose, pack_objects
from robot.safety import HOME

RED_CUBE = ObjectPose("red", "cube", np.array([0.5, 0.1, 0.022]), np.array([1.0, 0, 0, 0]), np.full(3, 0.022))


def scripted_request(**changes: Any) -> dict[str, Any]:
    """The whole of it, or with other fields."""
    return {
        "observation/image": np.zeros((540, 640, 3), np.uint8),
        "observation/joint_position": HOME,
        "observation/gripper_position": np.zeros(1),
        OBJECTS_FIELD: pack_objects([RED_CUBE]),
        "prompt": "pick up the red cube",
    } | changes
