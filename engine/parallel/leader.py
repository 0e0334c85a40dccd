"""Rank 0's side: which trajectories and clips the ranks share, and what the others are told."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from torch import Tensor

from engine.memory import ShardedBlocks
from engine.parallel.group import RankGroup
from engine.parallel.orders import (
    Begin,
    Decode,
    Drop,
    ForgetPrompts,
    GoOn,
    Lend,
    Measure,
    Move,
    Order,
    Tower,
    UseAdapter,
    portable,
    send,
)
from engine.parallel.spread import Layout, Spread
from engine.parallel.table import num_decoding_ranks, num_ranks
from engine.planning import Plan
from engine.sampling import Step, Trajectory, denoise, next_steps
from engine.towers import Generator, OmniModel, Reasoner
from engine.vae import ClipCoder, DividedDecoder
from studio.errors import EngineLost


@dataclass(frozen=True)
class _Shared:
    """A trajectory or a clip that several ranks hold: its number, and how many of them."""

    number: int
    num_ranks: int


class Leader:
    """Moves trajectories and decodes clips on all ranks. One thread's own.

    Args:
        pipes: to ranks 1, 2 …
        count: how many ranks a plan is for; those are the first ones.
        divide: the layout of a step of so many sequences on so many ranks.
        count_decoding: of the ranks that a plan is for, how many decode latents of a shape (C, T, rows, columns).

    Attributes:
        is_whole: no step or piece has broken off on this rank. If one has, the others wait for its end in vain, and
            the group is of no use any more.
    """

    def __init__(
        self,
        model: OmniModel,
        coder: ClipCoder,
        group: RankGroup,
        pipes: Sequence[Connection],
        count: Callable[[Plan], int] | None = None,
        divide: Callable[[int, int], Layout] = Layout.over,
        count_decoding: Callable[[Sequence[int], int], int] = num_decoding_ranks,
    ) -> None:
        assert len(pipes) == group.num_ranks - 1
        self.is_whole = True
        self._model = model
        self._coder = coder
        self._decoder = DividedDecoder(coder)
        self._group = group
        self._spread = Spread(model.generator, group)
        self._pipes = pipes
        self._count = count or (lambda plan: num_ranks(plan, group.num_ranks))
        self._divide = divide
        self._count_decoding = count_decoding
        self._shared: dict[int, _Shared] = {}
        self._dropped: list[_Shared] = []
        self._numbers = 0
        self._adapter: Hashable = None
        self._computes_together = False
        towers: dict[Tower, Reasoner | Generator] = {"reasoner": model.reasoner, "generator": model.generator}
        for name, tower in towers.items():
            if isinstance(tower.blocks, ShardedBlocks):
                tower.blocks.turn = partial(self._turn, name)

    def use_adapter(self, path: Path | None, scale: float, adapter: Hashable) -> None:
        """The model uses another adapter here, `adapter`, and from now on there too."""
        if adapter != self._adapter:
            self._adapter = adapter
            self._tell(UseAdapter(path, scale), self._group.num_ranks)

    def forget_prompts(self) -> None:
        """Prompts that were read are given up here, and now there too."""
        self._tell(ForgetPrompts(), self._group.num_ranks)

    def begin(self, plan: Plan, prepare: Callable[[], Trajectory]) -> Trajectory:
        """Prepare a plan here, while the ranks that share it prepare it too. They forget it when it is let go.

        Raises:
            EngineLost: a rank did not answer.
        """
        self._forget()
        ranks = self._count(plan)
        if ranks == 1:
            return prepare()
        shared = _Shared(self._numbers, ranks)
        self._numbers += 1
        self._tell(Begin(shared.number, portable(plan)), ranks)
        try:
            with self._together():
                trajectory = prepare()
        except RuntimeError:  # no memory for it here
            self._dropped.append(shared)
            raise
        self._shared[id(trajectory)] = shared
        weakref.finalize(trajectory, self._let_go, id(trajectory)).atexit = False
        return trajectory

    def go_on(self, trajectory: Trajectory, plan: Plan, prepare: Callable[[], Trajectory]) -> None:
        """A trajectory takes over its next chunk, here and on the ranks that share it."""
        if shared := self._shared.get(id(trajectory)):
            self._tell(GoOn(shared.number, portable(plan)), shared.num_ranks)
        with self._together():
            trajectory.go_on(prepare())

    def denoise(self, trajectories: Sequence[Trajectory]) -> None:
        """One step for each; those that different numbers of ranks share are moved one set after the other.

        Raises:
            EngineLost: a rank did not answer.
        """
        self._forget()
        for ranks in sorted({self._ranks(trajectory) for trajectory in trajectories}):
            together = [trajectory for trajectory in trajectories if self._ranks(trajectory) == ranks]
            # Sums of the same numbers may differ between two ranks in their last bit: this one decides for all.
            steps = next_steps(together)
            if ranks == 1:
                denoise(self._model, steps)
            else:
                self._move(steps, ranks)

    def decoding_ranks(self, plan: Plan, latents: Tensor) -> int:
        """How many ranks decode latents [C, T, rows, columns] of a plan's clip."""
        return self._count_decoding(latents.shape, self._count(plan))

    def least_free(self, ranks: int, own: int) -> int:
        """Bytes that can still be taken on the one of so many ranks that has the least left.

        Args:
            own: that can be taken on this one.

        Raises:
            EngineLost: a rank did not answer.
        """
        self._forget()
        self.is_whole = False
        self._tell(Measure(ranks), ranks)
        least = self._group.ring(ranks).least(own, self._group.device)
        self.is_whole = True
        return least

    def decode(self, latents: Tensor, ranks: int, at_once: int | None = None) -> Iterator[Tensor]:
        """`ClipCoder.decode` on so many ranks.

        The others decode a piece when it is asked for, and forget a clip that is at its end or given up half way.

        Raises:
            EngineLost: a rank did not answer.
        """
        shared = _Shared(self._numbers, ranks)
        self._numbers += 1
        memory, lengths = self._decoder.memory(), self._coder.piece_lengths(latents, at_once, ranks)
        # Now and whole: a copy of the next piece would wait for the device to be done with this one.
        on_host = latents.cpu()
        try:
            pairs = zip(latents.split(lengths, 1), on_host.split(lengths, 1), strict=True)
            for index, (piece, told) in enumerate(pairs):
                self._forget()
                self.is_whole = False
                # A view would be pickled with all that it is a view of.
                self._tell(Decode(shared.number, index == 0, told.clone(), ranks), ranks)
                pixels = self._decoder.decode(piece, memory, self._group.ring(ranks))
                self.is_whole = True
                yield pixels
        finally:
            self._dropped.append(shared)

    def _move(self, steps: Sequence[Step], ranks: int) -> None:
        layout = self._divide(ranks, sum(len(step.branches) for step in steps))
        numbers = tuple(self._shared[id(step.trajectory)].number for step in steps)
        self.is_whole = False
        self._tell(Move(numbers, tuple(step.is_kept for step in steps), layout), ranks)
        with self._together():
            denoise(self._model, steps, partial(self._spread, layout=layout))
        self.is_whole = True

    @contextmanager
    def _together(self) -> Iterator[None]:
        """What is computed meanwhile is computed by all ranks that share weights."""
        self._computes_together = True
        try:
            yield
        finally:
            self._computes_together = False

    @contextmanager
    def _turn(self, tower: Tower) -> Iterator[None]:
        """This rank goes through blocks whose weights are divided; where it does so alone, the others lend theirs."""
        was_whole, self.is_whole = self.is_whole, False
        if not self._computes_together:
            self._tell(Lend(tower), self._group.num_ranks)
        yield
        # Not where it broke off: the others would wait for the rest of it.
        self.is_whole = was_whole

    def _ranks(self, trajectory: Trajectory) -> int:
        shared = self._shared.get(id(trajectory))
        return 1 if shared is None else shared.num_ranks

    def _let_go(self, identity: int) -> None:
        # At any moment, in the middle of a message too: the others are told before the next one.
        self._dropped.append(self._shared.pop(identity))

    def _forget(self) -> None:
        dropped, self._dropped = self._dropped, []
        for ranks in sorted({shared.num_ranks for shared in dropped}):
            self._tell(Drop(tuple(shared.number for shared in dropped if shared.num_ranks == ranks)), ranks)

    def _tell(self, order: Order, ranks: int) -> None:
        try:
            for pipe in self._pipes[: ranks - 1]:
                send(pipe, order)
        except OSError as error:
            self.is_whole = False
            self._group.lost()
            raise EngineLost(f"Another rank was lost: {error.strerror or error}.") from None
