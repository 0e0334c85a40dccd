"""Loading the engine as the server was told to: on one device or several, its weights there or on the host."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from backend.worker.ranks import RankProcesses
from engine import Engine
from engine.parallel import Leader
from engine.parallel.table import num_ranks
from engine.towers import Precision


class Loader:
    """Loads a checkpoint once.

    Args:
        gpus: how many share the steps and decodes of clips; this process leads the others, which it starts.
        policy_gpus: how many share the steps of policies.
        offload, precision: see `Engine.load`; the other ranks likewise.
        end: ends this process, from any thread: a rank was lost, and with it the group.
    """

    def __init__(
        self, gpus: int, policy_gpus: int, offload: bool, precision: Precision, end: Callable[[], NoReturn]
    ) -> None:
        self._gpus = gpus
        self._policy_gpus = policy_gpus
        self._offload = offload
        self._precision: Precision = precision
        self._end = end

    def __call__(self, folder: Path, *, device: str) -> Engine:
        """As `Engine.load`.

        Raises:
            BadInput: there are fewer GPUs.
            EngineLost: the other ranks did not come.
            NotACheckpoint, BrokenCheckpoint, OutOfMemory: see `Engine.load`.
        """
        if self._gpus == 1:
            return self._read(folder, device)
        options = [f"--precision={self._precision}", *(["--offload"] if self._offload else [])]
        ranks = RankProcesses(self._gpus, folder, device, self._end, *options)
        ranks.group.lost = self._end
        engine = self._read(folder, str(ranks.group.device))
        count = partial(num_ranks, available=self._gpus, policy_ranks=self._policy_gpus)
        engine.leader = Leader(engine.model, engine.coder, ranks.group, ranks.pipes, count)
        return engine

    def _read(self, folder: Path, device: str) -> Engine:
        return Engine.load(folder, device=device, offload=self._offload, precision=self._precision)
