"""What a dialect is, and the fields that four of the five share."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from robot.observation import Observation
from robot.policy.answers import Answer


class Dialect(Protocol):
    """Pure functions between an observation and messages."""

    @property
    def name(self) -> str:
        """For the operator."""
        ...

    def question(self, seen: Observation) -> dict[str, Any]:
        """The message that asks for actions."""
        ...

    def reset(self, epoch: int) -> dict[str, Any] | None:
        """The message that tells a stateful policy that a new epoch begins; none where there is no such thing."""
        ...

    def answer(self, message: Any) -> Answer:
        """What a message answers. Raises PolicyLost."""
        ...


def state_fields(seen: Observation) -> dict[str, Any]:
    """The arm and the instruction, as DROID names them."""
    return {
        "observation/joint_position": seen.state.joint_positions,
        "observation/gripper_position": np.array([seen.state.gripper_position]),
        "prompt": seen.prompt,
    }
