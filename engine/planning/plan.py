"""A request, worked out: everything that stays the same while it is denoised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.planning.schedule import Schedule
from engine.planning.segments import Segment, VisionSegment, is_denoised
from engine.planning.setting import Setting
from engine.towers import Average
from engine.weights import ModelConfig
from studio.requests import Sampling
from studio.requests.transfer_video import TransferSampling

Factors = tuple[float, ...]
"""How much of each branch's velocity is taken.

Classifier-free guidance, `v = v_negative + g (v_prompt - v_negative)`, takes g of the prompt and 1 - g of the negative.
Every guidance of Cosmos 3 is such a sum, so a plan carries the sum's factors and nobody after it knows the rule. A
branch whose factor is 0 is not evaluated.
"""

Guidance = tuple[float, tuple[float, float] | None]
"""A scale and the timesteps, both included, between which it holds; none is all of them."""


def guidance(sampling: Sampling, timesteps: Sequence[float]) -> tuple[Factors, ...]:
    """Factors of a request's branches at each step, in the order of `transfer_guidance` or of `prompt_guidance`."""
    text = sampling.guidance_scale, sampling.guidance_interval
    if isinstance(sampling, TransferSampling):
        control = sampling.control_guidance, sampling.control_guidance_interval
        return transfer_guidance(timesteps, text, control)
    return prompt_guidance(timesteps, *text)


def prompt_guidance(
    timesteps: Sequence[float], scale: float, interval: tuple[float, float] | None
) -> tuple[Factors, ...]:
    """Factors of (prompt, negative) at each step.

    Args:
        interval: timesteps, both included, outside which there is no guidance. (960, 1001) over 999, 937, 833, 624
            guides the first step alone.
    """
    return tuple((scale, 1 - scale) if _within(timestep, interval) else (1.0, 0.0) for timestep in timesteps)


def transfer_guidance(timesteps: Sequence[float], text: Guidance, control: Guidance) -> tuple[Factors, ...]:
    """Factors of (prompt with controls, prompt without, negative prompt with controls) at each step.

    Control guidance c leads away from the prompt without controls, text guidance g away from the negative prompt:
    v = v_negative + g (v_without + c (v_with - v_without) - v_negative). Text guidance up to 1 is none (diffusers
    0.42, `Cosmos3TransferLoopDenoiser`).

    Args:
        text: scale and interval; so is `control`.
    """
    factors: list[Factors] = []
    for timestep in timesteps:
        g = max(text[0], 1.0) if _within(timestep, text[1]) else 1.0
        c = control[0] if _within(timestep, control[1]) else 1.0
        factors.append((g * c, g * (1 - c), 1 - g))
    return tuple(factors)


def _within(timestep: float, interval: tuple[float, float] | None) -> bool:
    return interval is None or interval[0] <= timestep <= interval[1]


@dataclass(frozen=True)
class BranchPrompt:
    """What a branch reads, if any step asks for that branch.

    Attributes:
        param: the request's field that it is, for errors.
        controls: whether it sees the controls.
    """

    text: str
    param: str
    controls: bool = True


@dataclass(frozen=True)
class Branch:
    """One evaluation of the model: the same latents under one prompt.

    Attributes:
        tokens: what the reasoner reads.
        segments: indexes of the plan's segments that take part, rising; every denoised one is among them.
        positions: [3, diffusion tokens] float32, of those segments behind one another; they start behind this prompt.
        average: how controls share in it one at a time; none is all tokens seeing one another.
    """

    tokens: tuple[int, ...]
    segments: tuple[int, ...]
    positions: Tensor
    average: Average | None = None

    @property
    def num_tokens(self) -> int:
        """Generator tokens of this evaluation."""
        return self.positions.shape[1]

    @classmethod
    def over(
        cls,
        segments: Sequence[Segment],
        tokens: tuple[int, ...],
        config: ModelConfig,
        *,
        controls: bool = True,
        average: Average | None = None,
    ) -> Branch:
        """The branch of a prompt over all segments, or over all but the controls."""
        seen = tuple(i for i, segment in enumerate(segments) if controls or not segment.is_control)
        positions = torch.cat([segments[i].positions(config, len(tokens)) for i in seen], 1)
        return cls(tokens, seen, positions, average)


