"""A rank other than the first: it holds the towers and does as it is told."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import torch

from engine.adapters import Wardrobe
from engine.device import Threads, pick_dtype, typed_out_of_memory
from engine.parallel.group import RankGroup
from engine.parallel.orders import Begin, Drop, GoOn, Move, Order, Wear
from engine.parallel.spread import Spread
from engine.sampling import PrefixStore, Trajectory, denoise, prepare
from engine.tower_loading import load_towers
from engine.towers import OmniModel, Precision
from engine.weights import open_folder


class Follower:
    """The towers of one checkpoint on one rank, and the trajectories that the leader has told of."""

    def __init__(self, model: OmniModel, group: RankGroup) -> None:
        self._model = model
        self._group = group
        self._spread = Spread(model.generator, group)
        self._prefixes = PrefixStore(model)
        self._wardrobe = Wardrobe(model)
        self._trajectories: dict[int, Trajectory] = {}

    @classmethod
    def load(cls, folder: Path, group: RankGroup, *, precision: Precision = "exact", offload: bool = False) -> Follower:
        """Read the towers as the leader does; neither codecs nor tokenizer are needed.

        Args:
            precision: see `Engine.load`; so is `offload`.

        Raises:
            BrokenCheckpoint, NotACheckpoint, OutOfMemory: see `Engine.load`.
        """
        opened, place = open_folder(folder), group.device
        with typed_out_of_memory(place), torch.inference_mode():
            dtype = pick_dtype(place, opened.dtype)
            model = load_towers(opened, place, dtype, precision=precision, offload=offload)
        Threads.of(group.device, sum(weight.numel() for weight in model.parameters())).for_step(0)
        return cls(model, group)

    @property
    def num_trajectories(self) -> int:
        """How many it holds."""
        return len(self._trajectories)

    @torch.inference_mode()
    def obey(self, order: Order) -> None:
        """Do what the leader does. What is raised leaves this rank behind the leader: it is of no use any more.

        Raises:
            OutOfMemory: it does not fit here.
            EngineLost: a rank did not answer.
        """
        with typed_out_of_memory(self._group.device):
            self._obey(order)

    def _obey(self, order: Order) -> None:
        match order:
            case Wear(path, scale):
                self._wardrobe.wear(path, scale)
                self._prefixes.worn = self._model.generator.rooms.worn = self._wardrobe.worn
            case Begin(number, plan):
                self._trajectories[number] = prepare(self._model, self._prefixes, plan)
            case GoOn(number, plan):
                trajectory = self._trajectories[number]
                trajectory.go_on(prepare(self._model, self._prefixes, plan, trajectory.noise))
            case Move(numbers, layout):
                trajectories = [self._trajectories[number] for number in numbers]
                denoise(self._model, trajectories, partial(self._spread, layout=layout))
            case Drop(numbers):
                for number in numbers:
                    del self._trajectories[number]
