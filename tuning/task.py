"""What a task gives to the training: its data, what learns, the loss of a step, and what a save holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from engine.device import pick_device, pick_dtype
from engine.planning import Setting, read_setting
from engine.towers import OmniModel
from engine.weights import Folder, open_folder
from studio.tuning import TuningWork
from studio.tuning.events import Bin, LeftOut, TrainingSample
from tuning.loop import Shown
from tuning.lora import LearningLora
from tuning.memory import StepShape
from tuning.tally import Tally

About = Callable[[str, int, int], None]
"""Told what is prepared, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Place:
    """Where a training computes, and what it begins with."""

    work: TuningWork
    opened: Folder
    setting: Setting
    device: torch.device
    dtype: torch.dtype

    @classmethod
    def of(cls, work: TuningWork) -> Place:
        """Read a checkpoint's small files.

        Raises:
            NotACheckpoint, BrokenCheckpoint: see `engine.weights.open_folder`.
            BadInput: there is no such device.
        """
        device, opened = pick_device(work.device), open_folder(work.checkpoint)
        return cls(work, opened, read_setting(opened), device, pick_dtype(device, opened.dtype))


class TrainingData(Protocol):
    """What of the data sets is trained on."""

    @property
    def num_kept(self) -> int:
        """Sequences."""
        ...

    @property
    def dropped(self) -> tuple[LeftOut, ...]:
        """What is left out, by reason."""
        ...

    @property
    def faster(self) -> tuple[tuple[str, float], ...]:
        """Beginnings of parameters' names in the model, with the factor on their learning rate."""
        ...

    @property
    def files(self) -> dict[str, str]:
        """What a saved checkpoint has beside its weights, by path; it takes the place of what was there."""
        ...

    @property
    def shape(self) -> StepShape:
        """Of the longest part of a step."""
        ...

    def histogram(self) -> tuple[Bin, ...]:
        """Of the sequences' tokens."""
        ...

    def samples(self, out: Path) -> tuple[TrainingSample, ...]:
        """Three of them; their pictures are written below `out`."""
        ...

    def let_learn(self, model: OmniModel) -> list[LearningLora]:
        """Let the parameters learn that the recipe trains, in float32; returns the layers of an adapter."""
        ...

    def prepare(self, about: About) -> str:
        """Do once what every step needs; returns the SHA-256 of what is trained on."""
        ...

    def task(self, model: OmniModel, tally: Tally) -> Task:
        """The losses of a model whose parameters are let learn."""
        ...

    def check(self) -> None:
        """Raises BadInput where a file has changed."""
        ...


class Task(Protocol):
    """The losses of steps."""

    def loss(self, step: int) -> Iterator[tuple[Tensor, Shown]]:
        """Parts whose sum is the loss of a step."""
        ...
