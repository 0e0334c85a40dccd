"""The cases on several ranks in every layout: milliseconds a step, seconds to the file, and whether it is one's result.

python -m engine.bench --gpus 4 [--case t2v-480] [--layouts 1x1,2x1,1x2] [--engines exact,fp8] [--max-steps 4]

Among the ranks of one group smaller groups are measured too: of four, the first two are one of two.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any, get_args

import numpy as np
import torch
from torch import Tensor

from engine.bench.cases import Row
from engine.bench.measuring import GIB, Stepped, chunk_latencies, take_steps, warm_up, write_result
from engine.bench.ranks import BenchRanks, started
from engine.bench.stage import SHAPES
from engine.engine import Engine
from engine.parallel import Layout, Leader
from engine.tower_loading import check_fp8_attention
from engine.towers import Precision
from studio.errors import BadInput, StudioError

ALONE = Layout(1, 1)

BRANCHES = 2
"""Of the cases' guidance."""

CHUNKS = 10
"""Of a robot's case: enough for a median, and there are many layouts."""


@dataclass(frozen=True)
class GroupLine:
    """One row of the table.

    Attributes:
        shape: of the model's, on a GPU.
        shards_weights: the ranks divide the weights among them.
        layout: groups x shards, as "2x1" for two ranks with a branch each.
        is_decode_divided: the ranks share the decode too; none where there is nothing to share.
        decode_s: from latents to the file.
        seconds: from the request to the file.
        peak_gib: on the first card.
        chunk_s: median of a robot's chunks, their prompt read before.
        is_same: latents equal those of the first layout to the bit.
        error: of latents, the largest difference as a part of the largest value.
        levels: the largest difference of a pixel's level, of 255.
        is_extrapolated: some steps were counted and not run.
        digest: of the latents, to compare runs by.
    """

    case: str
    engine: str
    shape: str
    shards_weights: bool
    layout: str
    is_decode_divided: bool | None
    step_ms: float
    decode_s: float
    seconds: float
    peak_gib: float | None
    chunk_s: float | None
    is_same: bool | None
    error: float | None
    levels: int | None
    is_extrapolated: bool
    digest: str


@dataclass(frozen=True)
class _Made:
    latents: list[Tensor]
    frames: np.ndarray | None


