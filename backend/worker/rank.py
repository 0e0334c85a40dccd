"""`python -m backend.worker.rank`: a rank other than the first, started by the worker that leads it."""

from __future__ import annotations

import argparse
import os
import queue
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from backend.worker.parent import die_with_parent
from engine.parallel.orders import Order, receive
from studio.errors import StudioError


class OrderQueue:
    """Orders in, at most one failure out. A thread reads, so that the leader's end is noticed within a step."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def next(self) -> Order:
        """The next order, as soon as there is one."""
        return self._orders.get()

    def give_up(self, error: StudioError) -> NoReturn:
        """Tell the leader why this rank is of no use any more, and wait to be ended by it.

        Until then the others find nobody gone: the leader may come to the same error by itself.
        """
        with suppress(OSError):
            self._pipe.send_bytes(str(error).encode())
        while True:
            self._orders.get()

    def _read(self) -> None:
        try:
            while True:
                self._orders.put(receive(self._pipe))
        except (EOFError, OSError):
            os._exit(0)


def main() -> None:
    """Tie this process to its leader, then do as it says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pipe", type=int, required=True, help="file descriptor of the pipe to the leader")
    parser.add_argument("--meeting", type=int, required=True, help="file descriptor of the file where ranks meet")
    parser.add_argument("--parent", type=int, required=True, help="process id of the leader")
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--ranks", type=int, required=True, help="how many there are")
    parser.add_argument("--device", required=True, help="the leader's")
    parser.add_argument("--folder", type=Path, required=True, help="of the checkpoint")
    parser.add_argument("--precision", default="exact", help="of the generator")
    parser.add_argument("--offload", action="store_true", help="keep the weights on the host")
    parser.add_argument("--shard-weights", action="store_true", help="divide the weights among the ranks")
    options = parser.parse_args()
    die_with_parent(options.parent)
    os.set_inheritable(options.pipe, False)
    _follow(options)


def _follow(options: argparse.Namespace) -> None:
    # Seconds of imports: the leader must be able to die in the middle of them without leaving this process behind.
    from backend.worker.rank import OrderQueue
    from engine.parallel import Follower, RankGroup, rank_device
    from studio.errors import StudioError
    from studio.logs import configure_logs

    configure_logs()
    orders = OrderQueue(Connection(options.pipe))
    try:
        device = rank_device(options.device, options.rank, options.ranks)
        group = RankGroup.join(options.rank, options.ranks, f"/proc/self/fd/{options.meeting}", device)
        peers = group.another_ring() if options.shard_weights else None
        follower = Follower.load(
            options.folder, group, precision=options.precision, offload=options.offload, peers=peers
        )
        while True:
            follower.obey(orders.next())
    except StudioError as error:
        orders.give_up(error)


if __name__ == "__main__":
    main()
