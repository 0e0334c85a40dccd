"""What steps have shown since it was last told: losses by name and by noise level, and which sequence was how wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

BINS = 10
"""Of noise levels, from 0 to 1."""

ACCURACY = "accuracy"
"""Name of what is no loss: the share of an answer's tokens that were the likeliest."""


@dataclass(frozen=True)
class Seen:
    """A part of a step.

    Attributes:
        names: of its sequences.
        loss: what it is called, such as "t2v_vision".
        modality: whose noise levels those are; none of what has none.
        errors: of each sequence, [B].
        levels: [B], where there are some.
    """

    names: Sequence[str]
    loss: str
    errors: Tensor
    modality: str | None = None
    levels: Tensor | None = None


class Tally:
    """Adds up what is seen."""

    def __init__(self) -> None:
        self._seen: list[Seen] = []
        self._step: list[Seen] = []

    def begin_step(self) -> None:
        """What is seen from now on is of another step."""
        self._step = []

    def add(self, seen: Seen) -> None:
        """Keep a part; its values stay on the device until they are told."""
        self._step.append(seen)
        self._seen.append(seen)

    def names(self) -> list[str]:
        """Sequences of this step."""
        return list(dict.fromkeys(name for seen in self._step for name in seen.names))

    def not_finite(self) -> list[str]:
        """Those of them whose error is not finite."""
        bad = [
            name
            for seen in self._step
            for name, is_finite in zip(seen.names, seen.errors.isfinite().tolist(), strict=True)
            if not is_finite
        ]
        return list(dict.fromkeys(bad))

    def tell(self) -> tuple[dict[str, float], dict[str, tuple[float | None, ...]]]:
        """Means of losses, and of each modality the mean in every bin of noise levels; both begin again then."""
        losses: dict[str, list[Tensor]] = {}
        levels: dict[str, list[tuple[Tensor, Tensor]]] = {}
        for seen in self._seen:
            losses.setdefault(seen.loss, []).append(seen.errors)
            if seen.modality is not None and seen.levels is not None:
                levels.setdefault(seen.modality, []).append((seen.levels, seen.errors))
        self._seen = []
        means = {name: float(torch.cat(errors).mean()) for name, errors in losses.items()}
        return means, {name: _by_level(pairs) for name, pairs in levels.items()}


def _by_level(pairs: list[tuple[Tensor, Tensor]]) -> tuple[float | None, ...]:
    levels, errors = (torch.cat(parts).float().cpu() for parts in zip(*pairs, strict=True))
    bins = (levels * BINS).long().clamp(0, BINS - 1)
    return tuple(float(errors[bins == at].mean()) if bool((bins == at).any()) else None for at in range(BINS))
