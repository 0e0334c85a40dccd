"""What a training keeps between two runs, written whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor

from backend.media.scratch import FULL, sync
from studio.errors import DiskFull, StorageError

_NUMBER = re.compile(r"\(os error (\d+)\)")


@dataclass
class State:
    """How far a training has come.

    Attributes:
        weights: by their names in the module.
        average: the same, averaged over steps; empty where no average is kept.
        optimisers: `state_dict` of each; empty where they begin anew.
        notes: what has been found out besides, such as the deviation of latents.
    """

    step: int = 0
    seed: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    average: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    optimisers: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    notes: dict[str, Any] = field(default_factory=dict[str, Any])


def read_state(path: Path) -> State | None:
    """What an earlier run left; none where there is none."""
    return State(**torch.load(path, map_location="cpu", weights_only=True)) if path.is_file() else None


def write_state(path: Path, state: State) -> None:
    """Write it whole or not at all: it is on the disk before it takes the place of the one before.

    Raises:
        DiskFull, StorageError: it could not be written; the one before is still there.
    """
    part = path.with_suffix(".part")
    with typed_writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                torch.save(vars(state), file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        sync(path.parent)


@contextmanager
def typed_writing(path: Path) -> Generator[None]:
    """Raises DiskFull or StorageError where `path` cannot be written.

    Of the system's error PyTorch's writer makes a RuntimeError that has it as its context, and safetensors' one
    that has its number in its words: "I/O error: No space left on device (os error 28)".
    """
    try:
        yield
    except OSError as error:
        raise _typed(path, error) from None
    except (RuntimeError, SafetensorError) as error:
        found = _NUMBER.search(str(error))
        cause = OSError(int(found[1]), os.strerror(int(found[1]))) if found else error.__context__
        if isinstance(cause, OSError):
            raise _typed(path, cause) from None
        raise


def _typed(path: Path, error: OSError) -> StorageError:
    if error.errno in FULL:
        return DiskFull(
            f"The disk is full: {path.name} could not be written.",
            hint="Free some space and continue the training: the last save is whole.",
        )
    return StorageError(f"{path} could not be written: {error.strerror or error}.", hint="The last save is whole.")
