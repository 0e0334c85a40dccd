"""What a policy's numbers mean: declared by its server or by a person, and checked before anything moves.

Our own servers declare it in the metadata, their first frame: ``{"action_space": "joint_position", "action_units":
"rad", "gripper_open": 0.0, "gripper_closed": 1.0, "rows_per_second": 15, …}``. RoboArena's and vLLM-Omni's declare the
action space alone; openpi's and NVIDIA's say nothing at all, and what openpi's DROID checkpoints answer are velocities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from robot.faults import PolicyRefused
from robot.observation import ROWS_PER_SECOND

Declared = Literal["undeclared", "joint_position"]
"""What a person says that a silent server's actions are: absolute joint positions in rad and the gripper, 0 open to 1
closed, fifteen rows a second; or nothing."""

_EXPECTED: dict[str, object] = {
    "action_units": "rad",
    "gripper_open": 0.0,
    "gripper_closed": 1.0,
    "rows_per_second": ROWS_PER_SECOND,
}


def check_contract(metadata: Mapping[Any, Any], declared: Declared) -> None:
    """Let pass what may drive an arm.

    Args:
        metadata: the server's first frame.
        declared: what a person said of this server.

    Raises:
        PolicyRefused: its actions mean something else, or nobody says what they mean.
    """
    space = metadata.get("action_space", declared)
    if space == "undeclared":
        raise PolicyRefused(
            "The policy server does not say what its actions mean.",
            param="declare",
            hint="If they are absolute joint positions in rad and the gripper, 0 open to 1 closed, at 15 rows a "
            "second, start the robot with --declare joint_position.",
        )
    if space != "joint_position":
        raise PolicyRefused(
            f"The policy answers {space!r:.80}; this arm needs absolute joint positions (joint_position).",
            param="policy",
        )
    for name, expected in _EXPECTED.items():
        if metadata.get(name, expected) != expected:
            raise PolicyRefused(
                f"The policy's {name} is {metadata[name]!r:.80}; expected {expected!r}.", param="policy"
            )
