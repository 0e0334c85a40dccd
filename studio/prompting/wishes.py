"""What a generation request wishes of the upsampler."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard, cast

from pydantic import ValidationError

from studio.captions import Controls
from studio.captions.checking import MODELS
from studio.prompting.question import UPSAMPLING, MediaPart, ReasonerSampling
from studio.prompting.upsampling import Followed, UpsampleMode, Upsampling
from studio.requests import (
    KINDS,
    GenerateImage,
    GenerateVideo,
    Request,
    TransferVideo,
    explain,
    kind_of,
    made_by,
    media_of,
)
from studio.rules.capabilities import Prompting

KNOWN = frozenset(name for model in MODELS.values() for name in model.model_fields)
MIN_KNOWN = 3
"""Fields that make a JSON object a caption."""

Captioned = GenerateImage | GenerateVideo | TransferVideo
"""Requests whose prompt is best a structured caption, for type checkers; `is_captioned` asks the table."""

_TASK = "your prompt is the task; the short caption that the model was trained on is added when the job runs"


def is_captioned(request: Request) -> TypeGuard[Captioned]:
    """Whether a request's prompt is best a structured caption."""
    return kind_of(request).is_captioned


def uncaptioned(kind: str) -> str:
    """Why requests of a kind have words and no structured caption of a scene; empty where they have one."""
    return "" if kind not in KINDS or KINDS[kind].is_captioned else _TASK


class Shown(NamedTuple):
    """A medium of a request that the upsampler is shown: the field that names it, its id, and what is followed in it
    where the request is a transfer."""

    param: str
    id: str
    followed: Followed | None = None


def shown_media(request: Captioned) -> tuple[Shown, ...]:
    """What the upsampler is shown of a request, in order: what it starts from, or what it follows."""
    if not isinstance(request, TransferVideo):
        return tuple(Shown(named.param, named.id) for named in media_of(request))
    source = () if request.source_video is None else (Shown("source_video", request.source_video, "source"),)
    given = (
        Shown(f"controls.{index}.video", control.video, control.hint)
        for index, control in enumerate(request.controls)
        if control.video is not None
    )
    return (*source, *given)


def wish_of(
    request: Captioned,
    media: Sequence[MediaPart] = (),
    *,
    sampling: ReasonerSampling = UPSAMPLING,
    attempts: int = 3,
    prompting: Prompting = "caption",
) -> Upsampling:
    """The wish behind a request for an image or a clip.

    Args:
        request: what will be generated; its canvas, length and frame rate become the controls. Of a transfer the
            length is said.
        media: what `shown_media` names, readable for whoever answers.
        sampling: how the reasoner's tokens are drawn.
        attempts: answers that are asked for, at most.
        prompting: how the checkpoint wants its prompts.

    Raises:
        BadInput: the media are not those of the request.
    """
    if isinstance(request, GenerateVideo | TransferVideo):
        assert request.num_frames is not None
        controls = Controls.of_video(request.resolution, request.aspect_ratio, request.num_frames, request.fps)
    else:
        controls = Controls.of_image(request.resolution, request.aspect_ratio)
    followed = tuple(shown.followed for shown in shown_media(request) if shown.followed)
    fields = {
        "prompt": request.prompt,
        "controls": controls,
        "media": tuple(media),
        "followed": followed,
        "prompting": prompting,
    }
    try:
        return Upsampling.model_validate(
            {"mode": _mode_of(request), **fields, "sampling": sampling, "attempts": attempts}
        )
    except ValidationError as error:
        raise explain(error, Upsampling) from None


def _mode_of(request: Captioned) -> UpsampleMode:
    if isinstance(request, TransferVideo):
        return "transfer"
    if "image" in made_by(request):
        return "text_to_image"
    shown = {named.type for named in media_of(request)}
    return "image_to_video" if "image" in shown else "video_to_video" if "video" in shown else "text_to_video"


def is_upsampled(prompt: str) -> bool:
    """Whether a prompt is a structured caption already, which is not upsampled again."""
    if not prompt.lstrip().startswith("{"):
        return False
    try:
        value: Any = json.loads(prompt)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and len(KNOWN & set(cast(dict[str, Any], value))) >= MIN_KNOWN
