"""How each kind of segment enters the generator and comes out of it."""

from __future__ import annotations

from torch import Tensor

from engine.planning import ActionSegment, Segment, SoundSegment, VisionSegment
from engine.towers import Generator


def embed(generator: Generator, segment: Segment, latents: Tensor) -> Tensor:
    """A segment's latents → its tokens [S, H], without their timestep."""
    match segment:
        case VisionSegment():
            return generator.embed_vision(latents)
        case SoundSegment():
            assert generator.sound is not None
            return generator.sound.embed(latents)
        case ActionSegment():
            assert generator.action is not None
            return generator.action.embed(latents, segment.domain)


def read(generator: Generator, segment: Segment, tokens: Tensor) -> Tensor:
    """A segment's output tokens [S, H] → its velocity, of its shape, float32."""
    match segment:
        case VisionSegment():
            return generator.read_vision(tokens, segment.shape)
        case SoundSegment():
            assert generator.sound is not None
            return generator.sound.read(tokens)
        case ActionSegment():
            assert generator.action is not None
            return generator.action.read(tokens, segment.domain)
