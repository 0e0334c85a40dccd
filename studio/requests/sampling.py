"""How the denoising runs: the part that every generating request has in common."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.requests.model import FormHint, Frozen

MAX_SEED = 2**53 - 1
"""The largest integer that a JSON reader in a browser holds exactly."""


def draw_seed() -> int:
    """A fresh seed, short enough to be read aloud."""
    return secrets.randbelow(2**32)


Steps = Annotated[
    int,
    Field(ge=1, le=200, title="Denoising steps", description="more is slower and usually cleaner"),
    FormHint(row="denoising"),
]
Guidance = Annotated[
    float,
    Field(ge=0, le=20, title="Guidance scale", description="how strongly to follow the prompt; 1 turns guidance off"),
    FormHint(row="denoising", step=0.5),
]
StepCache = Annotated[
    float | None,
    Field(
        ge=0,
        le=1,
        title="Step cache",
        description="skip near-identical steps; 0.05 is a safe speed-up, empty or 0 is off (exact)",
    ),
    FormHint(fold=True),
]
FlowShift = Annotated[
    float,
    Field(ge=0.1, le=20, title="Flow shift", description="higher values spend more steps on coarse structure"),
    FormHint(fold=True, step=0.1),
]


def check_interval(name: str, interval: tuple[float, float] | None) -> None:
    """Raises ValueError: the two timesteps do not rise, or are not from 0 to 1001."""
    if interval is not None:
        low, high = interval
        if not 0 <= low <= high <= 1001:
            raise ValueError(f"{name} is [{low:g}, {high:g}]; expected [low, high] with 0 <= low <= high <= 1001")


class Sampling(Frozen):
    """Steps, guidance and noise. Defaults are Cosmos3-Nano's for images (50 / 4 / 3); a preset may override them."""

    num_inference_steps: Steps = 50
    guidance_scale: Guidance = 4.0
    seed: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_SEED,
            title="Seed",
            description="the same seed gives the same result",
        ),
    ] = Field(default_factory=draw_seed)
    flow_shift: FlowShift = 3.0
    schedule: Annotated[
        Literal["native", "checkpoint"],
        Field(title="Schedule", description="the framework's sigmas, or those of the checkpoint's scheduler file"),
        FormHint(fold=True),
    ] = "native"
    guidance_interval: Annotated[
        tuple[float, float] | None,
        Field(title="Guidance interval", description="apply guidance only between these two timesteps, inclusive"),
        FormHint(hidden=True),
    ] = None
    step_cache: StepCache = None

    @property
    def num_passes(self) -> int:
        """Passes of a denoising step: one, and one more with guidance."""
        return 1 + (self.guidance_scale != 1)

    @model_validator(mode="after")
    def _interval_rises(self) -> Self:
        check_interval("guidance_interval", self.guidance_interval)
        return self


class VideoSampling(Sampling):
    """The same for videos: 35 steps, guidance 6, shift 10, as in every published latency table."""

    num_inference_steps: Steps = 35
    guidance_scale: Guidance = 6.0
    flow_shift: FlowShift = 10.0
