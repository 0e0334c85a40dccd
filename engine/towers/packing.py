"""What goes through the generator together: sequences of different lengths behind one another, without padding."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from engine.towers.rope import Rope


@dataclass(frozen=True)
class Prefix:
    """What the reasoner leaves of a prompt for the generator: one pair for every layer.

    Attributes:
        keys: L tensors [K, U, D], rotated.
        values: L tensors [K, U, D].
    """

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    @property
    def num_tokens(self) -> int:
        """U."""
        return self.keys[0].shape[1]


@dataclass(frozen=True)
class Average:
    """A sequence of controls and a target whose attention is taken one control at a time.

    Each control sees the prefix, itself and the target; the target sees the prefix, one control and itself, once for
    each control, and its outputs are averaged (NVIDIA's cosmos-framework, `multi_control_two_way_attention`).

    Attributes:
        lengths: tokens of each control; the rest of the sequence is the target.
        weights: of each control; they add up to 1.
    """

    lengths: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Pack:
    """The layout of one pass: sequence i has `lengths[i]` tokens, which see `prefixes[i]` and one another.

    Two guided pictures of 64 tokens are lengths (64, 64, 64, 64): prompt, negative, prompt, negative. `rope` covers
    all 256 tokens in that order. `averages` has one entry for each sequence, or none at all.
    """

    lengths: tuple[int, ...]
    prefixes: tuple[Prefix, ...]
    rope: Rope
    averages: tuple[Average | None, ...] = ()
