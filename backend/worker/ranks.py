"""The other ranks' processes, started and watched by the worker that leads them.

They are the worker's children and end with it, so that the server knows of one process alone: a rank that dies takes
the worker with it, the server starts another worker, that one another group, and the job counts one attempt.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import structlog

from engine.parallel import RankGroup, rank_device

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
