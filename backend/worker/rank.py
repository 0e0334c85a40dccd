"""`python -m backend.worker.rank`: a rank other than the first, started by the worker that leads it."""

from __future__ import annotations

import argparse
import os
from multiprocessing.connection import Connection
from pathlib import Path

from backend.worker.parent import die_with_parent


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
    parser.add_argument("--precision", choices=("exact", "fp8"), default="exact", help="of the generator's products")
    parser.add_argument("--offload", action="store_true", help="keep the weights on the host")
    options = parser.parse_args()
    die_with_parent(options.parent)
    os.set_inheritable(options.pipe, False)
    _follow(options)


def _follow(options: argparse.Namespace) -> None:
    # Seconds of imports: the leader must be able to die in the middle of them without leaving this process behind.
    from backend.logs import configure_logs
    from backend.worker.orders import OrderQueue
    from engine.parallel import Follower, RankGroup, rank_device
    from studio.errors import StudioError

    configure_logs()
    orders = OrderQueue(Connection(options.pipe))
    try:
        device = rank_device(options.device, options.rank, options.ranks)
        group = RankGroup.join(options.rank, options.ranks, f"/proc/self/fd/{options.meeting}", device)
        follower = Follower.load(options.folder, group, precision=options.precision, offload=options.offload)
        while True:
            follower.obey(orders.next())
    except StudioError as error:
        orders.give_up(error)


if __name__ == "__main__":
    main()
