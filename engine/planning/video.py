"""The plan of a picture, and of a clip: from words, a first picture or frames of another, with sound or without."""

from __future__ import annotations

from engine.planning.plan import BranchPrompt, Plan
from engine.planning.prompt import with_sentence
from engine.planning.segments import Given, Segment, VisionSegment, check_denoised
from engine.planning.setting import Media, Setting, padded
from engine.planning.trained_strings import (
    IMAGE_RESOLUTION,
    IMAGE_SYSTEM_PROMPT,
    NOT_IMAGE_RESOLUTION,
    NOT_VIDEO_DURATION,
    NOT_VIDEO_RESOLUTION,
    VIDEO_DURATION,
    VIDEO_RESOLUTION,
    VIDEO_SYSTEM_PROMPT,
)
from studio.requests.generate_image import GenerateImage
from studio.requests.generate_video import GenerateVideo
from studio.rules import canvas

Size = tuple[int, int]
"""(width, height) in pixels."""


def image_text(text: str, size: Size, *, is_negative: bool = False) -> str:
    """A prompt of an image with the sentence of its size behind it, or a negative prompt with that it is another."""
    sentence = NOT_IMAGE_RESOLUTION if is_negative else IMAGE_RESOLUTION
    return with_sentence(text, sentence.format(height=size[1], width=size[0]))


def video_text(
    text: str,
    size: Size,
    num_frames: int,
    fps: float,
    *,
    is_negative: bool = False,
    has_duration: bool = True,
    has_size: bool = True,
) -> str:
    """The same of a video, with the sentence of its length before that of its size."""
    if has_duration:
        duration = NOT_VIDEO_DURATION if is_negative else VIDEO_DURATION
        text = with_sentence(text, duration.format(duration_s=num_frames / fps, fps=fps))
    if has_size:
        resolution = NOT_VIDEO_RESOLUTION if is_negative else VIDEO_RESOLUTION
        text = with_sentence(text, resolution.format(height=size[1], width=size[0]))
    return text


def plan_image(request: GenerateImage, setting: Setting) -> Plan:
    """The plan of one picture; `count` is the caller's, who gives each picture its own seed.

    Raises:
        PromptTooLong: the prompt or the negative prompt has too many tokens.
        NotAllowed: the checkpoint's own schedule is asked for and cannot be sampled.
    """
    assert request.count == 1
    width, height = canvas(request.resolution, request.aspect_ratio)
    vision = VisionSegment(shape=setting.latent_shape(width, height), patch=setting.config.latent_patch_size)

    def prompt(text: str, param: str, *, is_negative: bool) -> BranchPrompt:
        if request.use_resolution_template:
            text = image_text(text, (width, height), is_negative=is_negative)
        return BranchPrompt(text, param)

    return Plan.under(
        (
            prompt(request.prompt, "prompt", is_negative=False),
            prompt(request.negative_prompt, "negative_prompt", is_negative=True),
        ),
        [vision],
        setting,
        request.sampling,
        canvas=(width, height),
        system=IMAGE_SYSTEM_PROMPT if request.use_system_prompt else None,
    )


def plan_video(request: GenerateVideo, setting: Setting, media: Media) -> Plan:
    """The plan of one clip; `count` is the caller's, who gives each clip its own seed.

    Args:
        media: "start_image" or "source_video" where the request names one.

    Raises:
        PromptTooLong: the prompt or the negative prompt has too many tokens.
        NotAllowed: the checkpoint has no sound, or its own schedule is asked for and cannot be sampled.
        BadInput: every frame is kept and no sound is asked for.
    """
    return video_plan(request, canvas(request.resolution, request.aspect_ratio), setting, media)


def video_plan(request: GenerateVideo, size: Size, setting: Setting, media: Media) -> Plan:
    """The same on a canvas (width, height) of any size."""
    assert request.count == 1
    width, height = size
    vision = VisionSegment(
        shape=setting.latent_shape(width, height, request.num_latent_frames),
        patch=setting.config.latent_patch_size,
        fps=request.fps,
        given=_given(request, size, media),
    )
    segments: tuple[Segment, ...] = (vision,)
    if request.sound:
        segments += (setting.sound_segment(request.num_frames / request.fps),)
    check_denoised(segments, "condition_frames")

    def prompt(text: str, param: str, *, is_negative: bool) -> BranchPrompt:
        text = video_text(
            text,
            size,
            request.num_frames,
            request.fps,
            is_negative=is_negative,
            has_duration=request.use_duration_template,
            has_size=request.use_resolution_template,
        )
        return BranchPrompt(text, param)

    return Plan.under(
        (
            prompt(request.prompt, "prompt", is_negative=False),
            prompt(request.negative_prompt, "negative_prompt", is_negative=True),
        ),
        segments,
        setting,
        request.sampling,
        canvas=size,
        system=VIDEO_SYSTEM_PROMPT if request.use_system_prompt else None,
    )


def _given(request: GenerateVideo, size: Size, media: Media) -> Given | None:
    """The latent frames that are kept. Later frames are not even encoded: the VAE looks back only."""
    if request.start_image is not None:
        frames, kept, needed = media.frames["start_image"], (0,), 1
    elif request.source_video is not None:
        frames, kept = media.frames["source_video"], tuple(sorted(set(request.condition_frames)))
        needed = request.num_condition_frames
        if request.condition_end == "last":
            frames = frames[-needed:]
    else:
        return None
    assert frames.shape[1:] == (size[1], size[0], 3)
    return Given(kept, media.encode(padded(frames, needed))[:, list(kept)])
