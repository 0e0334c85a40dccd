"""Loading the engine as the server was told to: on one device or several, its weights there or on the host."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

import structlog

from engine import Engine
from engine.memory import Peers
from engine.parallel import Leader, RankGroup, rank_device
from engine.parallel.table import num_ranks
from engine.towers import Precision

log = structlog.get_logger("orrery.ranks")

LAST_WORDS_S = 5.0
"""How long the leader may still go on after a rank has said what ails it: what does not fit there does not fit here
either, and then the job fails for that reason and not for a lost rank."""


class RankProcesses:
    """Ranks 1 to n - 1.

    Attributes:
        pipes: orders to each of them.
        group: this process is rank 0 of it.
    """

    def __init__(self, num_ranks: int, folder: Path, device: str, lost: Callable[[], object], *options: str) -> None:
        """Start them, wait until all have come; they load the checkpoint while this process loads its own.

        Called on the main thread: the kernel's parent-death signal follows the thread that started the child.

        Args:
            folder: of the checkpoint.
            device: the leader's; see `rank_device`.
            lost: told, on a thread of its own, that a rank is of no use any more.
            options: further ones of `python -m backend.worker.rank`.

        Raises:
            BadInput: there are fewer GPUs.
            EngineLost: they did not come.
            OSError: no process could be started.
        """
        assert threading.current_thread() is threading.main_thread()
        place = rank_device(device, 0, num_ranks)
        self._lost = lost
        self._ending = False
        self.pipes: list[Connection] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        # Where the ranks meet, now and whenever PyTorch likes: a file without a name, gone with the last of them.
        self._meeting = os.memfd_create("orrery-ranks", 0)
        for rank in range(1, num_ranks):
            self._start(rank, num_ranks, folder, device, options)
        self.group = RankGroup.join(0, num_ranks, f"/proc/self/fd/{self._meeting}", place)
        log.info("ranks_met", num_ranks=num_ranks, pids=self.pids)

    @property
    def pids(self) -> list[int]:
        """Process ids, by rank."""
        return [process.pid for process in self._processes]

    def close(self) -> None:
        """End them; nobody is told."""
        self._ending = True
        for process, pipe in zip(self._processes, self.pipes, strict=True):
            process.kill()
            process.wait()
            pipe.close()
        os.close(self._meeting)

    def _start(self, rank: int, num_ranks: int, folder: Path, device: str, further: tuple[str, ...]) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            options = [f"--pipe={theirs.fileno()}", f"--meeting={self._meeting}", f"--parent={os.getpid()}"]
            options += [f"--rank={rank}", f"--ranks={num_ranks}", f"--device={device}", f"--folder={folder}"]
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "backend.worker.rank", *options, *further],
                pass_fds=[theirs.fileno(), self._meeting],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
            )
            pipe = Connection(ours.detach())
        self._processes.append(process)
        self.pipes.append(pipe)
        threading.Thread(target=self._watch, args=(rank, process, pipe), name=f"rank-{rank}", daemon=True).start()

    def _watch(self, rank: int, process: subprocess.Popen[bytes], pipe: Connection) -> None:
        """Wait for a rank's last words, or for its end without any."""
        reason = ""
        with suppress(EOFError, OSError):
            reason = pipe.recv_bytes().decode()
        if self._ending:
            return
        log.error("rank_lost", rank=rank, pid=process.pid, reason=reason)
        if reason:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LAST_WORDS_S)
        self._lost()


class Loader:
    """Loads a checkpoint once.

    Args:
        gpus: how many share the steps and decodes of clips; this process leads the others, which it starts.
        policy_gpus: how many share the steps of policies.
        offload, precision: see `Engine.load`; the other ranks likewise.
        shard_weights: the ranks divide the weights among them.
        end: ends this process, from any thread: a rank was lost, and with it the group.
    """

    def __init__(
        self,
        gpus: int,
        policy_gpus: int,
        offload: bool,
        shard_weights: bool,
        precision: Precision,
        end: Callable[[], NoReturn],
    ) -> None:
        self._gpus = gpus
        self._policy_gpus = policy_gpus
        self._offload = offload
        self._shard_weights = shard_weights
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
        options = [f"--precision={self._precision}"]
        options += ["--offload"] if self._offload else ["--shard-weights"] if self._shard_weights else []
        ranks = RankProcesses(self._gpus, folder, device, self._end, *options)
        ranks.group.lost = self._end
        peers = ranks.group.another_ring() if self._shard_weights else None
        engine = self._read(folder, str(ranks.group.device), peers)
        count = partial(
            num_ranks,
            available=self._gpus,
            policy_ranks=self._policy_gpus,
            on_gpu=ranks.group.device.type == "cuda",
            precision=self._precision,
            together=self._shard_weights,
        )
        engine.leader = Leader(engine.model, engine.coder, ranks.group, ranks.pipes, count)
        return engine

    def _read(self, folder: Path, device: str, peers: Peers | None = None) -> Engine:
        return Engine.load(folder, device=device, offload=self._offload, precision=self._precision, peers=peers)
