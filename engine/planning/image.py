"""The plan of a picture: one latent frame, denoised under the prompt and, with guidance, under the negative prompt."""

from __future__ import annotations

from engine.planning.plan import BranchPrompt, Plan
from engine.planning.prompt import with_sentence
from engine.planning.segments import VisionSegment
from engine.planning.setting import Setting
from engine.planning.trained_strings import IMAGE_RESOLUTION, IMAGE_SYSTEM_PROMPT, NOT_IMAGE_RESOLUTION
from studio.requests.generate_image import GenerateImage
from studio.rules import canvas


def plan_image(request: GenerateImage, setting: Setting) -> Plan:
    """The plan of one picture; `count` is the caller's, who gives each picture its own seed.

    Raises:
        PromptTooLong: the prompt or the negative prompt has too many tokens.
        NotAllowed: the checkpoint's own schedule is asked for and cannot be sampled.
    """
    assert request.count == 1
    width, height = canvas(request.resolution, request.aspect_ratio)
    vision = VisionSegment(shape=setting.latent_shape(width, height), patch=setting.config.latent_patch_size)

    def prompt(text: str, sentence: str, param: str) -> BranchPrompt:
        if request.use_resolution_template:
            text = with_sentence(text, sentence.format(height=height, width=width))
        return BranchPrompt(text, param)

    return Plan.under(
        (
            prompt(request.prompt, IMAGE_RESOLUTION, "prompt"),
            prompt(request.negative_prompt, NOT_IMAGE_RESOLUTION, "negative_prompt"),
        ),
        [vision],
        setting,
        request.sampling,
        canvas=(width, height),
        system=IMAGE_SYSTEM_PROMPT if request.use_system_prompt else None,
    )
