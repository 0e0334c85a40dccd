"""vLLM-Omni's robot endpoint, `/v1/realtime/robot/openpi` (vllm-omni 0.30, `entrypoints/openpi/connection.py`)."""

from __future__ import annotations

from typing import Any

from robot.observation import Observation
from robot.policy.answers import Answer, answer_of
from robot.policy.dialects.cosmos import CosmosDialect


class VllmOmniDialect:
    """NVIDIA's question with a session; the answer is a bare array, or a map of arrays.

    Args:
        session: of this client.
    """

    name = "vllm_omni"

    def __init__(self, session: str) -> None:
        self._session = session
        self._question = CosmosDialect().question

    def question(self, seen: Observation) -> dict[str, Any]:
        """The first question of a session resets the policy's state: every epoch has one of its own."""
        return {**self._question(seen), "endpoint": "infer", "session_id": f"{self._session}-{seen.epoch}"}

    def reset(self, epoch: int) -> None:
        """A new session is one."""
        del epoch

    def answer(self, message: Any) -> Answer:
        """A bare array; a map where a policy names its parts."""
        return answer_of(message, "actions", "action")
