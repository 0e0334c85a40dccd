"""`python -m backend.worker`: started by the server with a pipe, never by a person."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from backend.worker.parent import die_with_parent


def main() -> None:
    """Tie this process to its server, load the engine's libraries, then serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pipe", type=int, required=True, help="file descriptor of the pipe")
    parser.add_argument("--parent", type=int, required=True, help="process id of the server")
    parser.add_argument("--media", type=Path, required=True, help="folder of the media store")
    parser.add_argument("--adapters", type=Path, required=True, help="folder of LoRA adapters")
    parser.add_argument("--checkpoint", required=True, help="id of the checkpoint, for recipes")
    options = parser.parse_args()
    die_with_parent(options.parent)
    os.set_inheritable(options.pipe, False)
    _serve(options.pipe, options.media, options.adapters, options.checkpoint)


def _serve(pipe: int, media: Path, adapters: Path, checkpoint: str) -> None:
    # Seconds of imports: the server must be able to die in the middle of them without leaving this process behind.
    from multiprocessing.connection import Connection

    from backend.adapter_rack import AdapterRack
    from backend.logs import configure_logs
    from backend.media import MediaStore
    from backend.worker.lifeline import Lifeline
    from backend.worker.loop import Worker

    configure_logs()
    Worker(Lifeline(Connection(pipe)), MediaStore(media), AdapterRack(adapters), checkpoint).run()


if __name__ == "__main__":
    main()
