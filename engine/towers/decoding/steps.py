"""Recorded steps of a model, one for each of a few batch sizes."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable, Hashable, Sequence
from importlib.util import find_spec
from typing import Protocol

import torch
from torch import Tensor, nn

from engine.towers.decoding.table import LastToken
from engine.towers.reasoner import Reasoner

SIZES = (1, 2, 4, 8, 16)
"""Batches in between take the next larger one; larger ones are cut."""


class Recorded(Protocol):
    """A step of a fixed size, see `TokenStep`."""

    def run(self, rows: Sequence[LastToken]) -> Tensor:
        """Up to `size` tokens → [len(rows), H]; the next run overwrites it."""
        ...


class Steps:
    """Steps of one reasoner. One thread's own.

    Args:
        record: makes the step of a size.
        multiply: a linear layer's product with few rows.
    """

    def __init__(self, record: Callable[[int], Recorded], multiply: Callable[[nn.Module, Tensor], Tensor]) -> None:
        self._record = record
        self._multiply = multiply
        self._steps: dict[int, Recorded] = {}
        self._adapter: Hashable = None

    @classmethod
    def of(cls, reasoner: Reasoner) -> Steps | None:
        """Compile the kernels and record a step of one; a few seconds, less where Triton has kept them from before.

        None where the kernels do not run: without a GPU of 2020 or later, without Triton or a C compiler for it, or
        with weights that come and go.
        """
        device, width = reasoner.embed_tokens.weight.device, reasoner.config.head_dim
        if device.type != "cuda" or torch.version.hip or torch.cuda.get_device_capability(device) < (8, 0):
            return None
        if reasoner.streams:
            return None
        # Triton launches on the current device alone, and takes powers of two.
        if device.index not in (None, torch.cuda.current_device()) or width < 16 or width & (width - 1):
            return None
        if find_spec("triton") is None:
            return None
        from triton.errors import TritonError  # type: ignore[import-not-found]

        from engine.towers.decoding.product import product
        from engine.towers.decoding.step import TokenStep

        steps = cls(lambda size: TokenStep.recorded(reasoner, size), lambda layer, x: product(layer, x, overlaps=False))
        try:
            steps._step(1)
            steps.logits(reasoner.head, reasoner.norm.weight[None])
        except torch.OutOfMemoryError:
            raise
        except (RuntimeError, OSError, subprocess.SubprocessError, TritonError) as error:
            logging.getLogger(__name__).warning("Tokens are written without recorded steps, more slowly: %s", error)
            return None
        return steps

    def read(self, rows: Sequence[LastToken], adapter: Hashable) -> Tensor:
        """What `Reasoner.read` does with the last token of each conversation, and with those that may follow it.

        Args:
            rows: where a conversation has several, up to `SIZES[-1]` in all.
            adapter: the active one; steps of another are given up.

        Returns:
            [B, H], normalised: what `head` turns into logits. The next call may overwrite it.
        """
        if adapter != self._adapter:
            self._steps.clear()
            self._adapter = adapter
        cut = [rows[start : start + SIZES[-1]] for start in range(0, len(rows), SIZES[-1])]
        if len(cut) == 1:
            out = self._step(len(rows)).run(rows)
        else:
            # One step may run twice: what it leaves is copied before that.
            out = torch.cat([self._step(len(part)).run(part).clone() for part in cut])
        for row in rows:
            row.cache.advance(1)
        return out

    def logits(self, head: nn.Module, x: Tensor) -> Tensor:
        """`head` of rows [B, H] → [B, V]."""
        return self._multiply(head, x)

    def _step(self, num_rows: int) -> Recorded:
        size = next(enough for enough in SIZES if enough >= num_rows)
        if size not in self._steps:
            self._steps[size] = self._record(size)
        return self._steps[size]
