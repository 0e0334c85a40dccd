"""How far a lossy mode's frames are from the exact ones."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

WINDOW = 8
"""Pixels along a side of the windows that SSIM compares (Wang et al. 2004, with equal weights)."""

C_1, C_2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

NO_DIFFERENCE_DB = 99.0
"""What is said of frames that are the same."""


def psnr_db(frames: np.ndarray, exact: np.ndarray) -> float:
    """Of all pixels together, uint8 [n, height, width, 3] each."""
    errors = [float(np.square(one.astype(np.float32) - two).mean()) for one, two in zip(frames, exact, strict=True)]
    error = sum(errors) / len(errors)
    return NO_DIFFERENCE_DB if error == 0 else float(10 * np.log10(255**2 / error))


def ssim(frames: np.ndarray, exact: np.ndarray) -> float:
    """Mean over frames of the structural similarity of their luma; 1 is the same."""
    return float(np.mean([_ssim(_luma(one), _luma(two)) for one, two in zip(frames, exact, strict=True)]))


def _luma(frame: np.ndarray) -> Tensor:
    weights = torch.tensor([0.299, 0.587, 0.114])
    return (torch.from_numpy(np.ascontiguousarray(frame)).float() @ weights)[None, None]


def _ssim(x: Tensor, y: Tensor) -> float:
    def mean(values: Tensor) -> Tensor:
        return avg_pool2d(values, WINDOW, stride=WINDOW // 2)

    mean_x, mean_y = mean(x), mean(y)
    spread_x, spread_y = mean(x * x) - mean_x**2, mean(y * y) - mean_y**2
    together = mean(x * y) - mean_x * mean_y
    luminance = (2 * mean_x * mean_y + C_1) / (mean_x**2 + mean_y**2 + C_1)
    structure = (2 * together + C_2) / (spread_x + spread_y + C_2)
    return float((luminance * structure).mean())
