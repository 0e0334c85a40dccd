"""Which planner serves which kind of request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.planning.action import plan_policy, plan_predict_actions, plan_predict_video
from engine.planning.plan import Plan
from engine.planning.setting import Media, Setting
from engine.planning.transfer import plan_transfer
from engine.planning.video import plan_image, plan_video
from studio.requests import (
    GenerateImage,
    GenerateVideo,
    PredictActions,
    PredictVideo,
    RunPolicy,
    TransferVideo,
    kind_of,
)

Plannable = GenerateImage | GenerateVideo | PredictVideo | PredictActions | RunPolicy | TransferVideo
"""What the engine takes."""

PLANNERS: dict[str, Callable[[Any, Setting, Media], Plan]] = {
    "image": lambda request, setting, _: plan_image(request, setting),
    "video": plan_video,
    "transfer": plan_transfer,
    "forward_dynamics": plan_predict_video,
    "inverse_dynamics": plan_predict_actions,
    "policy": plan_policy,
}
"""By the name that `studio.requests.KINDS` gives a kind's planner."""


def plan(request: Plannable, setting: Setting, media: Media) -> Plan:
    """The plan of any request of count 1.

    Raises:
        PromptTooLong: a prompt has too many tokens.
        NotAllowed: the checkpoint cannot do it.
    """
    return PLANNERS[kind_of(request).planner](request, setting, media)
