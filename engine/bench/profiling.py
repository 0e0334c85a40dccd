"""Where the time of a denoising step goes on a GPU: its kernels, summed by what they do, and the rates they come to.

python -m engine.bench --profile [--case NAME] [--engines exact,fp8,fp8-attention] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

import torch
from torch.profiler import ProfilerActivity, profile

from engine.bench.cases import Row
from engine.bench.measuring import warm_up
from engine.bench.stage import SHAPES, Stage
from engine.engine import Engine
from engine.sampling import Trajectory
from engine.tower_loading import check_fp8_attention
from engine.towers import Precision
from engine.weights import ModelConfig

STEPS = 4
"""That are looked at, from the first one on that rounds its inputs in FP8."""

LONGEST = 12
"""Kernels that are named one by one."""

KINDS = (
    ("attention", re.compile(r"flash|fmha|sdpa|attention", re.IGNORECASE)),
    ("products", re.compile(r"gemm|cutlass|nvjet|cublas|splitk", re.IGNORECASE)),
    ("copies", re.compile(r"^mem(cpy|set)|direct_copy|CatArray", re.IGNORECASE)),
)
"""Of a kernel by its name, the first that fits; all others pass over memory: norms, gates, rotation, rounding."""

OTHER = "elementwise"


@dataclass(frozen=True)
class KernelKind:
    """Kernels of one kind.

    Attributes:
        ms: a step.
        calls: a step.
        tflops: a second, where the kind has products.
    """

    kind: str
    ms: float
    calls: float
    tflops: float | None = None


@dataclass(frozen=True)
class Profile:
    """One case in one precision.

    Attributes:
        step_ms: of a step by the clock, the profiler's own share among it.
        kinds: of kernels, and `idle`, what is left of the step.
        kernels: name, milliseconds and calls a step of the longest ones.
    """

    case: str
    engine: str
    step_ms: float
    kinds: tuple[KernelKind, ...]
    kernels: tuple[tuple[str, float, float], ...]


def run(options: argparse.Namespace, device: torch.device) -> int:
    """Profile the cases; 2 where none is called so, or without a GPU."""
    if device.type != "cuda":
        sys.stderr.write("Only the kernels of a GPU are profiled.\n")
        return 2
    wanted = options.engines.split(",")
    if "fp8-attention" in wanted:
        check_fp8_attention(device)
    stage = Stage.build(device, with_library=False, config=SHAPES[options.shape])
    names = [row.name for row in stage.rows] if options.case is None else options.case.split(",")
    rows = [row for row in stage.rows if row.name in names]
    if len(rows) < len(names):
        sys.stderr.write(f"No case is called {options.case!r}: {', '.join(row.name for row in stage.rows)}.\n")
        return 2
    made: list[Profile] = []
    with tempfile.TemporaryDirectory() as scratch:
        for precision in get_args(Precision):
            if precision not in wanted:
                continue
            if precision != "exact":
                stage.quantise(precision)
            for row in rows:
                made.append(_profiled(stage.engine, SHAPES[options.shape], row, precision, Path(scratch)))
                sys.stdout.write(shown(made[-1]))
                sys.stdout.flush()
    if options.json is not None:
        there = json.loads(options.json.read_text()) if options.json.is_file() else {}
        again = {(one.case, one.engine) for one in made}
        kept = [one for one in there.get("profiles", ()) if (one["case"], one["engine"]) not in again]
        report = there | {"profiles": [*kept, *map(asdict, made)]}
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


def _profiled(engine: Engine, config: ModelConfig, row: Row, precision: str, scratch: Path) -> Profile:
    warm_up(engine, row, scratch)
    trajectory = engine.begin(row.request, row.media)
    generator = engine.model.generator
    while generator.is_quantised and generator.precise_steps.holds(trajectory.index, row.num_steps):
        engine.step([trajectory])
    torch.cuda.synchronize()
    num_steps = min(STEPS, row.num_steps - trajectory.index)
    works = [work_of(config, trajectory, trajectory.index + step) for step in range(num_steps)]
    products, attention = (sum(kind) / num_steps for kind in zip(*works, strict=True))
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        began = time.perf_counter()
        for _ in range(num_steps):
            engine.step([trajectory])
        torch.cuda.synchronize()
        seconds = time.perf_counter() - began
    kernels = [
        (event.key, event.self_device_time_total / 1e3 / num_steps, event.count / num_steps)
        for event in seen.key_averages()
        if event.device_type.name == "CUDA"
    ]
    step_ms = 1e3 * seconds / num_steps
    kinds = by_kind(kernels, step_ms, {"products": products, "attention": attention})
    longest = sorted(kernels, key=lambda kernel: -kernel[1])[:LONGEST]
    return Profile(row.name, precision, step_ms, kinds, tuple(longest))


def work_of(config: ModelConfig, trajectory: Trajectory, step: int) -> tuple[float, float]:
    """Floating-point operations of a step in the products and in the attention of the generator's blocks."""
    width = config.head_dim * config.num_attention_heads
    kv_width = config.head_dim * config.num_key_value_heads
    matrices = config.hidden_size * (2 * width + 2 * kv_width) + 3 * config.hidden_size * config.intermediate_size
    products = attention = 0.0
    for index in trajectory.plan.active(step):
        branch = trajectory.plan.branches[index]
        own = branch.num_tokens
        seen = own + len(branch.tokens)
        products += 2.0 * own * matrices * config.num_hidden_layers
        attention += 4.0 * own * seen * width * config.num_hidden_layers
    return products, attention


def by_kind(
    kernels: Iterable[tuple[str, float, float]], step_ms: float, operations: dict[str, float]
) -> tuple[KernelKind, ...]:
    """Kernels (name, milliseconds and calls a step) by what they do, the longest kind first, and what is idle.

    Args:
        operations: of the kinds that have some, a step.
    """
    found: dict[str, tuple[float, float]] = {}
    for name, ms, calls in kernels:
        kind = next((kind for kind, pattern in KINDS if pattern.search(name)), OTHER)
        before = found.get(kind, (0.0, 0.0))
        found[kind] = (before[0] + ms, before[1] + calls)
    kinds = [
        KernelKind(kind, ms, calls, operations[kind] / ms / 1e9 if kind in operations else None)
        for kind, (ms, calls) in sorted(found.items(), key=lambda entry: -entry[1][0])
    ]
    return (*kinds, KernelKind("idle", max(0.0, step_ms - sum(kind.ms for kind in kinds)), 0))


def shown(profile: Profile) -> str:
    """As lines of a table."""
    lines = [f"{profile.case} {profile.engine}: {profile.step_ms:.1f} ms a step\n"]
    for part in profile.kinds:
        rate = "" if part.tflops is None else f" {part.tflops:6.0f} TFLOP/s"
        lines.append(
            f"  {part.kind:12} {part.ms:9.2f} ms {part.ms / profile.step_ms:6.1%} {part.calls:7.0f} calls{rate}\n"
        )
    lines += [f"    {ms:9.2f} ms {calls:7.0f} x {name[:100]}\n" for name, ms, calls in profile.kernels]
    return "".join(lines)
