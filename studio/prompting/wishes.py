"""What a generation request wishes of the upsampler."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from pydantic import ValidationError

from studio.captions import Controls
from studio.captions.checking import MODELS
from studio.prompting.question import UPSAMPLING, MediaPart, ReasonerSampling
from studio.prompting.upsampling import UpsampleMode, Upsampling
from studio.requests import GenerateImage, GenerateVideo, explain

KNOWN = frozenset(name for model in MODELS.values() for name in model.model_fields)
MIN_KNOWN = 3
"""Fields that make a JSON object a caption."""


def wish_of(
    request: GenerateImage | GenerateVideo,
    media: Sequence[MediaPart] = (),
    *,
    sampling: ReasonerSampling = UPSAMPLING,
    attempts: int = 3,
) -> Upsampling:
    """The wish behind a request for an image or a clip.

    Args:
        request: what will be generated; its canvas, length and frame rate become the controls.
        media: the request's first picture or source clip, readable for whoever answers.
        sampling: how the reasoner's tokens are drawn.
        attempts: answers that are asked for, at most.

    Raises:
        BadInput: the media are not those of the request.
    """
    if isinstance(request, GenerateImage):
        mode: UpsampleMode = "text_to_image"
        controls = Controls.of_image(request.resolution, request.aspect_ratio)
    else:
        mode = (
            "image_to_video" if request.start_image else "video_to_video" if request.source_video else "text_to_video"
        )
        controls = Controls.of_video(request.resolution, request.aspect_ratio, request.num_frames, request.fps)
    fields = {"mode": mode, "prompt": request.prompt, "controls": controls, "media": tuple(media)}
    try:
        return Upsampling.model_validate({**fields, "sampling": sampling, "attempts": attempts})
    except ValidationError as error:
        raise explain(error, Upsampling) from None


def is_upsampled(prompt: str) -> bool:
    """Whether a prompt is a structured caption already, which is not upsampled again."""
    if not prompt.lstrip().startswith("{"):
        return False
    try:
        value: Any = json.loads(prompt)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and len(KNOWN & set(cast(dict[str, Any], value))) >= MIN_KNOWN
