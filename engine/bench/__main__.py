"""Time the engine against diffusers and print one table.

python -m engine.bench [--folder FOLDER] [--steps 20] [--repeats 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import diffusers
import torch

from engine.bench.cases import Timing, image_request, load_pipeline, time_case
from engine.engine import Engine
from engine.speck import build_speck
from studio.errors import StudioError


def main() -> int:
    """Run the cases; 2 when the folder cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m engine.bench", description="Time the engine against diffusers.")
    parser.add_argument("--folder", type=Path, help="a checkpoint; none builds speck for the occasion")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5, help="counted runs of each; the medians are shown")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch) / "speck"
        if options.folder is None:
            build_speck(folder)
        try:
            engine = Engine.load(folder, device="cpu")
        except StudioError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        timings = [time_case(engine, load_pipeline(folder), image_request("256", options.steps), options.repeats)]
    sys.stdout.write(table(timings))
    if options.json is not None:
        options.json.write_text(json.dumps(report(timings), indent=2) + "\n")
    return 0


def table(timings: list[Timing]) -> str:
    """Median seconds a picture, and how many times as long diffusers takes at its better thread count."""
    head = f"{'case':40} {'orrery':>10} {'diffusers':>10} {'2 threads':>10} {'ratio':>8}\n"
    rows = [
        f"{row.case:40} {row.orrery_s:9.3f}s {row.one_thread_s:9.3f}s {row.two_threads_s:9.3f}s {row.ratio:7.1f}x\n"
        for row in timings
    ]
    return head + "".join(rows)


def report(timings: list[Timing]) -> dict[str, object]:
    """The table as JSON, with what it was measured on."""
    return {
        "torch": torch.__version__,
        "diffusers": diffusers.__version__,
        "machine": platform.machine(),
        "cases": [{**asdict(row), "ratio": row.ratio} for row in timings],
    }


if __name__ == "__main__":
    sys.exit(main())
