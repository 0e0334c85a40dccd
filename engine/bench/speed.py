"""The cases of `engine.bench.cases` in diffusers (as it comes and tuned), exact, with a step cache and in FP8."""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import diffusers
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from engine.bench.cases import STEP_CACHE, Row, with_step_cache
from engine.bench.measuring import (
    FirstStep,
    Measured,
    engine_first_velocity,
    library_first_step,
    measure_engine,
    measure_library,
    psnr_db,
    relative,
    ssim,
)
from engine.bench.stage import SHAPES, Stage
from engine.bench.tuned_library import tuned
from engine.memory import keep_on_host
from engine.tower_loading import check_fp8_attention
from engine.towers import Precision
from engine.towers.attention_kernels import has_fa3

ENGINES = ("diffusers", "tuned", "exact", "cached", "fp8", "fp8-attention")


@dataclass
class Line:
    """One row of the table.

    Attributes:
        ratio: how many times as long diffusers takes.
        velocity_error: of the guided velocity of the first step, against diffusers from the same latents.
        spread: of diffusers against itself with another attention.
        psnr_db, ssim: against the exact frames.
        kept_steps: that took over the velocity of a step before them.
        p50_s, p99_s: of a robot's chunks, one after another.
    """

    case: str
    engine: str
    seconds: float
    step_ms: float
    peak_gib: float | None
    ratio: float | None = None
    velocity_error: float | None = None
    spread: float | None = None
    psnr_db: float | None = None
    ssim: float | None = None
    kept_steps: int | None = None
    first_s: float | None = None
    p50_s: float | None = None
    p99_s: float | None = None
    is_extrapolated: bool = False


def add_options(parser: argparse.ArgumentParser) -> None:
    """What only these cases have."""
    parser.add_argument(
        "--engines",
        default=",".join(ENGINES[:-1]),
        help="engines to time: diffusers, tuned (diffusers compiled, its quickest attention), exact, cached, fp8, or "
        "fp8-attention, which differs from fp8 in long sequences (GPU)",
    )
    parser.add_argument(
        "--offload",
        action="store_true",
        help="keep the blocks' weights on the host; exact alone, without diffusers (GPU)",
    )
    parser.add_argument("--max-steps", type=int, help="steps of a video to run; the rest is extrapolated (GPU)")


def run(options: argparse.Namespace, device: torch.device) -> int:
    """Run the cases; 2 when none is called so."""
    wanted = ["exact"] if options.offload else options.engines.split(",")
    if "fp8-attention" in wanted:
        check_fp8_attention(device)
    stage = Stage.build(device, with_library=not options.offload, config=SHAPES[options.shape])
    if options.offload:
        with torch.inference_mode():
            keep_on_host(stage.engine.model, device)
    names = [row.name for row in stage.rows] if options.case is None else options.case.split(",")
    rows = [row for row in stage.rows if row.name in names]
    if len(rows) < len(names):
        sys.stderr.write(f"No case is called {options.case!r}: {', '.join(row.name for row in stage.rows)}.\n")
        return 2
    lines = Lines(options.json, device, options.shape)
    with tempfile.TemporaryDirectory() as scratch:
        _measure(stage, rows, wanted, lines, Path(scratch), options)
    sys.stdout.write(lines.table())
    return 0


def _measure(
    stage: Stage, rows: list[Row], wanted: list[str], lines: Lines, scratch: Path, options: argparse.Namespace
) -> None:
    exact: dict[str, np.ndarray] = {}
    seen: dict[str, FirstStep] = {}
    for row in rows:
        if row.is_in_library and stage.pipeline is not None:
            seen[row.name] = _measure_library(stage, row, wanted, lines, scratch, options)
        if "exact" in wanted:
            error = _velocity_error(stage, row, seen.get(row.name))
            made = measure_engine(stage.engine, row, scratch, options.repeats, options.max_steps)
            if made.frames is not None:
                exact[row.name] = made.frames
            lines.add(row, "exact", made, velocity_error=error)
        # Its steps are not alike: some of them say nothing of the others.
        if "cached" in wanted and not row.chunks and options.max_steps is None:
            cached = with_step_cache(row, STEP_CACHE)
            made = measure_engine(stage.engine, cached, scratch, options.repeats, options.max_steps)
            lines.add(row, "cached", made, kept_steps=made.num_kept, **_drift(made, exact.get(row.name)))
    for precision in get_args(Precision):
        if precision == "exact" or precision not in wanted:
            continue
        stage.quantise(precision)
        for row in rows:
            # The first step, whose velocity is compared, attends exactly.
            error = _velocity_error(stage, row, seen.get(row.name)) if precision == "fp8" else None
            made = measure_engine(stage.engine, row, scratch, options.repeats, options.max_steps)
            lines.add(row, precision, made, velocity_error=error, **_drift(made, exact.get(row.name)))


