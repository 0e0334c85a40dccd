"""A rank other than the first: it holds the towers and the VAE, and does as it is told."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

from engine.adapters import LoraAdapters
from engine.device import Threads, pick_dtype, typed_out_of_memory
from engine.memory import Peers, ShardedBlocks, free_bytes
from engine.parallel.group import RankGroup
from engine.parallel.orders import Begin, Decode, Drop, ForgetPrompts, GoOn, Lend, Measure, Move, Order, UseAdapter
from engine.parallel.spread import Spread
from engine.sampling import PrefixStore, Step, Trajectory, denoise, prepare
from engine.tower_loading import load_towers
from engine.towers import OmniModel, Precision
from engine.vae import ClipCoder, DividedDecoder, Memory, read_vae
from engine.weights import open_folder


class Follower:
    """One checkpoint on one rank, and the trajectories and clips that the leader has told of.

    Args:
        free: bytes that can still be taken on this rank's device.
    """

    def __init__(
        self,
        model: OmniModel,
        coder: ClipCoder,
        group: RankGroup,
        free: Callable[[torch.device], int] = free_bytes,
    ) -> None:
        self._model = model
        self._group = group
        self._free = free
        self._spread = Spread(model.generator, group)
        self._prefixes = PrefixStore(model)
        self._adapters = LoraAdapters(model)
        self._decoder = DividedDecoder(coder)
        self._trajectories: dict[int, Trajectory] = {}
        self._clips: dict[int, Memory] = {}

    @classmethod
    def load(
        cls,
        folder: Path,
        group: RankGroup,
        *,
        precision: Precision = "exact",
        offload: bool = False,
        peers: Peers | None = None,
    ) -> Follower:
        """Read towers and VAE as the leader does; the tokenizer is not needed.

        Args:
            precision: see `Engine.load`; so are `offload` and `peers`.

        Raises:
            BrokenCheckpoint, NotACheckpoint, OutOfMemory, EngineLost: see `Engine.load`.
        """
        opened, place = open_folder(folder), group.device
        with typed_out_of_memory(place), torch.inference_mode():
            dtype = pick_dtype(place, opened.dtype)
            model = load_towers(opened, place, dtype, precision=precision, offload=offload, peers=peers)
            coder = ClipCoder(read_vae(folder / "vae", place, dtype).vae)
        Threads.of(group.device, sum(weight.numel() for weight in model.parameters())).for_step(0)
        return cls(model, coder, group)

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
            case UseAdapter(path, scale):
                self._adapters.use(path, scale)
                self._prefixes.adapter = self._model.generator.kv_buffers.adapter = self._adapters.active
            case ForgetPrompts():
                self._prefixes.clear()
            case Lend(tower):
                blocks = getattr(self._model, tower).blocks
                assert isinstance(blocks, ShardedBlocks)
                blocks.lend()
            case Begin(number, plan):
                self._trajectories[number] = prepare(self._model, self._prefixes, plan)
            case GoOn(number, plan):
                trajectory = self._trajectories[number]
                trajectory.go_on(prepare(self._model, self._prefixes, plan, trajectory.noise))
            case Move(numbers, kept, layout):
                steps = [
                    Step(self._trajectories[number], is_kept) for number, is_kept in zip(numbers, kept, strict=True)
                ]
                denoise(self._model, steps, partial(self._spread, layout=layout))
            case Measure(num_ranks):
                self._group.ring(num_ranks).least(self._free(self._group.device), self._group.device)
            case Decode(number, is_first, latents, num_ranks):
                if is_first:
                    self._clips[number] = self._decoder.memory()
                ring = self._group.ring(num_ranks)
                self._decoder.decode(latents.to(self._group.device), self._clips[number], ring)
            case Drop(numbers):
                for number in numbers:
                    self._trajectories.pop(number, None)
                    self._clips.pop(number, None)
