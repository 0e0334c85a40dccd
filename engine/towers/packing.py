"""What goes through the generator together: sequences of different lengths behind one another, without padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from engine.towers.rope import Rope


@dataclass(frozen=True)
class Prefix:
    """What the reasoner leaves of a prompt for the generator.

    Attributes:
        keys: [L, U, K, D], rotated.
        values: [L, U, K, D].
    """

    keys: Tensor
    values: Tensor

    @property
    def num_tokens(self) -> int:
        """U."""
        return self.keys.shape[1]


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


class Exchange(Protocol):
    """What happens around attention when several processes share a pass: tokens are traded for heads and back."""

    def heads(self, heads: Tensor) -> Tensor:
        """Some tokens with all heads [s, (N + 2 K) * D] → all tokens with some of each kind [S, (n + 2 k) * D]."""
        ...

    def tokens(self, attended: Tensor) -> Tensor:
        """What those heads attended to [S, n * D] → all heads of the tokens that were given, [s, N * D]."""
        ...


@dataclass(frozen=True)
class Pack:
    """The layout of one pass: sequence i has `lengths[i]` tokens, which see `prefixes[i]` and one another.

    Two guided pictures of 64 tokens are lengths (64, 64, 64, 64): prompt, negative, prompt, negative.

    With an `exchange` a pass is given some of the tokens; everything here is of whole sequences, and the prefixes have
    the heads that the exchange leaves.

    Attributes:
        ropes: of each sequence's tokens.
        averages: one entry for each sequence, or none at all.
        precise: for each sequence, whether a quantised generator computes it with its weights alone quantised; or none
            at all, which is all of them.
    """

    lengths: tuple[int, ...]
    prefixes: tuple[Prefix, ...]
    ropes: tuple[Rope, ...]
    averages: tuple[Average | None, ...] = ()
    precise: tuple[bool, ...] = ()
    exchange: Exchange | None = None

    def part(self, start: int, stop: int) -> Pack:
        """The sequences from `start` up to `stop` alone."""
        assert self.exchange is None
        return Pack(
            self.lengths[start:stop],
            self.prefixes[start:stop],
            self.ropes[start:stop],
            self.averages[start:stop],
            self.precise[start:stop],
        )