def _measure_library(
    stage: Stage, row: Row, wanted: list[str], lines: Lines, scratch: Path, options: argparse.Namespace
) -> FirstStep:
    """diffusers' rows, and its first step as it comes, with which every other is compared."""
    if "diffusers" in wanted:
        made, seen = measure_library(stage, row, scratch, options.max_steps)
        lines.add(row, "diffusers", made, spread=_spread(stage, row, seen))
    else:
        seen = library_first_step(stage, row)
    if "tuned" in wanted and stage.engine.model.device.type == "cuda":
        assert stage.pipeline is not None
        with tuned(stage.pipeline.transformer):
            made, quick = measure_library(stage, row, scratch, options.max_steps)
        velocity = seen.guided(row.request.sampling.guidance_scale)
        error = relative(quick.guided(row.request.sampling.guidance_scale), velocity, torch.ones_like(velocity))
        lines.add(row, "tuned", made, velocity_error=error)
    return seen


def _drift(made: Measured, exact: np.ndarray | None) -> dict[str, float]:
    """Of frames against the exact ones, where there are both."""
    if made.frames is None or exact is None:
        return {}
    return {"psnr_db": psnr_db(made.frames, exact), "ssim": ssim(made.frames, exact)}


def _velocity_error(stage: Stage, row: Row, seen: FirstStep | None) -> float | None:
    if seen is None:
        return None
    velocity, where = engine_first_velocity(stage.engine, row, seen)
    return relative(velocity, seen.guided(row.request.sampling.guidance_scale), where)


def _spread(stage: Stage, row: Row, seen: FirstStep) -> float | None:
    """On a GPU: what PyTorch picks (on Hopper cuDNN's) against its FlashAttention."""
    if stage.engine.model.device.type == "cpu":
        return None
    other = library_first_step(stage, row, sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], True))
    scale = row.request.sampling.guidance_scale
    velocity = seen.guided(scale)
    return relative(other.guided(scale), velocity, torch.ones_like(velocity))


class Lines:
    """The table as it grows; written after every row, so that a run that is cut short leaves what it has."""

    def __init__(self, path: Path | None, device: torch.device, shape: str) -> None:
        self._path, self._shape = path, shape
        self._where = torch.cuda.get_device_name(device) if device.type == "cuda" else f"CPU, {platform.machine()}"
        self._lines: dict[tuple[str, str], Line] = {}
        self._others = json.loads(path.read_text()) if path is not None and path.is_file() else {}
        for entry in self._others.get("rows", ()):
            self._lines[entry["case"], entry["engine"]] = Line(**entry)

    def add(self, row: Row, engine: str, made: Measured, **more: Any) -> None:
        """A row more, or in place of one that was there."""
        theirs = self._lines.get((row.name, "diffusers"))
        ratio = theirs.seconds / made.seconds if theirs is not None and engine != "diffusers" else None
        line = Line(row.name, engine, made.seconds, made.step_ms, made.peak_gib, ratio, first_s=made.first_s, **more)
        line.is_extrapolated = made.is_extrapolated
        if made.latencies_s:
            line.p50_s, line.p99_s = (float(np.percentile(made.latencies_s, part)) for part in (50, 99))
        self._lines[row.name, engine] = line
        sys.stdout.write(_shown(line))
        sys.stdout.flush()
        if self._path is not None:
            self._path.write_text(json.dumps(self._others | self.report(), indent=2) + "\n")

    def report(self) -> dict[str, Any]:
        """All of it, with what it was measured on."""
        return {
            "device": self._where,
            "shape": self._shape,
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "torch": torch.__version__,
            "diffusers": diffusers.__version__,
            "fa3": has_fa3(),
            "rows": [asdict(line) for line in self._lines.values()],
        }

    def table(self) -> str:
        """What is there, in words and columns."""
        return f"\n{self._where}, torch {torch.__version__}\n{_HEAD}" + "".join(map(_shown, self._lines.values()))


_HEAD = (
    f"{'case':12} {'engine':13} {'ms/step':>9} {'seconds':>9} {'ratio':>6} {'GiB':>6} {'first s':>8} {'velocity':>9} "
    f"{'spread':>8} {'PSNR':>6} {'SSIM':>6} {'kept':>5} {'p50':>7} {'p99':>7}\n"
)


def _shown(line: Line) -> str:
    def number(value: float | None, width: int, digits: int) -> str:
        return " " * width if value is None else f"{value:{width}.{digits}f}"

    seconds = f"{line.seconds:8.3f}{'*' if line.is_extrapolated else ' '}"
    return (
        f"{line.case:12} {line.engine:13} {line.step_ms:9.2f} {seconds} {number(line.ratio, 6, 2)} "
        f"{number(line.peak_gib, 6, 1)} {number(line.first_s, 8, 1)} {number(line.velocity_error, 9, 5)} "
        f"{number(line.spread, 8, 5)} {number(line.psnr_db, 6, 1)} {number(line.ssim, 6, 3)} "
        f"{number(line.kept_steps, 5, 0)} {number(line.p50_s, 7, 4)} {number(line.p99_s, 7, 4)}\n"
    )
