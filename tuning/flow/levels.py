"""Noise levels as in the technical report (4.2): one for each modality of each sequence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from engine.planning import VisionSegment
from tuning.flow.batch import TokenRun

MODE_SCALE = 1.29
"""Of mode sampling, as in Stable Diffusion 3 (arXiv 2403.03206, section 3.1), from where the report has it."""

SHIFTS = {"256": 3.0, "480": 5.0, "720": 10.0}
"""By resolution, since mid-training (report, 4.2.2)."""

Density = Literal["logit_normal", "mode"]
"""Pictures, sound and actions are drawn from the first, clips from the second."""


@dataclass(frozen=True)
class Levels:
    """How noise levels are drawn, and how much actions count.

    Attributes:
        shift: of pictures, clips and sound.
        action_shift: of sequences with actions, whose frames and actions are drawn at the same level: what policies
            are sampled with (report, table 21).
        action_weight: on the loss of actions (report, 4.2.2).
    """

    shift: float = SHIFTS["256"]
    action_shift: float = 5.0
    action_weight: float = 10.0

    def of_vision(self, runs: Sequence[TokenRun], count: int, device: torch.device) -> Tensor:
        """Levels [count] of frames, and of actions beside them: clips by mode sampling, all else logit-normal."""
        acts = any(run.modality == "action" for run in runs)
        moves = any(isinstance(run.segment, VisionSegment) and run.segment.shape[1] > 1 for run in runs)
        density = "mode" if moves and not acts else "logit_normal"
        return draw_sigmas(count, density, device, self.action_shift if acts else self.shift)

    def of_sound(self, count: int, device: torch.device) -> Tensor:
        """Levels [count] of sound."""
        return draw_sigmas(count, "logit_normal", device, self.shift)


def draw_sigmas(count: int, density: Density, device: torch.device, shift: float = SHIFTS["256"]) -> Tensor:
    """Levels [count] float32 in 0..1, 1 is noise, from the global random state."""
    if density == "logit_normal":
        level = torch.randn(count, device=device).sigmoid()
    else:
        u = torch.rand(count, device=device)
        level = (1 - u - MODE_SCALE * ((math.pi / 2 * u).cos().square() - 1 + u)).clamp(0, 1)
    return shift * level / (1 + (shift - 1) * level)
