"""From logits to the next tokens of several conversations: penalties, temperature, top-k, top-p, chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import torch
from torch import Tensor

from studio.requests.reason import TextSampling

HAS_TRITON = find_spec("triton") is not None


class Tally:
    """What one conversation has read and written, for the penalties; all tensors are on the model's device."""

    def __init__(self, prompt: Sequence[int], size: int, device: torch.device) -> None:
        self.read = torch.zeros(size, dtype=torch.bool, device=device)
        self.read[torch.tensor(prompt, device=device)] = True
        self.written = torch.zeros(size, device=device)

    @classmethod
    def of(cls, sampling: TextSampling, prompt: Sequence[int], size: int, device: torch.device) -> Tally | None:
        """A tally where any penalty needs it."""
        neutral = sampling.repetition_penalty == 1 and not sampling.presence_penalty and not sampling.frequency_penalty
        return None if neutral else cls(prompt, size, device)

    def count(self, token: int) -> None:
        """One more token of the answer."""
        self.written[token] += 1

    def penalise(self, logits: Tensor, sampling: TextSampling) -> None:
        """Change logits [V] in place.

        Repetition as in arXiv 1909.05858 over prompt and answer; presence and frequency, as OpenAI's API has them, over
        the answer alone.
        """
        present = self.written > 0
        if sampling.repetition_penalty != 1:
            weaker = torch.where(logits > 0, logits / sampling.repetition_penalty, logits * sampling.repetition_penalty)
            torch.where(self.read | present, weaker, logits, out=logits)
        logits.sub_(present.float(), alpha=sampling.presence_penalty)
        logits.sub_(self.written, alpha=sampling.frequency_penalty)


@dataclass(frozen=True)
class Chooser:
    """How one row of logits is picked from.

    Attributes:
        allowed: tokens that a grammar allows, bool [V]; none allows all.
        chance: uniform in 0..1.
    """

    sampling: TextSampling
    tally: Tally | None
    allowed: Tensor | None
    chance: float


def pick(logits: Tensor, choosers: Sequence[Chooser]) -> Tensor:
    """The next token of each row.

    Args:
        logits: [B, V] float32; they are changed in place.

    Returns:
        [B] int64, on the same device; nothing here waits for it.
    """
    has_kernels = logits.is_cuda and HAS_TRITON
    for row, chooser in zip(logits, choosers, strict=True):
        _change_row(row, chooser, has_kernels=has_kernels)
    drawn = [chooser.sampling for chooser in choosers if chooser.sampling.temperature > 0]
    if not drawn:
        return logits.argmax(-1)
    size = logits.shape[1]
    width = max(sampling.top_k or size for sampling in drawn)
    best, tokens = logits.topk(width) if width < size else logits.sort(dim=-1, descending=True, stable=True)
    # Greedy rows become the likeliest of one.
    rows = [
        (s.temperature, s.top_k or size, s.top_p, chooser.chance) if s.temperature > 0 else (1.0, 1, 1.0, 0.0)
        for chooser in choosers
        for s in (chooser.sampling,)
    ]
    drawn_tokens = _draw_rows(best, tokens, upload(torch.tensor(rows), logits.device), has_kernels=has_kernels)
    if len(drawn) == len(choosers):
        return drawn_tokens
    greedy = upload(torch.tensor([chooser.sampling.temperature == 0 for chooser in choosers]), logits.device)
    return torch.where(greedy, logits.argmax(-1), drawn_tokens)


def _change_row(logits: Tensor, chooser: Chooser, *, has_kernels: bool) -> None:
    """Penalties and grammar of one row [V], in place."""
    tally, allowed, sampling = chooser.tally, chooser.allowed, chooser.sampling
    if has_kernels and (tally is not None or allowed is not None):
        from engine.reasoner.picking_kernels import change_row

        penalties = (sampling.repetition_penalty, sampling.presence_penalty, sampling.frequency_penalty)
        read, written = (None, None) if tally is None else (tally.read, tally.written)
        change_row(logits, read, written, allowed, penalties)
        return
    if tally is not None:
        tally.penalise(logits, sampling)
    if allowed is not None:
        logits.masked_fill_(~allowed, -torch.inf)


def _draw_rows(best: Tensor, tokens: Tensor, how: Tensor, *, has_kernels: bool) -> Tensor:
    """A token of each row from its best [B, width], by temperature, top-k, top-p and chance [B, 4]."""
    if has_kernels:
        from engine.reasoner.picking_kernels import MAX_WIDTH, draw_rows

        if best.shape[1] <= MAX_WIDTH:
            return draw_rows(best, tokens, how)
    temperature, top_k, top_p, chance = how.T[..., None]
    ranks = torch.arange(best.shape[1], device=best.device)
    # Relative to the best, so that a temperature next to 0 overflows nothing.
    likely = ((best - best[:, :1]) / temperature).masked_fill_(ranks >= top_k, -torch.inf).softmax(-1)
    likely = likely.masked_fill_(likely.cumsum(-1) - likely >= top_p, 0)
    reached = likely.cumsum(-1)
    # The first rank whose reach is beyond chance: ranks of no probability reach no further than those before them.
    place = (reached <= chance * reached[:, -1:]).sum(-1, keepdim=True)
    place = torch.minimum(place, (likely > 0).sum(-1, keepdim=True) - 1)
    return tokens.gather(1, place)[:, 0]


def upload(tensor: Tensor, device: torch.device) -> Tensor:
    """A CPU tensor on the device; from ordinary memory a GPU would first finish all that it was given before."""
    if device.type != "cuda":
        return tensor.to(device)
    pinned = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    # By one thread: `pin_memory` copies a mask of a vocabulary by all of them, who took 3 ms to meet on 64 cores.
    pinned.numpy()[...] = tensor.numpy()
    return pinned.to(device, non_blocking=True)
