"""Two places on the device that the blocks of the towers take turns in."""

from __future__ import annotations

import torch
from torch import Tensor


class Slots:
    """While the block in one of them computes, the next one is copied into the other, on a stream of its own.

    On a CPU a copy is a copy, and everything else is the same.

    Attributes:
        places: uint8 [size] each.
    """

    def __init__(self, size_bytes: int, device: torch.device) -> None:
        self.places = [torch.empty(size_bytes, dtype=torch.uint8, device=device) for _ in range(2)]
        self._held: list[Tensor | None] = [None, None]
        self._on_gpu = device.type == "cuda"
        if self._on_gpu:
            self._copying = torch.cuda.Stream(device)
            self._copied = [torch.cuda.Event() for _ in self.places]
            self._used = [torch.cuda.Event() for _ in self.places]

    def fetch(self, slot: int, weights: Tensor) -> None:
        """Begin to copy a block's weights, uint8 on the host, unless they are there."""
        if self._held[slot] is weights:
            return
        self._held[slot] = weights
        place = self.places[slot][: len(weights)]
        if not self._on_gpu:
            place.copy_(weights)
            return
        self._copying.wait_event(self._used[slot])
        with torch.cuda.stream(self._copying):
            place.copy_(weights, non_blocking=True)
            self._copied[slot].record(self._copying)

    def await_copy(self, slot: int) -> None:
        """What is computed from here on sees what was fetched last."""
        if self._on_gpu:
            torch.cuda.current_stream().wait_event(self._copied[slot])

    def release(self, slot: int) -> None:
        """What was computed up to here is the last that sees it."""
        if self._on_gpu:
            self._used[slot].record(torch.cuda.current_stream())
