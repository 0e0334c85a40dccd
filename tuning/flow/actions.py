"""A run of actions, as a policy and both dynamics are trained on it."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from engine.planning import ActionSegment
from tuning.flow.batch import TokenRun


def action_run(
    rows: Tensor, state: Tensor | None, *, domain: int, model_width: int, per_second: float, num_known: int
) -> TokenRun:
    """The state, where there is one, and the rows behind it.

    Args:
        rows: float32 [B, n, width], in the model's units.
        state: float32 [B, 1, width] at frame 0, in the same; it counts as the first row.
        model_width: values that the model has for an action.
        per_second: rows.
        num_known: rows at the start that are given.
    """
    if state is not None:
        rows = torch.cat([state, rows], 1)
    length, width = rows.shape[1:]
    known = torch.zeros(length, dtype=torch.bool)
    known[:num_known] = True
    segment = ActionSegment(
        shape=(length, model_width),
        width=width,
        domain=domain,
        per_second=per_second,
        first=1 if state is None else 0,
    )
    return TokenRun(segment, pad(rows, (0, model_width - width)), known)
