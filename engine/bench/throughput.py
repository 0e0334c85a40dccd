"""Pictures per minute: many requests packed under a token budget, against one at a time."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import torch

from engine.bench.cases import GUIDED
from engine.bench.stage import Stage
from engine.engine import Engine
from engine.sampling import Trajectory
from studio.requests import GenerateImage

TOKENS_PER_STEP = 4096
"""The worker's budget (`backend.worker.packing`)."""

MIXES: dict[str, tuple[tuple[str, str], ...]] = {
    "256p": (("256", "16:9"),) * 24,
    "256p and 480p, five shapes": tuple(
        (tier, shape) for tier in ("256", "256", "480") for shape in ("1:1", "4:3", "3:4", "16:9", "9:16")
    ),
}
"""Tiers and shapes of the pictures that are asked for at once."""


def run(options: argparse.Namespace, device: torch.device) -> int:
    """Time every mix both ways."""
    stage = Stage.build(device, with_library=False)
    steps = 35 if device.type == "cuda" else 2
    rows: list[dict[str, Any]] = []
    for name, sizes in MIXES.items():
        sizes = sizes if device.type == "cuda" else sizes[:3]
        requests = [_request(tier, shape, steps, seed) for seed, (tier, shape) in enumerate(sizes)]
        pace: dict[str, float] = {}
        for how, budget in (("one at a time", 0), ("packed", TOKENS_PER_STEP)):
            _make(stage.engine, requests, budget, max_steps=2)
            started = time.perf_counter()
            _make(stage.engine, requests, budget)
            pace[how] = 60 * len(requests) / (time.perf_counter() - started)
        rows.append({"mix": name, "pictures": len(requests), "steps": steps, **pace})
        sys.stdout.write(
            f"{name:30} {pace['one at a time']:8.1f} a minute one at a time, {pace['packed']:8.1f} packed, "
            f"{pace['packed'] / pace['one at a time']:.2f}x\n"
        )
    if options.json is not None:
        kept = json.loads(options.json.read_text()) if options.json.is_file() else {}
        options.json.write_text(json.dumps(kept | {"throughput": rows}, indent=2) + "\n")
    return 0


def _request(tier: str, shape: str, steps: int, seed: int) -> GenerateImage:
    sampling = GUIDED | {"num_inference_steps": steps, "seed": seed}
    return GenerateImage.model_validate(
        {"prompt": "a red cube", "resolution": tier, "aspect_ratio": shape, "sampling": sampling}
    )


def _make(engine: Engine, requests: Sequence[GenerateImage], budget: int, max_steps: int | None = None) -> None:
    """Every picture to its pixels, at most `budget` tokens a step but always one picture; in the order they came."""
    waiting = [engine.begin(request) for request in requests]
    while waiting:
        picked = _pick(waiting, budget)
        while not all(trajectory.done or trajectory.step == max_steps for trajectory in picked):
            engine.step(picked)
        for trajectory in picked:
            assert engine.finish(trajectory).image.size
        waiting = waiting[len(picked) :]


def _pick(waiting: Sequence[Trajectory], budget: int) -> list[Trajectory]:
    picked = [waiting[0]]
    for trajectory in waiting[1:]:
        if sum(one.num_tokens for one in picked) + trajectory.num_tokens > budget:
            break
        picked.append(trajectory)
    return picked
