"""What one checkpoint can do: read from its configuration, overlaid by its preset."""

from __future__ import annotations

from studio.requests import AspectRatio, Frozen, Resolution


class Capabilities(Frozen):
    """The limits that the rules table reads.

    Attributes:
        checkpoint: the name that people know it by.
        kinds: request kinds that it serves.
        resolutions: tiers that it draws.
        aspect_ratios: shapes that it draws.
        max_prompt_tokens: tokens of one prompt, templates and special tokens included.
    """

    checkpoint: str
    kinds: tuple[str, ...] = ("generate_image",)
    resolutions: tuple[Resolution, ...] = ("256", "480", "720", "768")
    aspect_ratios: tuple[AspectRatio, ...] = ("16:9", "4:3", "1:1", "3:4", "9:16")
    max_prompt_tokens: int = 4096
