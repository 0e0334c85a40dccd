"""What a step cache saves and how far it drifts: thresholds against the exact path, from the same seeds."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from engine.bench.cases import Row, small_rows, with_step_cache, with_steps
from engine.bench.measuring import measure_engine, psnr_db, ssim, take_steps, write_result
from engine.bench.stage import Stage
from engine.engine import Engine
from engine.speck import build_speck
from studio.errors import StudioError

THRESHOLDS = (0.02, 0.05, 0.1, 0.2)

STEPS = 35
"""On a processor; on a GPU the cases have their own."""


@dataclass(frozen=True)
class Saving:
    """One row of the table.

    Attributes:
        step_cache: the threshold; none is the exact path.
        computed, kept: steps.
        seconds: from words to the file.
        psnr_db, ssim: of the frames against the exact ones.
        fewer_steps_db: PSNR of a run that has only as many steps as were computed: a cache that is no better than that
            earns nothing.
    """

    case: str
    step_cache: float | None
    computed: int
    kept: int
    step_ms: float
    seconds: float
    psnr_db: float | None = None
    ssim: float | None = None
    fewer_steps_db: float | None = None


def run(options: argparse.Namespace, device: torch.device) -> int:
    """Run every case that is no robot's, exact and with each threshold; 2 when none is called so."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            engine, rows = _stage(options.folder, device, Path(scratch))
        except StudioError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        names = [row.name for row in rows] if options.case is None else options.case.split(",")
        chosen = [row for row in rows if row.name in names]
        if len(chosen) < len(names):
            sys.stderr.write(f"No case is called {options.case!r}: {', '.join(row.name for row in rows)}.\n")
            return 2
        sys.stdout.write(_HEAD)
        savings = [saving for row in chosen for saving in _savings(engine, row, Path(scratch), options)]
    if options.json is not None:
        there = json.loads(options.json.read_text()) if options.json.is_file() else {}
        table = {"step_cache": [asdict(saving) for saving in savings]}
        options.json.write_text(json.dumps(there | table, indent=2) + "\n")
    return 0


def _stage(folder: Path | None, device: torch.device, scratch: Path) -> tuple[Engine, list[Row]]:
    if device.type == "cuda":
        stage = Stage.build(device, with_library=False)
        return stage.engine, [row for row in stage.rows if not row.chunks]
    if folder is None:
        folder = scratch / "speck"
        build_speck(folder)
    rows = small_rows("A red cube in the middle on a wooden table.", "blurred", STEPS)
    return Engine.load(folder, device="cpu"), [row for row in rows if not row.chunks]


def _savings(engine: Engine, row: Row, scratch: Path, options: argparse.Namespace) -> list[Saving]:
    found: list[Saving] = []
    exact: np.ndarray | None = None
    for threshold in (None, *THRESHOLDS):
        made = measure_engine(engine, with_step_cache(row, threshold), scratch, options.repeats, max_steps=None)
        assert made.frames is not None
        exact = made.frames if exact is None else exact
        computed = made.num_steps - made.num_kept
        fewer = _frames_of(engine, with_steps(row, computed), scratch) if made.num_kept else None
        saving = Saving(
            row.name,
            threshold,
            computed,
            made.num_kept,
            made.step_ms,
            made.seconds,
            None if threshold is None else psnr_db(made.frames, exact),
            None if threshold is None else ssim(made.frames, exact),
            None if fewer is None else psnr_db(fewer, exact),
        )
        sys.stdout.write(_shown(saving))
        sys.stdout.flush()
        found.append(saving)
    return found


def _frames_of(engine: Engine, row: Row, scratch: Path) -> np.ndarray:
    frames = write_result(engine, row, take_steps(engine, row, reads_prompt=False).trajectory, scratch)
    assert frames is not None
    return frames


_HEAD = (
    f"{'case':12} {'step cache':>10} {'computed':>9} {'kept':>5} {'ms/step':>9} {'seconds':>9} "
    f"{'PSNR':>6} {'SSIM':>6} {'fewer':>6}\n"
)


def _shown(saving: Saving) -> str:
    threshold = "exact" if saving.step_cache is None else f"{saving.step_cache:g}"
    drift = "" if saving.psnr_db is None else f" {saving.psnr_db:6.1f} {saving.ssim:6.3f}"
    fewer = "" if saving.fewer_steps_db is None else f" {saving.fewer_steps_db:6.1f}"
    return (
        f"{saving.case:12} {threshold:>10} {saving.computed:9} {saving.kept:5} {saving.step_ms:9.2f} "
        f"{saving.seconds:9.3f}{drift}{fewer}\n"
    )
