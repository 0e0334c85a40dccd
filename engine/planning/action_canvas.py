"""How frames of any size are fitted into a tier's canvas where actions are dealt with: shrunk, never enlarged, padded.

Source: diffusers 0.42, `Cosmos3OmniPipeline._prepare_action_video_conditioning` and `_ACTION_RESOLUTION_BINS`. The
padding is encoded, for the VAE to see what training showed it, and then cut off the latents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor
from torch.nn.functional import interpolate, pad

from studio.requests import AspectRatio
from studio.rules.canvas import CANVASES

SHAPES: tuple[AspectRatio, ...] = ("1:1", "4:3", "3:4", "16:9", "9:16")

CANVASES_704 = ((960, 960), (1088, 832), (832, 1088), (1280, 704), (704, 1280))
"""(width, height) of the tier that only actions have; the others have the canvases of pictures."""


@dataclass(frozen=True)
class Fit:
    """A canvas and what of it is covered, from the upper left corner.

    Attributes:
        canvas: (width, height) that is encoded, and that the caption names.
        content: (width, height) of the shrunk frame.
    """

    canvas: tuple[int, int]
    content: tuple[int, int]

    def __call__(self, pixels: Tensor) -> Tensor:
        """pixels [T, 3, height, width] in -1..1 of the source's size → the canvas's size."""
        width, height = self.content
        if pixels.shape[2:] != (height, width):
            pixels = interpolate(pixels, (height, width), mode="bicubic", align_corners=False, antialias=True)
        right, below = self.canvas[0] - width, self.canvas[1] - height
        if not right and not below:
            return pixels
        mode = "replicate" if right >= width or below >= height else "reflect"
        return pad(pixels, (0, right, 0, below), mode=mode)

    def cells(self, pixels_per_cell: int) -> tuple[int, int]:
        """(columns, rows) of latent cells that are kept: whole ones, and at least one."""
        return max(self.content[0] // pixels_per_cell, 1), max(self.content[1] // pixels_per_cell, 1)


def fit(tier: Literal["256", "480", "704", "720"], width: int, height: int) -> Fit:
    """The tier's canvas whose shape is nearest, and how a frame lies in it.

    480p and 640x540 are Fit((736, 544), (640, 540)).
    """
    canvases = CANVASES_704 if tier == "704" else tuple(CANVASES[tier][shape] for shape in SHAPES)
    canvas = min(canvases, key=lambda size: abs(size[1] / size[0] - height / width))
    scale = min(canvas[0] / width, canvas[1] / height, 1.0)
    return Fit(canvas, (max(1, int(scale * width + 0.5)), max(1, int(scale * height + 0.5))))
