"""Frames as vision models take them, and their weights from a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from torch.nn import functional

from studio.errors import BrokenCheckpoint

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of ImageNet: `image_mean` and `image_std` in preprocessor_config.json of Depth Anything V2 and of SAM 2."""


def normalized(frame: NDArray[np.uint8], size: tuple[int, int], mode: str, device: torch.device) -> torch.Tensor:
    """One frame as a batch.

    Args:
        frame: uint8 [height, width, 3].
        size: (height, width) of the result.
        mode: of `torch.nn.functional.interpolate`.

    Returns:
        float32 [1, 3, height, width], mean 0 and deviation 1 over ImageNet.
    """
    pixels = torch.tensor(np.ascontiguousarray(frame), device=device).permute(2, 0, 1)[None].float() / 255
    resized = functional.interpolate(pixels, size, mode=mode, align_corners=False, antialias=True)
    mean, deviation = (torch.tensor(values, device=device).view(1, 3, 1, 1) for values in (MEAN, DEVIATION))
    return (resized - mean) / deviation


def read_model(read: Callable[..., Any], folder: Path, device: torch.device, title: str) -> Any:
    """A model in float32, ready to be asked.

    Args:
        read: `from_pretrained` of its class.
        title: as a person knows it.

    Raises:
        BrokenCheckpoint: its files are not what the class expects.
    """
    try:
        model = read(folder, dtype=torch.float32, local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise BrokenCheckpoint(
            f"{title} cannot be loaded: {str(error).splitlines()[0]}",
            hint="Pull it again; `orrery checkpoints pull` continues a download that was broken off.",
        ) from None
    return model.to(device).eval()
