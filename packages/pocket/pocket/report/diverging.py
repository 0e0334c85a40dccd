"""`python -m pocket.report.diverging`: the runs of `robot.evaluation.divergence` with the engine in the same process.

It needs no server, and several may share a GPU: each drives its part of the runs, and one sums up the lines of all.

    python -m pocket.report.diverging FOLDER --device cuda --part 0 --parts 8 >runs-0.jsonl
    python -m pocket.report.diverging --sum runs-*.jsonl
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine import Engine
from robot.evaluation.divergence import LIMIT, NUM_RUNS, NUM_TICKS, DisturbedRuns, disturbed_series, summed_up
from robot.foresight.clip import ForeseenClip, read_clip
from robot.observation import Observation
from studio.errors import StudioError
from studio.logs import configure_logs
from studio.presets import load_presets
from studio.rules.view_layout import ViewLayout
from studio.wire.foreseen_clip import pack_clip
from tuning.policy.trying import EnginePolicy


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; 2 with one line that says why when it cannot go on."""
    parser = argparse.ArgumentParser(
        prog="python -m pocket.report.diverging", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("checkpoint", nargs="?", type=Path, default=Path("presets/pocket"), help="its folder")
    parser.add_argument("--device", default="cpu", help="where the engine computes (default: cpu)")
    parser.add_argument("--runs", type=int, default=NUM_RUNS, help=f"number of runs (default: {NUM_RUNS})")
    parser.add_argument("--seed", type=int, default=0, help="another seed has other tables (default: 0)")
    parser.add_argument("--part", type=int, default=0, help="of the runs, which part is driven here (default: 0)")
    parser.add_argument("--parts", type=int, default=1, help="how many parts there are (default: 1)")
    parser.add_argument("--sum", nargs="+", type=Path, metavar="FILE", help="drive nothing, sum up these lines")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"limit to report on (default: {LIMIT:g})")
    parser.add_argument("--ticks", type=int, default=NUM_TICKS, help=f"ticks beyond it (default: {NUM_TICKS})")
    said = parser.parse_args(arguments)
    configure_logs(logging.ERROR)
    if said.sum:
        lines = [json.loads(line) for file in said.sum for line in file.read_text().splitlines() if '"item"' in line]
        runs = [(line["disturbance"], line["divergence"]) for line in lines]
        sys.stdout.write(json.dumps(summed_up(runs, said.limit, said.ticks)) + "\n")
        return 0
    try:
        _drive(said)
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


class ForeseeingEngine:
    """The checkpoint in this process, with the frames that it foresees."""

    def __init__(self, folder: Path, device: str) -> None:
        defaults = load_presets()["pocket"].defaults["run_policy"]
        self._policy = EnginePolicy(Engine.load(folder, device=device), defaults)
        own = json.loads((folder / "embodiments.json").read_text())
        self._layout = ViewLayout.model_validate(own["droid_joint_position"]["layout"])

    def begin(self) -> None:
        """Another run: see `EnginePolicy`."""
        self._policy.begin()

    def ask(self, seen: Observation) -> tuple[NDArray[np.float64], ForeseenClip]:
        """See `robot.evaluation.divergence.Foresees`. Raises StudioError."""
        result = self._policy.answer(seen)
        assert result.actions is not None, "a policy's request comes to actions"
        clip = read_clip(pack_clip("", np.concatenate(list(result.frames)), self._layout))
        return result.actions.astype(np.float64), clip


def _drive(said: argparse.Namespace) -> None:
    """Raises StudioError: nothing can be rendered here, or the checkpoint cannot be loaded."""
    policy = ForeseeingEngine(said.checkpoint, said.device)
    trials = DisturbedRuns(policy.ask)
    try:
        for number in range(said.part, said.runs, said.parts):
            policy.begin()
            list(disturbed_series(trials, said.runs, said.seed, [number]))
    finally:
        trials.close()


if __name__ == "__main__":
    sys.exit(main())
