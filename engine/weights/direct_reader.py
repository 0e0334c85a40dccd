"""Tensors straight from their files to a GPU: several threads read pieces into page-locked memory and send them on.

A tensor at a time through a mapped file, the processor copies a page, then the driver copies it again before it sends
it. Here a piece is copied once on the host, and the next are read while it is on its way.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue

import torch
from torch import Tensor

NUM_THREADS = 8

PIECE_BYTES = 2**24
"""Read and sent at once; each thread has memory for two."""


@dataclass(frozen=True)
class Stretch:
    """Bytes of a file: those from `start` on, as many as a tensor has."""

    file: Path
    start: int


@dataclass(frozen=True)
class _Piece:
    """A part of a stretch and uint8 memory on the device that it goes to."""

    file: int
    start: int
    target: Tensor


class DirectReader:
    """Collects what is to be read, then reads all of it. On a CPU everything is the same but the page-locked memory."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._placed: list[tuple[Stretch, Tensor]] = []

    def place(self, stretches: Sequence[Stretch], shapes: Sequence[tuple[int, ...]], dtype: torch.dtype) -> Tensor:
        """Room for tensors stacked along their first dimension; `read` fills it.

        Args:
            stretches: where each of them is.
            shapes: of each; they differ in the first dimension alone.
        """
        rows = [shape[0] for shape in shapes]
        whole = torch.empty(sum(rows), *shapes[0][1:], dtype=dtype, device=self._device)
        self._placed += zip(stretches, whole.split(rows), strict=True)
        return whole

    def read(self) -> None:
        """Fill everything that was placed.

        Raises:
            OSError: a file cannot be read, or ends too early.
        """
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)  # whoever had this memory before is done with it
        files: dict[Path, int] = {}
        try:
            pieces: SimpleQueue[_Piece] = SimpleQueue()
            for stretch, tensor in self._placed:
                if stretch.file not in files:
                    files[stretch.file] = os.open(stretch.file, os.O_RDONLY)
                target = tensor.view(-1).view(torch.uint8)
                for first in range(0, len(target), PIECE_BYTES):
                    part = target[first : first + PIECE_BYTES]
                    pieces.put(_Piece(files[stretch.file], stretch.start + first, part))
            with ThreadPoolExecutor(NUM_THREADS) as threads:
                for done in [threads.submit(_work, pieces, self._device) for _ in range(NUM_THREADS)]:
                    done.result()
        finally:
            for file in files.values():
                os.close(file)
        self._placed.clear()


@torch.inference_mode()
def _work(pieces: SimpleQueue[_Piece], device: torch.device) -> None:
    """Read and send pieces until there are no more."""
    on_gpu = device.type == "cuda"
    buffers = [torch.empty(PIECE_BYTES, dtype=torch.uint8, pin_memory=on_gpu) for _ in range(2)]
    stream = torch.cuda.Stream(device) if on_gpu else None
    sent = [torch.cuda.Event() for _ in buffers] if on_gpu else []
    with nullcontext() if stream is None else torch.cuda.stream(stream):
        for turn in count():
            try:
                piece = pieces.get_nowait()
            except Empty:
                break
            buffer = buffers[turn % 2][: len(piece.target)]
            if on_gpu:
                sent[turn % 2].synchronize()
            _fill(buffer, piece)
            piece.target.copy_(buffer, non_blocking=on_gpu)
            if on_gpu:
                sent[turn % 2].record()
    if stream is not None:
        stream.synchronize()


def _fill(buffer: Tensor, piece: _Piece) -> None:
    left, start = memoryview(buffer.numpy().data), piece.start
    while left:
        num_bytes = os.preadv(piece.file, [left], start)
        if num_bytes == 0:
            raise OSError("it ends before its last tensor")
        left, start = left[num_bytes:], start + num_bytes
