"""SGLang's action endpoint, `/v1/actions/realtime` (sglang 0.5.23, `multimodal_gen/runtime/entrypoints/action`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from robot.faults import PolicyLost
from robot.observation import ROWS_PER_SECOND, Observation
from robot.playing.prefetch import MAX_HORIZON
from robot.policy.answers import Answer, answer_of
from robot.policy.dialects.dialect import state_fields

_DOMAIN = "droid_lerobot"


class SglangDialect:
    """The canvas in an envelope; the rows lie in an envelope too.

    SGLang's Cosmos 3 takes no state: what it answers for DROID are poses of ten values, which no arm here is driven by.
    The dialect is read so that a server of it which answers eight joint values can be used.
    """

    name = "sglang"

    def question(self, seen: Observation) -> dict[str, Any]:
        """With the domain, which it insists on, and the number of rows, which is 16 otherwise."""
        canvas = seen.views.canvas()
        state = state_fields(seen)
        return {
            "input": {"task": seen.prompt, "observation": {**state, "image": canvas}},
            "parameters": {
                "action_mode": "policy",
                "domain_name": _DOMAIN,
                "action_horizon": MAX_HORIZON,
                "fps": ROWS_PER_SECOND,
                "height": canvas.shape[0],
                "width": canvas.shape[1],
            },
        }

    def reset(self, epoch: int) -> None:
        """It keeps nothing between questions."""
        del epoch

    def answer(self, message: Any) -> Answer:
        """``{"data": [{"action": {"values": rows}}]}``, or the raw map with `actions`."""
        if not isinstance(message, Mapping) or "data" not in message:
            return answer_of(message, "actions", "action")
        said = cast("Mapping[Any, Any]", message)
        try:
            values = said["data"][0]["action"]["values"]
        except (KeyError, IndexError, TypeError):
            raise PolicyLost("The policy's answer has no data[0].action.values.") from None
        return answer_of({"values": values, "server_timing": said.get("server_timing")}, "values")