class Choice:
    """What the next request is divided by: the leader asks."""

    def __init__(self) -> None:
        self.layout = ALONE
        self.divides_decode = False

    def leader(self, engine: Engine, ranks: BenchRanks) -> Leader:
        """One that divides as it says here."""
        return Leader(
            engine.model,
            engine.coder,
            ranks.group,
            ranks.pipes,
            count=lambda _: self.layout.num_ranks,
            divide=lambda *_: self.layout,
            count_decoding=lambda _, sharing: sharing if self.divides_decode else 1,
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    """What only these cases have."""
    parser.add_argument("--gpus", type=int, help="measure groups of up to so many GPUs, or of processes on a CPU")
    parser.add_argument("--shape", choices=tuple(SHAPES), default="nano", help="the model's shape (GPU)")
    parser.add_argument("--shard-weights", action="store_true", help="divide the weights among all of them (--gpus)")
    parser.add_argument("--layouts", help="groups x shards to measure, comma-separated; none takes all (--gpus)")


def run(options: argparse.Namespace) -> int:
    """Run the cases; 2 when there are fewer GPUs, or when a case or a layout is not one."""
    try:
        layouts = all_layouts(options.gpus) if options.layouts is None else _read(options.layouts, options.gpus)
        if options.shard_weights and (ALONE in layouts or any(one.num_ranks < options.gpus for one in layouts)):
            raise BadInput("Weights that are divided need all ranks: --layouts with --shard-weights.")
        how = {"shape": options.shape, "shards_weights": options.shard_weights}
        with started(options.gpus, options.device, **how) as ranks, tempfile.TemporaryDirectory() as scratch:
            _run(options, ranks, layouts, Path(scratch))
    except StudioError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def all_layouts(num_ranks: int) -> list[Layout]:
    """One rank, then for two, four … of them: by branches as far as those go, by tokens, and by both.

    Of four these are 1x1, 2x1, 1x2, 2x2 and 1x4.
    """
    sizes = [size for size in range(2, num_ranks + 1) if num_ranks % size == 0]
    return [
        ALONE,
        *(Layout(groups, size // groups) for size in sizes for groups in (BRANCHES, 1) if size % groups == 0),
    ]


def _read(words: str, num_ranks: int) -> list[Layout]:
    known = {_name(layout): layout for layout in all_layouts(num_ranks)}
    try:
        return [known[word] for word in words.split(",")]
    except KeyError as error:
        raise BadInput(f"{error.args[0]} is no layout of {num_ranks} ranks: {', '.join(known)}.") from None


def _run(options: argparse.Namespace, ranks: BenchRanks, layouts: Sequence[Layout], scratch: Path) -> None:
    stage = ranks.stage()
    names = [row.name for row in stage.rows] if options.case is None else options.case.split(",")
    rows = [replace(row, chunks=min(row.chunks, CHUNKS)) for row in stage.rows if row.name in names]
    if len(rows) < len(names):
        raise BadInput(f"No case is called {options.case!r}: {', '.join(row.name for row in stage.rows)}.")
    lines = GroupLines(options.json, ranks.group.device)
    choice = Choice()
    stage.engine.leader = choice.leader(stage.engine, ranks)
    wanted = options.engines.split(",")
    if "fp8-attention" in wanted:
        check_fp8_attention(ranks.group.device)
    for precision in get_args(Precision):
        if precision not in wanted:
            continue
        if precision != "exact":
            ranks.quantise(precision)
            stage.quantise(precision)
        for row in rows:
            first: _Made | None = None
            for layout in layouts:
                choice.layout, choice.divides_decode = layout, layout.num_ranks > 1
                first = _measure(stage.engine, row, precision, choice, first, scratch, options, lines)
    sys.stdout.write(lines.table())


def _measure(
    engine: Engine,
    row: Row,
    precision: str,
    choice: Choice,
    first: _Made | None,
    scratch: Path,
    options: argparse.Namespace,
    lines: GroupLines,
) -> _Made:
    """A case in one layout; of a clip that ranks share the decode too, by all of them and then by one."""
    is_short, on_gpu = row.is_picture or row.chunks > 0, engine.model.device.type == "cuda"
    choice.divides_decode = shares_decode = choice.layout != ALONE and not is_short
    warm_up(engine, row, scratch)
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    runs = [
        _run_once(engine, row, None if is_short else options.max_steps, scratch)
        for _ in range(options.repeats if is_short else 1)
    ]
    stepped, decode_s, frames = sorted(runs, key=lambda run: run[0].begin_s + run[0].steps_s + run[1])[len(runs) // 2]
    made = _Made([latents.cpu() for latents in stepped.trajectory.latents], frames)
    line = GroupLine(
        case=row.name,
        engine=precision,
        shape=options.shape,
        shards_weights=options.shard_weights,
        layout=_name(choice.layout),
        is_decode_divided=True if shares_decode else None,
        step_ms=1e3 * stepped.steps_s / row.num_steps,
        decode_s=decode_s,
        seconds=stepped.begin_s + stepped.steps_s + decode_s,
        peak_gib=torch.cuda.max_memory_allocated() / GIB if on_gpu else None,
        chunk_s=median(chunk_latencies(engine, row, scratch)) if row.chunks else None,
        is_extrapolated=stepped.is_extrapolated,
        digest=sha256(b"".join(latents.numpy().tobytes() for latents in made.latents)).hexdigest()[:16],
        **_compared(made, first),
    )
    lines.add(line)
    if shares_decode:
        choice.divides_decode = False
        started_at = time.perf_counter()
        made_alone = _Made(made.latents, write_result(engine, row, stepped.trajectory, scratch))
        decode_s = time.perf_counter() - started_at
        seconds = stepped.begin_s + stepped.steps_s + decode_s
        compared = _compared(made_alone, first)
        lines.add(replace(line, is_decode_divided=False, decode_s=decode_s, seconds=seconds, **compared))
    return first or made


def _run_once(
    engine: Engine, row: Row, max_steps: int | None, scratch: Path
) -> tuple[Stepped, float, np.ndarray | None]:
    """The steps, the seconds from latents to the file, and the frames in it."""
    stepped = take_steps(engine, row, max_steps)
    started_at = time.perf_counter()
    frames = write_result(engine, row, stepped.trajectory, scratch)
    return stepped, time.perf_counter() - started_at, frames


def _compared(made: _Made, first: _Made | None) -> dict[str, Any]:
    """How far what was made is from what the first layout made."""
    if first is None:
        return {"is_same": None, "error": None, "levels": None}
    pairs = list(zip(made.latents, first.latents, strict=True))
    levels = None
    if made.frames is not None and first.frames is not None:
        # Frame by frame: a clip's differences at once are gigabytes.
        both = zip(made.frames, first.frames, strict=True)
        levels = max(int(np.abs(one.astype(np.int16) - other).max()) for one, other in both)
    return {
        "is_same": all(torch.equal(one, other) for one, other in pairs),
        "error": max(float((one - other).abs().max() / other.abs().max()) for one, other in pairs),
        "levels": levels,
    }


class GroupLines:
    """The table as it grows; written after every row, so that a run that is cut short leaves what it has."""

    def __init__(self, path: Path | None, device: torch.device) -> None:
        self._path = path
        self._where = torch.cuda.get_device_name(device) if device.type == "cuda" else f"CPU, {platform.machine()}"
        self._lines: dict[tuple[object, ...], GroupLine] = {}
        if path is not None and path.is_file():
            for entry in json.loads(path.read_text()).get("groups", []):
                self._keep(GroupLine(**entry))

    def add(self, line: GroupLine) -> None:
        """A row more, or in place of one that was there."""
        self._keep(line)
        sys.stdout.write(_shown(line))
        sys.stdout.flush()
        if self._path is not None:
            there = json.loads(self._path.read_text()) if self._path.is_file() else {}
            self._path.write_text(json.dumps(there | self._report(), indent=2) + "\n")

    def table(self) -> str:
        """What is there, in words and columns."""
        return f"\n{self._where}, torch {torch.__version__}\n{_HEAD}" + "".join(map(_shown, self._lines.values()))

    def _keep(self, line: GroupLine) -> None:
        kind = (line.case, line.engine, line.shape, line.shards_weights)
        self._lines[*kind, line.layout, line.is_decode_divided] = line

    def _report(self) -> dict[str, Any]:
        return {
            "groups_device": self._where,
            "groups_date": time.strftime("%Y-%m-%d", time.gmtime()),
            "groups_torch": torch.__version__,
            "groups": [asdict(line) for line in self._lines.values()],
        }


def _name(layout: Layout) -> str:
    return f"{layout.groups}x{layout.shards}"


_HEAD = (
    f"{'case':12} {'engine':7} {'weights':>13} {'ranks':>5} {'decode':>7} {'ms/step':>9} {'decode s':>9} "
    f"{'seconds':>9} "
    f"{'chunk s':>8} {'GiB':>6} {'same':>5} {'error':>8} {'levels':>6} {'digest':>16}\n"
)


def _shown(line: GroupLine) -> str:
    def said(value: object, width: int, form: str = "") -> str:
        return " " * width if value is None else f"{value:{width}{form}}"

    decode = {None: "", True: "divided", False: "one"}[line.is_decode_divided]
    seconds = f"{line.seconds:8.3f}{'*' if line.is_extrapolated else ' '}"
    same = "" if line.is_same is None else "yes" if line.is_same else "no"
    weights = f"{line.shape} {'divided' if line.shards_weights else 'whole'}"
    return (
        f"{line.case:12} {line.engine:7} {weights:>13} {line.layout:>5} {decode:>7} {line.step_ms:9.2f} "
        f"{line.decode_s:9.3f} {seconds} {said(line.chunk_s, 8, '.3f')} {said(line.peak_gib, 6, '.1f')} {same:>5} "
        f"{said(line.error, 8, '.1e')} {said(line.levels, 6)} {line.digest}\n"
    )
