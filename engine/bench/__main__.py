"""Time the engine against diffusers and print one table.

python -m engine.bench [--device auto] [--case NAME] [--repeats 3] [--json FILE]
    [--throughput | --step-cache | --start | --profile | --gpus N]

On a GPU: a model of Nano's shape with random weights, in diffusers, exact, with a step cache and in FP8
(`engine.bench.speed`). On a processor: every mode of a tiny checkpoint (`engine.bench.modes`), whose ratios alone mean
something.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from engine.bench import caching, groups, modes, profiling, speed, starting, throughput
from engine.device import pick_device
from studio.errors import StudioError


def main() -> int:
    """Run what is asked for; 2 when there is no such device, folder or case."""
    parser = argparse.ArgumentParser(prog="orrery bench", description="Time the engine against diffusers.")
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--case", help="run only these cases, comma-separated; on a CPU, cases whose name contains this"
    )
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of short cases; medians are shown")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file; rows of other cases are kept")
    parser.add_argument("--throughput", action="store_true", help="measure images per minute, packed and one at a time")
    parser.add_argument("--step-cache", action="store_true", help="measure the speed-up and drift of step caches")
    parser.add_argument("--profile", action="store_true", help="sum the kernels of a denoising step (GPU)")
    modes.add_options(parser)
    speed.add_options(parser)
    groups.add_options(parser)
    starting.add_options(parser)
    options = parser.parse_args()
    if options.gpus is not None:
        return groups.run(options)
    try:
        return _run(options, pick_device(options.device))
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _run(options: argparse.Namespace, device: torch.device) -> int:
    if options.throughput:
        return throughput.run(options, device)
    if options.step_cache:
        return caching.run(options, device)
    if options.profile:
        return profiling.run(options, device)
    if options.start:
        return starting.run(options, device)
    return modes.run(options) if device.type == "cpu" else speed.run(options, device)


if __name__ == "__main__":
    sys.exit(main())
