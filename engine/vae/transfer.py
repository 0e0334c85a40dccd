"""Pixels on their way from the device to the host."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


class Transfer:
    """A tensor that is being copied while the device and the host go on."""

    def __init__(self, tensor: Tensor) -> None:
        self._host, self._arrival = tensor, None
        if tensor.is_cuda:
            self._host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
            self._host.copy_(tensor, non_blocking=True)
            self._arrival = torch.cuda.Event()
            self._arrival.record()

    def take(self) -> np.ndarray:
        """The values, as soon as they are there."""
        if self._arrival is not None:
            self._arrival.synchronize()
        return self._host.numpy()
