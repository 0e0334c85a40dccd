"""Depth Anything V2 (Yang et al., arXiv 2406.09414): how near everything in a frame is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from engine.perception.pixels import normalized, read_model

SIDE = 518
"""Pixels of the shorter side as the model sees it: `size` in preprocessor_config.json of Depth-Anything-V2-Small-hf."""


class DepthModel:
    """The model on a device. Frames are looked at one by one."""

    def __init__(self, model: Any, device: torch.device, side: int = SIDE) -> None:
        self._model = model
        self._device = device
        self._side = side

    @classmethod
    def load(cls, folder: Path, device: torch.device) -> Self:
        """From a pulled folder. Raises BrokenCheckpoint."""
        from transformers import AutoModelForDepthEstimation  # seconds, which only this feature costs

        return cls(read_model(AutoModelForDepthEstimation.from_pretrained, folder, device, "Depth Anything V2"), device)

    @torch.inference_mode()
    def estimate(self, frame: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Inverse depth up to a scale and a shift: the nearer, the larger; 0 is as far as can be.

        The frame is resized such that its shorter side is near 518 pixels and both are multiples of the patch, and
        the estimate is resized back, as the model's own repository does (DepthAnything/Depth-Anything-V2,
        `image2tensor`: a lower bound of 518, bicubic).

        Args:
            frame: uint8 [height, width, 3].

        Returns:
            float32 [height, width].
        """
        height, width = frame.shape[:2]
        patch = self._model.config.patch_size
        scale = self._side / min(height, width)
        size = (max(1, round(height * scale / patch)) * patch, max(1, round(width * scale / patch)) * patch)
        found = self._model(pixel_values=normalized(frame, size, "bicubic", self._device)).predicted_depth
        whole = functional.interpolate(found[:, None].float(), (height, width), mode="bicubic", align_corners=False)
        return whole[0, 0].clamp(min=0).cpu().numpy()
