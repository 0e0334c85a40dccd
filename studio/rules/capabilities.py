"""What one checkpoint can do: read from its configuration, overlaid by its preset."""

from __future__ import annotations

from studio.requests import AspectRatio, Frozen, Resolution


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
        max_prompt_tokens: tokens of one prompt, templates and special tokens included.
    """

    checkpoint: str
    kinds: tuple[str, ...] = ("generate_image", "generate_video")
    resolutions: tuple[Resolution, ...] = ("256", "480", "720", "768")
    video_resolutions: tuple[Resolution, ...] = ("256", "480", "720")
    aspect_ratios: tuple[AspectRatio, ...] = ("16:9", "4:3", "1:1", "3:4", "9:16")
    num_frames: tuple[int, int] = (5, 397)
    fps: tuple[float, float] = (10, 30)
    sound: bool = True
    max_prompt_tokens: int = 4096
