"""Kernels of a pick on a GPU: what a row's penalties and grammar change, and the draw among its best, one launch each.

Operation by operation both are some twenty launches for a few numbers, a twentieth of a token's time.
"""

# Triton is there only beside PyTorch's CUDA builds, and pyright does not follow what its decorator makes of a function.
# pyright: reportMissingImports=false, reportIndexIssue=false, reportPossiblyUnboundVariable=false, reportMissingTypeStubs=false

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

VALUES = 1024
"""Of a program."""

MAX_WIDTH = 4096
"""Ranks that one program draws among."""


@triton.jit
def _change(
    logits_at,
    read_at,
    written_at,
    allowed_at,
    size,
    repetition,
    presence,
    frequency,
    counts: tl.constexpr,
    bounded: tl.constexpr,
    block: tl.constexpr,
):
    token = tl.program_id(0) * block + tl.arange(0, block)
    here = token < size
    logit = tl.load(logits_at + token, here, 0)
    if counts:
        written = tl.load(written_at + token, here, 0)
        present = written > 0
        weaker = tl.where(logit > 0, logit / repetition, logit * repetition)
        logit = tl.where(present | (tl.load(read_at + token, here, 0) != 0), weaker, logit)
        logit = logit - tl.where(present, presence, 0.0)
        logit = logit - written * frequency
    if bounded:
        logit = tl.where(tl.load(allowed_at + token, here, 0) != 0, logit, -float("inf"))
    tl.store(logits_at + token, logit, here)


def change_row(
    logits: Tensor,
    read: Tensor | None,
    written: Tensor | None,
    allowed: Tensor | None,
    penalties: tuple[float, float, float],
) -> None:
    """Change logits float32 [V] in place.

    Args:
        read: bool [V], and with it `written` float32 [V], see `Tally`; none leaves the penalties out.
        allowed: bool [V]; none allows all.
        penalties: for repetition, presence and frequency.
    """
    size = len(logits)
    _change[(triton.cdiv(size, VALUES),)](
        logits,
        logits if read is None else read.view(torch.uint8),
        logits if written is None else written,
        logits if allowed is None else allowed.view(torch.uint8),
        size,
        *penalties,
        read is not None,
        allowed is not None,
        VALUES,
        num_warps=4,
    )


@triton.jit
def _draw(best_at, tokens_at, how_at, drawn_at, width, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    rank = tl.arange(0, block)
    here = rank < width
    temperature = tl.load(how_at + row * 4)
    top_k = tl.load(how_at + row * 4 + 1)
    top_p = tl.load(how_at + row * 4 + 2)
    chance = tl.load(how_at + row * 4 + 3)
    best = tl.load(best_at + row * width + rank, here, -float("inf"))
    scaled = (best - tl.load(best_at + row * width)) / temperature
    likely = tl.exp(tl.where(here & (rank < top_k), scaled, -float("inf")))
    likely = likely / tl.sum(likely)
    likely = tl.where(tl.cumsum(likely) - likely >= top_p, 0.0, likely)
    reached = tl.cumsum(likely)
    place = tl.sum((here & (reached <= chance * tl.max(reached))).to(tl.int32))
    place = tl.minimum(place, tl.sum((likely > 0).to(tl.int32)) - 1)
    tl.store(drawn_at + row, tl.load(tokens_at + row * width + place))


def draw_rows(best: Tensor, tokens: Tensor, how: Tensor) -> Tensor:
    """One token of each row.

    Args:
        best: float32 [B, width], logits from the best on; `width` is at most `MAX_WIDTH`.
        tokens: int64 [B, width], whose they are.
        how: float32 [B, 4]: temperature, top-k, top-p and the chance, uniform in 0..1.

    Returns:
        int64 [B].
    """
    width = best.shape[1]
    drawn = torch.empty(len(best), dtype=torch.int64, device=best.device)
    _draw[(len(best),)](
        best.contiguous(),
        tokens.contiguous(),
        how.contiguous(),
        drawn,
        width,
        triton.next_power_of_2(width),
        num_warps=4,
    )
    return drawn
