"""Transparency is laid over black: the colour that most editors store under it, and that `convert("RGB")` shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def over_black(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8 [height, width, 4] with straight alpha to uint8 [height, width, 3]."""
    alpha = pixels[..., 3:].astype(np.uint16)
    return ((pixels[..., :3] * alpha + 127) // 255).astype(np.uint8)
