"""How every stage runs: time limit, learning rate, average of the weights, curves, and going on later.

What is kept between two runs is weights, their average, the step and the seed. The optimiser begins anew each time,
with a short warm-up. What a step draws is a function of (seed, step) alone, so that a run that was cut in two sees
what an uncut one sees, as long as its data is the same. The loop itself is `tuning.loop`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from studio.errors import BadInput, EngineError
from tuning import ranks, state
from tuning.curves import mean_of, write_curve
from tuning.loop import Learner, Shown, steps
from tuning.optimisers import Moving
from tuning.state import State

WARMUP_STEPS = 50
"""Of every run: a fresh optimiser knows no scale yet."""

DECAY = 0.05
"""Of weights, on matrices."""

BETAS = (0.9, 0.99)
"""Second moments over a hundred steps, not a thousand: runs are short."""

SLOWEST_AVERAGE = 0.999
"""Of the average of the weights, reached after some thousand steps: 1 - 1 / (step / 10 + 2) until then."""


@dataclass(frozen=True)
class Options:
    """What a person says about a run.

    Attributes:
        out: folder of states, curves and checkpoints.
        data: folder of episode shards.
        time_limit_s: the run ends before; what is saved after the last step is not counted.
        started_s: from when on, as `time.monotonic` tells it; None is the first step.
        steps: it also ends when this step is reached; none is no limit.
        device: as PyTorch names it.
        batch: sequences of a step.
        learning_rate: at its highest.
        decay_share: of the run, at its end, in which the rate falls to a fiftieth; 0 where it will be gone on with.
        workers: processes that render further episodes while training runs.
        encoders: processes that make latents of them for a generator, or lessons; without, both are made between steps.
        is_fed: another command renders episodes meanwhile.
        shard_size: clips of a shard; of stills and policies see `pocket.train.shards.SIZES`.
        render_s: before the first step, for the renderers to get ahead.
    """

    out: Path
    data: Path
    time_limit_s: float
    steps: int | None = None
    device: str = "cpu"
    seed: int = 0
    batch: int = 16
    learning_rate: float = 1e-3
    decay_share: float = 0.4
    workers: int = 0
    encoders: int = 0
    is_fed: bool = False
    shard_size: int = 16
    render_s: float = 0.0
    log_every: int = 20
    save_every_s: float = 60.0
    shape: str = "pocket"
    started_s: float | None = None


def state_file(out: Path, stage: str) -> Path:
    """Where a stage's state is."""
    return out / f"{stage}.pt"


def read_state(out: Path, stage: str) -> State | None:
    """What an earlier run left; none where there is none."""
    return state.read_state(state_file(out, stage))


def needed_state(out: Path, stage: str) -> State:
    """The state of a stage that must have run before.

    Raises:
        BadInput: it has not.
    """
    left = read_state(out, stage)
    if left is None:
        raise BadInput(f"{state_file(out, stage)} was not found.", hint=f"Run python -m pocket.train {stage} first.")
    return left


def write_state(out: Path, stage: str, left: State) -> None:
    """Write it whole or not at all; of several that train together the first does."""
    if ranks.is_first():
        state.write_state(state_file(out, stage), left)


Loss = Callable[[int], tuple[Tensor, Shown]]
"""From a step to what is minimised, and what else the curves show."""


def train(
    stage: str,
    module: nn.Module,
    loss: Loss,
    options: Options,
    *,
    notes: dict[str, Any] | None = None,
    faster: Sequence[tuple[str, float]] = (),
    muon: bool = False,
    log: Callable[[str], None] = print,
) -> State:
    """Run a stage until its time or its steps are over; an earlier state in `options.out` is gone on with.

    Args:
        module: what is trained: parameters that want gradients.
        notes: what is kept beside the weights.
        faster: (beginning of parameters' names, factor on their learning rate).
        muon: matrices of layers go by Muon (`tuning.muon`), all else by AdamW, as without it.

    Raises:
        EngineError: the loss is not finite any more; the last state that was written stays.
    """
    left = read_state(options.out, stage) or State(seed=options.seed)
    left.notes |= notes or {}
    moving = Moving(options.learning_rate, BETAS, DECAY, faster=faster, muon=muon)
    learner = Learner(module, moving, keep=lambda step: min(SLOWEST_AVERAGE, 1 - 1 / (step / 10 + 2)))
    learner.load(left)
    first, start = left.step, time.monotonic()
    saved = start

    def progress(step: int) -> float:
        return _progress(step, first, start, options)

    def factor(step: int, over: float) -> float:
        return min(1.0, (step - first + 1) / WARMUP_STEPS) * _decay(over, options.decay_share)

    def parts(step: int) -> Iterator[tuple[Tensor, Shown]]:
        yield loss(step)

    def keep() -> None:
        learner.save(left, with_optimisers=False)
        write_state(options.out, stage, left)

    seen: list[Shown] = []
    autocast = torch.autocast(options.device.partition(":")[0], torch.bfloat16, enabled="cuda" in options.device)
    for done in steps(learner, parts, left.seed, progress=progress, factor=factor, autocast=autocast):
        seen.append(done.shown)
        if done.step % options.log_every == 0 or progress(done.step) >= 1:
            elapsed = {"elapsed_s": round(time.monotonic() - start, 2), "rate": round(done.factor, 4)}
            line = {"step": float(done.step), **elapsed, **mean_of(seen)}
            if not math.isfinite(line["loss"]):
                raise EngineError(f"{stage}: the loss is {line['loss']} at step {done.step}.", hint="Lower the rate.")
            seen.clear()
            if ranks.is_first():
                write_curve(options.out / f"{stage}.jsonl", line)
                log(f"{stage} " + " ".join(f"{name} {value:.5g}" for name, value in line.items()))
        if time.monotonic() - saved > options.save_every_s:
            keep()
            saved = time.monotonic()
    keep()
    module.load_state_dict(learner.average)
    return left


def _progress(step: int, first: int, start: float, options: Options) -> float:
    """How much of this run is over, 0 to 1: of its time or of its steps, whichever is further."""
    end = options.time_limit_s + (start if options.started_s is None else options.started_s)
    spent = (time.monotonic() - start) / (end - start) if end > start else 1.0
    if options.steps is None:
        return spent
    return max(spent, 1.0 if step >= options.steps else (step - first) / max(1, options.steps - first))


def _decay(progress: float, share: float) -> float:
    left = (1 - progress) / share if share else 1.0
    return max(0.02, min(1.0, left))
