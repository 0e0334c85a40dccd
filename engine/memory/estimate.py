"""How much memory a request takes beside the weights."""

from __future__ import annotations

from dataclasses import dataclass

from engine.memory.strips import STRIP_CELLS, strip_starts
from engine.towers.generator import TOKENS_PER_PASS
from engine.towers.kv_buffers import MAX_RESIDENT_BYTES
from engine.weights import ModelConfig
from studio.requests.frames import TEMPORAL_STRIDE, latent_frames

PROMPT_TOKENS = 512
"""Of each branch where nobody has counted; beside a clip's tokens they are few."""

DECODER_WIDTH = 256
"""Channels of the Wan 2.2 decoder where it is narrowest; what it takes is in proportion."""

CACHE_BYTES_PER_PIXEL = 3569
"""What the Wan 2.2 decoder remembers between two pieces of a clip, in bf16: counted over its convolutions."""

PIECE_BYTES_PER_PIXEL = 8400
"""What four frames take while they pass: on an H200 a decode at 720p peaks at 10.9 GB, of which caches are 3.3."""

MARGIN = 1.25
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
    return int(MARGIN * (prefixes + keys_and_values + activations + embedded + latents))


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
