"""How many tokens a clip takes, what is left for the words about it, and how large its frames may be.

A token is a square of `patch · merge` pixels of a side, 32 for Cosmos 3, and of `frames_per_patch` frames, 2 for Nano
and Super (transformers' `Qwen3VLVideoProcessor`). So 28 frames of 320x320 are 14 · 10 · 10 = 1,400 tokens. The Cosmos
Cookbook's recipe for temporal localisation counts the same way with Qwen2.5-VL's 28 pixels: a budget of 8,192 tokens
is 8,192 · 28² = 6,422,528 pixels, and the side of a square frame √(pixels / frames).
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field

from studio.errors import BadInput
from studio.requests import Frozen
from studio.requests.reason import Reason
from studio.sight import Sight, bounds_of, choose_frames, seen_size

Pixels = Annotated[int | None, Field(ge=1, le=2**28)]


class ClipLook(Frozen):
    """A clip, and how it is looked at.

    Attributes:
        width, height: of the clip.
        duration_s, source_fps: likewise.
        num_frames, fps: that are looked at, one of the two; with neither, the checkpoint's own rate.
        min_pixels, max_pixels: of a frame.
        max_tokens: of the conversation; none is the checkpoint's context.
        answer_tokens: kept free for question and answer when the largest frame is worked out.
    """

    width: Annotated[int, Field(ge=4, le=16_384)] = 512
    height: Annotated[int, Field(ge=4, le=16_384)] = 512
    duration_s: Annotated[float, Field(gt=0, le=36_000)] = 7.0
    source_fps: Annotated[float, Field(ge=0.1, le=240)] = 30.0
    num_frames: Annotated[int | None, Field(ge=1, le=768)] = None
    fps: Annotated[float | None, Field(gt=0, le=60)] = None
    min_pixels: Pixels = None
    max_pixels: Pixels = None
    max_tokens: Annotated[int | None, Field(ge=16, le=2**24)] = None
    answer_tokens: Annotated[int, Field(ge=0, le=65_536)] = 1024


class VisionBudget(Frozen):
    """What a clip takes of a conversation.

    Attributes:
        num_frames: that are looked at.
        width, height: at which each is.
        token_pixels: along a token's side.
        frames_per_token: that a token spans.
        num_tokens: of the clip, without the words that say when its frames are.
        max_tokens: of the conversation.
        num_left: for those words, question and answer; negative where the clip does not fit.
        largest_side: pixels of the largest square frame that keeps `answer_tokens` free; 0 where none does.
    """

    num_frames: int
    width: int
    height: int
    token_pixels: int
    frames_per_token: int
    num_tokens: int
    max_tokens: int
    num_left: int
    largest_side: int


def vision_budget(sight: Sight, context_tokens: int, look: ClipLook) -> VisionBudget:
    """What a clip takes.

    Args:
        context_tokens: of the checkpoint.

    Raises:
        BadInput: frames are counted in two ways, or more pixels are asked for than the checkpoint takes.
    """
    if look.num_frames is not None and look.fps is not None:
        raise BadInput("num_frames and fps are both given; use one of them.", param="fps")
    asked: dict[str, Any] = {"video_fps": look.fps, "num_video_frames": look.num_frames}
    words = [{"role": "user", "content": "?"}]
    num_source = max(round(look.duration_s * look.source_fps), 1)
    request = Reason.model_validate({"messages": words, **asked})
    num_frames = len(choose_frames(num_source, look.source_fps, request, sight))
    # Here pixels are of a frame, in a request of all frames of a clip together.
    pixels = {"min_pixels": look.min_pixels, "max_pixels": look.max_pixels}
    for name, value in pixels.items():
        if value is not None and value * num_frames > sight.video.max_pixels:
            most = sight.video.max_pixels // num_frames
            raise BadInput(
                f"{name} is {value:,} for each of {num_frames} frames; this checkpoint takes at most {most:,} each.",
                param=name,
                hint=f"Use {most} or less, or fewer frames.",
            )
    given = {name: value * num_frames for name, value in pixels.items() if value is not None}
    request = Reason.model_validate({"messages": words, **asked, **given})
    bounds = bounds_of(request, sight, is_clip=True)
    height, width = seen_size(look.height, look.width, sight, bounds, num_frames)
    layers = -(-num_frames // sight.frames_per_patch)
    num_tokens = layers * (height // sight.factor) * (width // sight.factor)
    max_tokens = min(look.max_tokens or context_tokens, context_tokens)
    largest = math.isqrt(sight.video.max_pixels // num_frames)
    free = max(max_tokens - look.answer_tokens, 0)
    return VisionBudget(
        num_frames=num_frames,
        width=width,
        height=height,
        token_pixels=sight.factor,
        frames_per_token=sight.frames_per_patch,
        num_tokens=num_tokens,
        max_tokens=max_tokens,
        num_left=max_tokens - num_tokens,
        largest_side=min(math.isqrt(free // layers) * sight.factor, largest // sight.factor * sight.factor),
    )
