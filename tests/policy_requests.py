"""What an arm sends: the request of an openpi client, with fields changed."""

from typing import Any

import numpy as np

HOME = np.array([0.0, -0.63, 0.0, -2.51, 0.0, 1.88, 0.0])


def policy_request(**changes: Any) -> dict[str, Any]:
    """Three views of noise at the policy's sizes; names of `changes` may leave out "observation/"."""
    noise = np.random.default_rng(3)
    request: dict[str, Any] = {
        "observation/wrist_image_left": noise.integers(0, 256, (360, 640, 3), np.uint8),
        "observation/exterior_image_1_left": noise.integers(0, 256, (180, 320, 3), np.uint8),
        "observation/exterior_image_2_left": noise.integers(0, 256, (180, 320, 3), np.uint8),
        "observation/joint_position": HOME,
        "observation/gripper_position": np.zeros(1),
        "prompt": "pick up the red cube",
    }
    for name, value in changes.items():
        long = f"observation/{name}"
        request[long if long in request else name] = value
    return request
