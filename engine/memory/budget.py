"""What requests of one checkpoint take on its device beside the weights, what there is, and what to ask for instead."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from engine.planning import Plan
from engine.towers import OmniModel
from engine.towers.generator import TOKENS_PER_PASS
from engine.towers.kv_buffers import MAX_RESIDENT_BYTES
from engine.vae.clip import STRIP_CELLS, strip_starts
from engine.weights import ModelConfig
from studio.requests.frames import TEMPORAL_STRIDE, frames_up_to, latent_frames
from studio.rules import canvas

PROMPT_TOKENS = 512
"""Of each branch where nobody has counted; beside a clip's tokens they are few."""

DECODER_WIDTH = 256
"""Channels of the Wan 2.2 decoder where it is narrowest; what it takes is in proportion."""

CACHE_BYTES_PER_PIXEL = 3569
"""What the Wan 2.2 decoder remembers between two pieces of a clip, in bf16: counted over its convolutions."""

PIECE_BYTES_PER_PIXEL = 8400
"""What four frames take while they pass: on an H200 a decode at 720p peaks at 10.9 GB, of which caches are 3.3."""

STEP_MARGIN = 1.25
"""On a step's sum: on an H200 T2V 480p peaks at 3.1 GB beside Nano's weights, where it comes to 2.7."""

PIXELS_PER_CELL = 16


@dataclass(frozen=True)
class Shape:
    """What of a request decides its memory.

    Attributes:
        canvas: (width, height) in pixels.
        num_frames: of the clip; 1 is a picture.
        num_branches: evaluations of a step.
        num_controls: control clips beside it.
        num_shards: ranks that share the tokens.
    """

    canvas: tuple[int, int]
    num_frames: int
    num_branches: int = 2
    num_controls: int = 0
    num_shards: int = 1

    def num_tokens(self, config: ModelConfig) -> int:
        """Generator tokens of a branch, sound and actions left out."""
        side = PIXELS_PER_CELL * config.latent_patch_size
        width, height = self.canvas
        frames = latent_frames(self.num_frames)
        return frames * -(-width // side) * -(-height // side) * (1 + self.num_controls)


def estimate_bytes(config: ModelConfig, shape: Shape, value_bytes: int = 2, width: int = DECODER_WIDTH) -> int:
    """The least peak of a step or of the decode, whichever is more, beside the weights.

    Args:
        value_bytes: of a number of the model's dtype.
        width: see `decode_bytes`.
    """
    in_strips = decode_bytes(shape, value_bytes, width=width, in_strips=True)
    return max(step_bytes(config, shape, value_bytes), in_strips)


def step_bytes(config: ModelConfig, shape: Shape, value_bytes: int = 2) -> int:
    """Keys and values, activations and latents of a denoising step."""
    tokens = shape.num_tokens(config)
    kv_width = 2 * config.num_key_value_heads * config.head_dim * value_bytes
    prefixes = shape.num_branches * PROMPT_TOKENS * kv_width * config.num_hidden_layers
    seen = shape.num_branches * (tokens + PROMPT_TOKENS) * kv_width // shape.num_shards
    every_layer = seen * config.num_hidden_layers
    keys_and_values = every_layer if every_layer <= MAX_RESIDENT_BYTES else seen
    together = max(min(shape.num_branches * tokens, TOKENS_PER_PASS), tokens) // shape.num_shards
    inner = config.intermediate_size * (3 if config.family == "qwen" else 2)
    # The residual stream and its normalised copy beside the widest place of a block; embeddings and outputs of all.
    activations = together * (2 * config.hidden_size + inner) * value_bytes
    embedded = 2 * shape.num_branches * tokens * config.hidden_size * value_bytes
    # float32: the sample, its prediction and three of the solver's.
    latents = 5 * 4 * tokens * config.patch_values
    return int(STEP_MARGIN * (prefixes + keys_and_values + activations + embedded + latents))


def decode_bytes(
    shape: Shape, value_bytes: int = 2, *, width: int = DECODER_WIDTH, in_strips: bool = False, at_once: int = 1
) -> int:
    """A clip's decode, piece by piece; a picture's has nothing to remember, and one frame of four.

    Args:
        width: channels of the decoder where it is narrowest.
        in_strips: see `decode_in_strips`.
        at_once: latent frames of a piece.
    """
    short, long = sorted(shape.canvas)
    scale = width * value_bytes
    if shape.num_frames == 1:
        return short * long * PIECE_BYTES_PER_PIXEL // TEMPORAL_STRIDE * scale // (2 * DECODER_WIDTH)
    across, num_strips = long, 1
    if in_strips:
        across = min(STRIP_CELLS * PIXELS_PER_CELL, long)
        num_strips = len(strip_starts(long // PIXELS_PER_CELL))
    pieces, caches = at_once * across * PIECE_BYTES_PER_PIXEL, num_strips * across * CACHE_BYTES_PER_PIXEL
    return short * (pieces + caches) * scale // (2 * DECODER_WIDTH)


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
        at_once = "Use fewer results at once. " if len(plans) > 1 else ""
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
        return "No lower setting fits: free memory on the device, or start with --offload."
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
