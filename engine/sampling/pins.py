"""What of a segment is given: kept exactly, in its latents, in its velocity and in its tokens' timesteps."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from engine.planning import ActionSegment, Segment


@dataclass(frozen=True)
class Pins:
    """The given steps of one segment, on the device.

    Attributes:
        axis: the segment's time axis.
        steps: [k] int64, those that are given; none where nothing is.
        values: their latents, float32.
        noisy: [tokens, 1] in the model's dtype: 1 for tokens that are told the timestep, 0 for given ones.
        width: values of an action that are used; all others are 0. None for other segments.
    """

    axis: int
    steps: Tensor | None = None
    values: Tensor | None = None
    noisy: Tensor | None = None
    width: int | None = None

    def latents(self, latents: Tensor) -> Tensor:
        """The same with every given step exactly as it was given."""
        if self.steps is not None and self.values is not None:
            latents = latents.index_copy(self.axis, self.steps, self.values)
        return self._within_width(latents)

    def velocity(self, velocity: Tensor) -> Tensor:
        """The same, at rest where it is given."""
        if self.steps is not None:
            velocity = velocity.index_fill(self.axis, self.steps, 0)
        return self._within_width(velocity)

    def timed(self, tokens: Tensor, time: Tensor) -> Tensor:
        """Tokens [S, H] with a timestep's embedding [H] on those that are denoised."""
        return tokens + time if self.noisy is None else torch.addcmul(tokens, self.noisy, time)

    def _within_width(self, actions: Tensor) -> Tensor:
        if self.width is None:
            return actions
        return pad(actions[:, : self.width], (0, actions.shape[1] - self.width))


def pins(segment: Segment, device: torch.device, dtype: torch.dtype) -> Pins:
    """The pins of a segment."""
    width = segment.width if isinstance(segment, ActionSegment) else None
    given = segment.given
    if given is None:
        return Pins(segment.time_axis, width=width)
    length = segment.shape[segment.time_axis]
    noisy = torch.ones(length, dtype=dtype)
    noisy[list(given.steps)] = 0
    return Pins(
        axis=segment.time_axis,
        steps=torch.tensor(given.steps, device=device),
        values=given.values.to(device),
        noisy=noisy.repeat_interleave(segment.num_tokens // length)[:, None].to(device),
        width=width,
    )
