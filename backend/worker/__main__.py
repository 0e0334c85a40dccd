"""`python -m backend.worker`: started by the server with a pipe, never by a person."""

from __future__ import annotations

import argparse
from multiprocessing.connection import Connection
from pathlib import Path

from backend.logs import configure_logs
from backend.media import MediaStore
from backend.worker.lifeline import Lifeline, die_with_parent
from backend.worker.loop import Worker


def main() -> None:
    """Tie this process to its server, then serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pipe", type=int, required=True, help="file descriptor of the pipe")
    parser.add_argument("--parent", type=int, required=True, help="process id of the server")
    parser.add_argument("--media", type=Path, required=True, help="folder of the media store")
    parser.add_argument("--checkpoint", required=True, help="id of the checkpoint, for recipes")
    options = parser.parse_args()
    die_with_parent(options.parent)
    configure_logs()
    lifeline = Lifeline(Connection(options.pipe))
    Worker(lifeline, MediaStore(options.media), options.checkpoint).run()


if __name__ == "__main__":
    main()