@dataclass(frozen=True)
class Continuation:
    """How a long clip goes on after a plan.

    Attributes:
        num_plans: that are still to come.
        num_tail_frames: frames at the end of this plan's clip that the next one starts with.
        plan: from those, float32 [n, 3, height, width] in -1..1, to the next plan.
    """

    num_plans: int
    num_tail_frames: int
    plan: Callable[[Tensor], Plan]


@dataclass(frozen=True)
class Plan:
    """What the sampler runs. It does not know which kind of request it came from.

    Attributes:
        canvas: (width, height) in pixels.
        segments: in the order of noise and tokens: vision, then sound, then action.
        factors: for each step, what each branch's velocity is multiplied by.
        shown: the frames (start, stop) of its clip that are part of the result; none is all of them.
        continuation: where this is one chunk of a clip and not the last.
        step_cache: by which part of itself the velocity may have changed where a step does without a pass; none is by
            nothing, every step is computed.
    """

    canvas: tuple[int, int]
    segments: tuple[Segment, ...]
    branches: tuple[Branch, ...]
    factors: tuple[Factors, ...]
    schedule: Schedule
    seed: int
    shown: tuple[int, int] | None = None
    continuation: Continuation | None = None
    step_cache: float | None = None

    @classmethod
    def under(
        cls,
        prompts: Sequence[BranchPrompt],
        segments: Sequence[Segment],
        setting: Setting,
        sampling: Sampling,
        *,
        canvas: tuple[int, int],
        system: str | None,
        average: Average | None = None,
        shown: tuple[int, int] | None = None,
        continuation: Continuation | None = None,
    ) -> Plan:
        """The plan of segments under prompts. Those that no step asks for are not even read.

        Args:
            prompts: in the order of `guidance`.
            system: put before each of them; none leaves the system turn out.
            average: of the branches that see the controls.

        Raises:
            PromptTooLong: one that is asked for has too many tokens.
            NotAllowed: the schedule cannot be sampled with this checkpoint.
        """
        schedule = setting.schedule(sampling)
        factors = guidance(sampling, schedule.timesteps)
        used = [index for index in range(len(prompts)) if any(step[index] != 0 for step in factors)]
        branches = [
            Branch.over(
                segments,
                setting.prompts.encode(prompt.text, system=system, param=prompt.param),
                setting.config,
                controls=prompt.controls,
                average=average if prompt.controls else None,
            )
            for prompt in (prompts[index] for index in used)
        ]
        return cls(
            canvas=canvas,
            segments=tuple(segments),
            branches=tuple(branches),
            factors=tuple(tuple(step[index] for index in used) for step in factors),
            schedule=schedule,
            seed=sampling.seed,
            shown=shown,
            continuation=continuation,
            step_cache=sampling.step_cache,
        )

    def __post_init__(self) -> None:
        assert len(self.factors) == self.schedule.num_steps
        assert all(len(factors) == len(self.branches) for factors in self.factors)
        denoised = {index for index, segment in enumerate(self.segments) if is_denoised(segment)}
        assert denoised
        assert all(denoised <= set(branch.segments) for branch in self.branches)

    @property
    def target(self) -> int:
        """Index of the vision segment that is the result."""
        return next(
            index
            for index, segment in enumerate(self.segments)
            if isinstance(segment, VisionSegment) and not segment.is_control
        )

    @property
    def is_picture(self) -> bool:
        """One frame and nothing else is made."""
        return len(self.segments) == 1 and self.segments[0].shape[1] == 1

    def active(self, step: int) -> tuple[int, ...]:
        """Branches that a step evaluates."""
        return tuple(index for index, factor in enumerate(self.factors[step]) if factor != 0)

    def num_tokens(self, step: int) -> int:
        """Generator tokens of a step, over the branches that it evaluates."""
        return sum(self.branches[index].num_tokens for index in self.active(step))
