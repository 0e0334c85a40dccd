"""`python -m backend.worker`: started by the server with a pipe, never by a person."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from backend.worker.parent import die_with_parent
from backend.worker.priority import Priority


def main() -> None:
    """Tie this process to its server, load the engine's libraries, then serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pipe", type=int, required=True, help="file descriptor of the pipe")
    parser.add_argument("--parent", type=int, required=True, help="process id of the server")
    parser.add_argument("--media", type=Path, required=True, help="folder of the media store")
    parser.add_argument("--adapters", type=Path, required=True, help="folder of LoRA adapters")
    parser.add_argument("--checkpoint", required=True, help="id of the checkpoint, for recipes")
    parser.add_argument("--gpus", type=int, default=1, help="how many share a video's steps")
    parser.add_argument("--policy-gpus", type=int, default=1, help="how many share a policy's steps")
    parser.add_argument("--offload", action="store_true", help="keep the weights on the host")
    parser.add_argument("--shard-weights", action="store_true", help="divide the weights among the GPUs")
    parser.add_argument("--precision", default="exact", help="of the generator")
    parser.add_argument("--guardrail-url", help="who looks at the frames of guarded jobs, on loopback")
    options = parser.parse_args()
    die_with_parent(options.parent)
    priority = Priority()
    os.set_inheritable(options.pipe, False)
    _serve(options, priority)


def _serve(options: argparse.Namespace, priority: Priority) -> None:
    # Seconds of imports: the server must be able to die in the middle of them without leaving this process behind.
    from multiprocessing.connection import Connection

    from backend.checkpoints.adapters import AdapterFolder
    from backend.guarding import FrameGuard
    from backend.media import MediaStore
    from backend.worker.loading import Loader
    from backend.worker.loop import Worker
    from backend.worker.server_pipe import ServerPipe
    from studio.logs import configure_logs

    configure_logs()
    pipe = ServerPipe(Connection(options.pipe))
    load = Loader(
        options.gpus, options.policy_gpus, options.offload, options.shard_weights, options.precision, pipe.end
    )
    media, guard = MediaStore(options.media), FrameGuard(options.guardrail_url)
    Worker(pipe, media, AdapterFolder(options.adapters), options.checkpoint, load, guard, priority).run()


if __name__ == "__main__":
    main()
