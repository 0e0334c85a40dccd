"""What one checkpoint can do: read from its configuration, overlaid by its preset."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from studio.requests import KINDS, AspectRatio, Frozen, Resolution
from studio.requests.actions import MAX_ACTIONS, ActionTier
from studio.requests.embodiments import EmbodimentName
from studio.requests.transfer_video import HINT_ORDER, HintName

Prompting = Literal["caption", "dense_caption", "paragraph"]
"""How prompts are best written: a structured caption (report, B.1), one that leaves no field of an image empty (B.2),
or for clips from an image a paragraph with a negative prompt of its own (B.3)."""


class Capabilities(Frozen):
    """The limits that the rules table reads.

    Attributes:
        checkpoint: the name that people know it by.
        kinds: request kinds that it serves.
        resolutions: tiers of pictures.
        video_resolutions: tiers of clips.
        aspect_ratios: shapes that it draws.
        num_frames: fewest and most frames of a clip.
        fps: lowest and highest frame rate of a clip.
        sound: it makes sound with a clip.
        hints: controls that a transfer may follow.
        embodiments: bodies whose actions it knows.
        action_resolutions: tiers that frames with actions are fitted into.
        max_action_width: values of one action at most.
        num_actions: fewest and most actions of a horizon.
        distilled_steps: the only number of denoising steps of a distilled checkpoint, which takes no guidance.
        max_prompt_tokens: tokens of one prompt, templates and special tokens included.
        prompting: how the upsampler writes for it.
    """

    checkpoint: str
    kinds: tuple[str, ...] = Field(default_factory=lambda: tuple(KINDS))
    resolutions: tuple[Resolution, ...] = ("256", "480", "720", "768")
    video_resolutions: tuple[Resolution, ...] = ("256", "480", "720")
    aspect_ratios: tuple[AspectRatio, ...] = ("16:9", "4:3", "1:1", "3:4", "9:16")
    num_frames: tuple[int, int] = (5, 397)
    fps: tuple[float, float] = (10, 30)
    sound: bool = True
    hints: tuple[HintName, ...] = HINT_ORDER
    embodiments: tuple[EmbodimentName, ...] = get_args(EmbodimentName)
    action_resolutions: tuple[ActionTier, ...] = get_args(ActionTier)
    max_action_width: int = 1024
    num_actions: tuple[int, int] = (4, MAX_ACTIONS)
    distilled_steps: int | None = None
    max_prompt_tokens: int = 4096
    prompting: Prompting = "caption"
