"""What requests of one checkpoint take on its device, held against what there is, and what to ask for instead."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from engine.memory.estimate import DECODER_WIDTH, Shape, decode_bytes, estimate_bytes
from engine.planning import Plan
from engine.towers import OmniModel
from engine.weights import ModelConfig
from studio.requests.frames import TEMPORAL_STRIDE, frames_up_to
from studio.rules import canvas

SEAMS = 1.25
"""On a decode whose frames are divided: each convolution reads a copy of its strip with its neighbours' edges, and at
the end whole pixels are gathered. Reckoned."""

RESOLUTIONS = ("720", "480", "256")
"""Largest first."""

ASPECT_RATIOS = ("16:9", "4:3", "1:1", "3:4", "9:16")

SHORTEST_FRAMES = 5
"""A shorter clip is none."""


def free_bytes(device: torch.device) -> int:
    """What can still be taken: of a GPU what nobody has or this process keeps without use, of the host free pages."""
    if device.type == "cuda":
        unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return torch.cuda.mem_get_info(device)[0] + unused
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Budget:
    """The memory of one device.

    Attributes:
        decoder_width: channels of the VAE's decoder where it is narrowest.
        free: bytes that can still be taken there.
    """

    model: OmniModel
    decoder_width: int
    free: Callable[[torch.device], int] = free_bytes

    def latents_at_once(
        self, canvas: tuple[int, int], num_ranks: int = 1, least: Callable[[int], int] = lambda own: own
    ) -> int:
        """How many of a clip's latent frames can be decoded as one piece; 0 where one is too large to be decoded whole.

        At least one on a CPU: it has swap, and one seed is one clip there whatever else is running.

        Args:
            num_ranks: which have a part of each frame.
            least: given what is left here, what is left on the rank that has least. Asked once, and never on a CPU.
        """
        if self.model.device.type == "cpu":
            return 1
        available = least(self.free(self.model.device)) * num_ranks
        needed = [
            decode_bytes(Shape(canvas, frames_up_to(count)), self._value_bytes, width=self.decoder_width, at_once=count)
            for count in (1, 2)
        ]
        if num_ranks > 1:
            needed = [int(SEAMS * size) for size in needed]
        first, more = needed[0], needed[1] - needed[0]
        return 0 if available < first else 1 + (available - first) // more

    def advise(self, shape: Shape) -> str:
        """What would fit instead of what has just not fitted; see `what_fits`. Frees all that can be made again."""
        device = self.model.device
        self.model.generator.forget()
        if device.type == "cuda":
            torch.cuda.empty_cache()
        return what_fits(self.model.config, shape, self.free(device), self._value_bytes, self.decoder_width)

    def advise_on_step(self, plans: Sequence[Plan]) -> str:
        """The same of plans that were moved together; of several, what holds for the largest alone."""
        shapes = [shape_of(plan) for plan in plans]
        largest = max(shapes, key=lambda shape: shape.num_tokens(self.model.config) * shape.num_branches)
        at_once = "Ask for fewer at once. " if len(plans) > 1 else ""
        return at_once + self.advise(largest)

    @property
    def _value_bytes(self) -> int:
        return self.model.dtype.itemsize


def shape_of(plan: Plan) -> Shape:
    """What of a plan decides its memory."""
    return Shape(
        canvas=plan.canvas,
        num_frames=frames_up_to(plan.segments[plan.target].shape[1] - 1),
        num_branches=len(plan.branches),
        num_controls=sum(segment.is_control for segment in plan.segments),
    )


def what_fits(
    config: ModelConfig, shape: Shape, available_bytes: int, value_bytes: int = 2, decoder_width: int = DECODER_WIDTH
) -> str:
    """A sentence that says which sizes would fit into so much memory; none where nothing does.

    A clip of 189 frames at 720p may be answered with "At 720p 93 frames would fit, at 480p all 189."
    """
    found = list(
        _fitting(shape, lambda less: estimate_bytes(config, less, value_bytes, decoder_width) <= available_bytes)
    )
    if not found:
        return "Nothing smaller would fit either: free memory on the device, or start with --offload."
    if shape.num_frames == 1:
        return f"At {found[0][0]}p it would fit."
    said = [f"at {name}p {'all ' if frames == shape.num_frames else ''}{frames} frames" for name, frames in found]
    return f"It would fit {', '.join(said)}."


def _fitting(shape: Shape, fits: Callable[[Shape], bool]) -> Iterator[tuple[str, int]]:
    """Resolutions up to the one that was asked for and frames of it that fit, until all frames do."""
    ratio = min(ASPECT_RATIOS, key=lambda name: abs(_ratio(canvas("480", name)) - _ratio(shape.canvas)))
    for resolution in RESOLUTIONS:
        size = canvas(resolution, ratio)
        if size[0] * size[1] > shape.canvas[0] * shape.canvas[1]:
            continue
        frames = _most_frames(replace(shape, canvas=size), fits)
        if frames and (resolution, frames) != _as_asked(shape, resolution, size):
            yield resolution, frames
        if frames == shape.num_frames:
            return


def _most_frames(shape: Shape, fits: Callable[[Shape], bool]) -> int:
    """Of 4k+1 up to those that were asked for; 0 where not even the shortest clip fits."""
    shortest = min(SHORTEST_FRAMES, shape.num_frames)
    for frames in range(shape.num_frames, shortest - 1, -TEMPORAL_STRIDE):
        if fits(replace(shape, num_frames=frames)):
            return frames
    return 0


def _as_asked(shape: Shape, resolution: str, size: tuple[int, int]) -> tuple[str, int] | None:
    """What has just not fitted is no advice, whatever the estimate says."""
    return (resolution, shape.num_frames) if size == shape.canvas else None


def _ratio(size: tuple[int, int]) -> float:
    return size[0] / size[1]
