"""Which planner serves which kind of request."""

from __future__ import annotations

from engine.planning.action import plan_policy, plan_predict_actions, plan_predict_video
from engine.planning.image import plan_image
from engine.planning.media import Media
from engine.planning.plan import Plan
from engine.planning.setting import Setting
from engine.planning.transfer import plan_transfer
from engine.planning.video import plan_video
from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.requests.predict_actions import PredictActions
from studio.requests.predict_video import PredictVideo
from studio.requests.run_policy import RunPolicy
from studio.requests.transfer_video import TransferVideo

Plannable = GenerateImage | GenerateVideo | PredictVideo | PredictActions | RunPolicy | TransferVideo
"""What the engine takes."""


def plan(request: Plannable, setting: Setting, media: Media) -> Plan:
    """The plan of any request of count 1.

    Raises:
        PromptTooLong: a prompt has too many tokens.
        NotAllowed: the checkpoint cannot do it.
    """
    match request:
        case GenerateImage():
            return plan_image(request, setting)
        case GenerateVideo():
            return plan_video(request, setting, media)
        case PredictVideo():
            return plan_predict_video(request, setting, media)
        case PredictActions():
            return plan_predict_actions(request, setting, media)
        case RunPolicy():
            return plan_policy(request, setting, media)
        case TransferVideo():
            return plan_transfer(request, setting, media)
