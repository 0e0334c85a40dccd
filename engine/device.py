"""What the engine computes on: the device, the dtype, the threads, and running out of memory there."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from studio.errors import BadInput, OutOfMemory

SMALL_PARAMETERS = 50_000_000

SMALL_STEP_WORK = 1e9
"""Tokens times parameters below which a step is over before a second thread is of use.

Measured with speck, 0.8 million parameters: 5 ms alone and 6 ms with two at 128 tokens. With 11.6 million a policy's
chunk of four steps of 537 tokens took 0.65 s alone and 0.40 s with two.
"""


def pick_device(name: str) -> torch.device:
    """ "auto" is the first GPU, or the CPU where there is none.

    Raises:
        BadInput: the name means no device of this machine.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise BadInput(
            f"The device {name!r} cannot be used: {reason}", param="device", hint="Use auto or cpu."
        ) from None
    return device


def pick_dtype(device: torch.device, stored: torch.dtype) -> torch.dtype:
    """float32 on a CPU, where nothing below it is faster; on a GPU what the checkpoint is stored in."""
    return torch.float32 if device.type == "cpu" else stored


SMALL_PICTURE_PIXELS = 512 * 512


@dataclass(frozen=True)
class Threads:
    """How many threads a CPU run takes, so that a small checkpoint leaves the machine to the page and the arm.

    Measured with speck on four cores: a step of 1800 tokens takes 117 ms with one thread and 59 ms with two, a decode
    of 1024x1024 pixels 0.63 s and 0.43 s. Four threads on a machine that has other work cost up to thirty times one
    thread's time, so two are the most.

    Attributes:
        step: for few tokens or pixels; 0 leaves the process as it is.
        wide: for everything else.
        small_tokens: of a step; from so many on it is not for few.
    """

    step: int
    wide: int
    small_tokens: int = 0

    @classmethod
    def of(cls, device: torch.device, num_parameters: int) -> Threads:
        """What suits a model of this size on this device."""
        if device.type != "cpu" or num_parameters >= SMALL_PARAMETERS:
            return cls(0, 0)
        return cls(1, min(2, os.cpu_count() or 1), int(SMALL_STEP_WORK / max(1, num_parameters)))

    def for_step(self, num_tokens: int) -> None:
        """Set the process's threads for a step of so many generator tokens."""
        self._set(self.step if num_tokens < self.small_tokens else self.wide)

    def for_decode(self, num_pixels: int) -> None:
        """Set the process's threads for the VAE."""
        self._set(self.step if num_pixels < SMALL_PICTURE_PIXELS else self.wide)

    def _set(self, num_threads: int) -> None:
        if num_threads and num_threads != torch.get_num_threads():
            torch.set_num_threads(num_threads)


@contextmanager
def typed_out_of_memory(
    device: torch.device, advise: Callable[[], str] = lambda: "Use a lower resolution, or fewer results at once."
) -> Iterator[None]:
    """Turn an allocation that failed into `OutOfMemory`, after what the failed call held has been given back.

    Args:
        advise: what to do about it, asked once that memory is free.
    """
    try:
        yield
    except RuntimeError as error:
        # A GPU's is a type of its own; the CPU's allocator is known by its name alone.
        if not isinstance(error, torch.OutOfMemoryError) and "DefaultCPUAllocator" not in str(error):
            raise
        traceback.clear_frames(error.__traceback__)
        if device.type == "cuda":
            torch.cuda.empty_cache()
        raise OutOfMemory(
            f"{device} is out of memory: {str(error).splitlines()[0]}",
            hint=advise(),
        ) from None
