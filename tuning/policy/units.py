"""The units in which a policy knows actions: the checkpoint's own, or of the data for fresh heads."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from engine.planning.embodiments import ActionUnits, OwnUnits
from studio.requests.embodiments import Embodiment

LOW, HIGH = 0.01, 0.99
"""Quantiles that become -1 and 1."""

LEAST_SPAN = 1e-3
"""Of a value between both quantiles; one that moves less is known as it is, from its middle."""


def units_of_data(body: Embodiment, rows: NDArray[np.float64]) -> OwnUnits:
    """Of each value, what takes the middle 98 % of the data to -1..1; cosmos-framework's LIBERO recipe has quantiles.

    Args:
        rows: [n, width], all actions of the data, in the body's units.
    """
    as_known = ActionUnits.of(body, rows.shape[1], None).known(torch.from_numpy(rows)).numpy()
    low, high = np.quantile(as_known, [LOW, HIGH], axis=0)
    half = (high - low) / 2
    unit = np.where(half * 2 < LEAST_SPAN, 1.0, half)
    return OwnUnits(middle=tuple(((low + high) / 2).tolist()), unit=tuple(unit.tolist()))
