"""Noise levels that training visits (technical report, 4.2): one draw for each modality of each sequence."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor

MODE_SCALE = 1.29
"""Of mode sampling, as in Stable Diffusion 3 (arXiv 2403.03206, section 3.1), from where the report has it."""

SHIFT = 3.0
"""At 256p since mid-training (report, 4.2.2)."""

Density = Literal["logit_normal", "mode"]
"""Pictures, sound and actions are drawn from the first, clips from the second."""


def draw_sigmas(count: int, density: Density, device: torch.device, shift: float = SHIFT) -> Tensor:
    """Levels [count] float32 in 0..1, 1 is noise, from the global random state."""
    if density == "logit_normal":
        level = torch.randn(count, device=device).sigmoid()
    else:
        u = torch.rand(count, device=device)
        level = (1 - u - MODE_SCALE * ((math.pi / 2 * u).cos().square() - 1 + u)).clamp(0, 1)
    return shift * level / (1 + (shift - 1) * level)
