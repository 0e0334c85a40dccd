"""What OpenAI's, vLLM-Omni's and SGLang's clients are answered, drawn up as the routes draw it up."""

from __future__ import annotations

import json

from backend.dialects.action_metadata import ActionMetadata, to_metadata
from backend.dialects.openai_actions import ActionGeneration, ActionsCall, to_answer
from backend.dialects.openai_chat_answers import (
    AnswerMessage,
    ChatChoice,
    ChatCompletion,
    ChatUsage,
    PromptTokensDetails,
)
from backend.dialects.openai_images import ImageData, ImagesAnswer
from backend.dialects.openai_video_answers import Video, VideoDeleted, VideoList, to_action, to_video
from backend.dialects.video_fields import VideoFields
from backend.examples.works import (
    BASE_URL,
    BEGAN,
    CLIP_DONE,
    CLIP_REQUEST,
    JOB,
    PICTURE_REQUEST,
    POLICY_REQUEST,
    TOOK,
    done,
    queued,
)
from backend.routes.checkpoints import Model, ModelList
from studio.rules import Capabilities

_START_OF_A_PNG, _START_OF_AN_MP4 = "iVBORw0KGgo=", "AAAAIGZ0eXBpc29t"
"""Base64; a whole file would fill pages."""

_ROWS = [[0.01, 0.0, -0.02, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]] * POLICY_REQUEST.num_actions

VIDEO: Video = to_video(CLIP_DONE, BASE_URL)
VIDEO_QUEUED = to_video(queued(CLIP_REQUEST), BASE_URL)
VIDEO_WITH_BYTES = VIDEO.model_copy(update={"b64_json": _START_OF_AN_MP4})
VIDEOS = VideoList(data=[VIDEO], first_id=JOB, last_id=JOB, has_more=False)
DELETED = VideoDeleted(id=JOB)
MODELS = ModelList(data=[Model(id="speck")])
IMAGES = ImagesAnswer(
    id=JOB,
    created=int(BEGAN.timestamp()),
    data=[ImageData(b64_json=_START_OF_A_PNG, seed=7)],
    size=f"{PICTURE_REQUEST.resolution}x{PICTURE_REQUEST.resolution}",
    inference_time_s=TOOK.total_seconds(),
)
COMPLETION = ChatCompletion(
    id="chatcmpl-dca5748b53d4813c06e0c1e9",
    created=int(BEGAN.timestamp()),
    model="speck",
    choices=[ChatChoice(message=AnswerMessage(content="A red cube."), finish_reason="stop")],
    usage=ChatUsage(
        prompt_tokens=85,
        completion_tokens=5,
        total_tokens=90,
        prompt_tokens_details=PromptTokensDetails(cached_tokens=0),
    ),
)


def actions() -> ActionGeneration:
    """What a policy answers."""
    action = to_action(POLICY_REQUEST, json.dumps({"actions": _ROWS}))
    return to_answer(ActionsCall("step-1", VideoFields(), raw=False), done(POLICY_REQUEST), [action])


def metadata() -> ActionMetadata:
    """What a policy of one body would say of itself."""
    return to_metadata(Capabilities(checkpoint="speck", embodiments=(POLICY_REQUEST.embodiment,)), POLICY_REQUEST)
