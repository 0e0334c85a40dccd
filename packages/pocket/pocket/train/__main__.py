"""`python -m pocket.train STAGE`: one command for each stage, and those that draw, measure and assemble."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from pocket.train.loop import Options
from pocket.train.shape import SHAPES
from studio.errors import StudioError
from tuning.ranks import joined

DEFAULTS: dict[str, tuple[int, float]] = {
    "vae": (32, 4e-4),
    "decoder": (32, 4e-4),
    "sound": (16, 5e-4),
    "reasoner": (64, 1e-3),
    "pictures": (512, 8e-4),
    "generator": (512, 8e-4),
}
"""Batch and learning rate of each stage that trains, for a large GPU."""

STAGES = ("data", "start", "tokenizer", *DEFAULTS, "whole", "assemble", "curves", "sizes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status is 1 where it could not be done."""
    given = _parser().parse_args(arguments)
    given.started_s = time.monotonic()
    # A thread for each worker's neighbour: on a processor two are what a checkpoint will run on.
    if not given.device.startswith("cuda"):
        torch.set_num_threads(given.threads)
    elif ":" in given.device:
        # Of streams and graphs too, which belong to the GPU that is current.
        torch.cuda.set_device(given.device)
    torch.set_float32_matmul_precision("high")
    # The VAE's convolutions have a handful of shapes, each asked for thousands of times.
    torch.backends.cudnn.benchmark = True
    logging.getLogger("diffusers").setLevel(logging.ERROR)
    try:
        with joined(given.device) as given.device:
            _COMMANDS[given.stage](given)
    except StudioError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pocket.train", description=__doc__)
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("names", nargs="*", help="of sizes: which candidates are measured")
    parser.add_argument("--out", type=Path, default=Path("pocket-out"), help="states, curves and the checkpoint")
    parser.add_argument("--data", type=Path, default=Path("pocket-data"), help="shards of episodes")
    parser.add_argument(
        "--time-limit-s", type=float, default=60.0, help="of the command: reading and waiting for data too"
    )
    parser.add_argument("--steps", type=int, help="end at this step, counted over all runs of the stage")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shape", choices=tuple(SHAPES), default="pocket")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--decay-share", type=float, default=0.4, help="0 for a run that will be continued")
    parser.add_argument("--reasoner-rate", type=float, default=0.0, help="let the reasoner learn along, so much slower")
    parser.add_argument("--workers", type=int, default=0, help="processes that render while training runs")
    parser.add_argument("--encoders", type=int, default=0, help="processes that encode episodes or write lessons")
    parser.add_argument("--fed", action="store_true", help="another command renders: wait for its first shard")
    parser.add_argument("--render-s", type=float, default=0.0, help="head start of those processes")
    parser.add_argument(
        "--shard-size",
        type=int,
        default=16,
        help="videos per file; four times as many stills, a quarter as many policies",
    )
    parser.add_argument("--log-every", type=int, default=20, help="steps between two lines")
    parser.add_argument("--threads", type=int, default=2, help="of a run on a processor")
    parser.add_argument("--stills", type=int, default=256, help="of data: how many stills are rendered")
    parser.add_argument("--clips", type=int, default=64)
    parser.add_argument("--policies", type=int, default=16)
    parser.add_argument("--glances", type=int, default=32)
    parser.add_argument("--beginnings", type=int, default=64)
    parser.add_argument("--whole-s", type=float, default=1200.0, help="of whole: over all its calls")
    parser.add_argument(
        "--checkpoint",
        type=Path,
        help="for whole and assemble: where to write it; for start: the one to continue; default: OUT/pocket",
    )
    return parser


def _options(given: argparse.Namespace) -> Options:
    batch, rate = DEFAULTS.get(given.stage, (16, 1e-3))
    return Options(
        out=given.out,
        data=given.data,
        time_limit_s=given.time_limit_s,
        steps=given.steps,
        device=given.device,
        seed=given.seed,
        batch=given.batch or batch,
        learning_rate=given.learning_rate or rate,
        decay_share=given.decay_share,
        workers=given.workers,
        encoders=given.encoders,
        is_fed=given.fed,
        shard_size=given.shard_size,
        render_s=given.render_s,
        log_every=given.log_every,
        shape=given.shape,
        started_s=given.started_s,
    )


def _data(given: argparse.Namespace) -> None:
    from pocket.train.shards import render

    render(
        given.data,
        {
            "still": given.stills,
            "clip": given.clips,
            "policy": given.policies,
            "glance": given.glances,
            "beginnings": given.beginnings,
        },
        given.shard_size,
    )


def _start(given: argparse.Namespace) -> None:
    from pocket.train.starting import start

    start(_options(given), given.checkpoint or given.out / "pocket")


def _tokenizer(given: argparse.Namespace) -> None:
    from pocket.train import tokenizing

    _say({"tokens": tokenizing.run(_options(given))})


def _vae(given: argparse.Namespace) -> None:
    from pocket.train import video_vae

    video_vae.run(_options(given), stage=given.stage)


def _sound(given: argparse.Namespace) -> None:
    from pocket.train import sound_codec

    sound_codec.run(_options(given))


def _reasoner(given: argparse.Namespace) -> None:
    from pocket.train import reasoner

    reasoner.run(_options(given))


def _generator(given: argparse.Namespace) -> None:
    from pocket.train import generator

    generator.run(_options(given), given.stage, reasoner_rate=given.reasoner_rate)


def _whole(given: argparse.Namespace) -> None:
    from pocket.train import whole

    _say({"over": whole.run(_options(given), given.whole_s, given.checkpoint or given.out / "pocket")})


def _assemble(given: argparse.Namespace) -> None:
    from pocket.train.finishing import finish

    folder = given.checkpoint or given.out / "pocket"
    _say({"checkpoint": str(folder), "bytes": finish(_options(given), folder)})


def _curves(given: argparse.Namespace) -> None:
    from tuning.curves import draw_curves

    for path in sorted(given.out.glob("*.jsonl")):
        draw_curves(path, path.with_suffix(".png"))


def _sizes(given: argparse.Namespace) -> None:
    from pocket.train.sizes import measure_all

    print(measure_all(given.names))  # noqa: T201


def _say(values: dict[str, object]) -> None:
    print(json.dumps(values))  # noqa: T201


_COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "data": _data,
    "start": _start,
    "tokenizer": _tokenizer,
    "vae": _vae,
    "decoder": _vae,
    "sound": _sound,
    "reasoner": _reasoner,
    "pictures": _generator,
    "generator": _generator,
    "whole": _whole,
    "assemble": _assemble,
    "curves": _curves,
    "sizes": _sizes,
}


if __name__ == "__main__":
    sys.exit(main())
