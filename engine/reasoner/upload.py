"""Small tensors on their way to the device, without waiting for what it is at."""

from __future__ import annotations

import torch
from torch import Tensor


def upload(tensor: Tensor, device: torch.device) -> Tensor:
    """A CPU tensor on the device; from ordinary memory a GPU would first finish all that it was given before."""
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)
