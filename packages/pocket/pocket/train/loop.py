"""The loop that every stage runs in: time limit, learning rate, average of the weights, curves, and going on later.

What is kept between two runs is weights, their average, the step and the seed. The optimiser begins anew each time,
with a short warm-up. What a step draws is a function of (seed, step) alone, so that a run that was cut in two sees
what an uncut one sees, as long as its data is the same.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from pocket.train import ranks
from pocket.train.muon import Muon
from pocket.train.weights import split_decay
from studio.errors import BadInput, EngineError

WARMUP_STEPS = 50
"""Of every run: a fresh optimiser knows no scale yet."""

MAX_GRADIENT = 1.0
"""Norm that gradients are clipped to (technical report, 4.2.1)."""

DECAY = 0.05
"""Of weights, on matrices."""

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


@dataclass
class State:
    """How far a stage has come.

    Attributes:
        weights: by their names in the module.
        average: the same, averaged over steps: what a checkpoint is made of.
        notes: what the stage has found out besides, such as the deviation of latents.
    """

    step: int = 0
    seed: int = 0
    weights: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    average: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    notes: dict[str, Any] = field(default_factory=dict[str, Any])


def state_file(out: Path, stage: str) -> Path:
    """Where a stage's state is."""
    return out / f"{stage}.pt"


def read_state(out: Path, stage: str) -> State | None:
    """What an earlier run left; none where there is none."""
    path = state_file(out, stage)
    return State(**torch.load(path, map_location="cpu", weights_only=True)) if path.is_file() else None


def needed_state(out: Path, stage: str) -> State:
    """The state of a stage that must have run before.

    Raises:
        BadInput: it has not.
    """
    state = read_state(out, stage)
    if state is None:
        raise BadInput(f"{state_file(out, stage)} was not found.", hint=f"Run python -m pocket.train {stage} first.")
    return state


def write_state(out: Path, stage: str, state: State) -> None:
    """Write it whole or not at all; of several that train together the first does."""
    if not ranks.is_first():
        return
    out.mkdir(parents=True, exist_ok=True)
    path = state_file(out, stage)
    part = path.with_suffix(".part")
    torch.save(vars(state), part)
    part.replace(path)


Loss = Callable[[int], tuple[Tensor, dict[str, float | Tensor]]]
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
        muon: matrices of layers go by Muon (`pocket.train.muon`), all else by AdamW, as without it.

    Raises:
        EngineError: the loss is not finite any more; the last state that was written stays.
    """
    state = read_state(options.out, stage) or State(seed=options.seed)
    state.notes |= notes or {}
    if state.weights:
        module.load_state_dict(state.weights)
    ranks.share_weights(module)
    average = {name: value.detach().clone() for name, value in module.state_dict().items()}
    if state.average:
        average = {name: state.average[name].to(value) for name, value in average.items()}
    optimisers = _optimisers(module, options, faster, muon=muon)
    groups = [group for optimiser in optimisers for group in optimiser.param_groups]
    rates = [group["lr"] for group in groups]
    parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
    first, start = state.step, time.monotonic()
    saved = start
    seen: list[dict[str, float | Tensor]] = []
    autocast = torch.autocast(options.device.partition(":")[0], torch.bfloat16, enabled="cuda" in options.device)
    while (progress := ranks.agreed(_progress(state.step, first, start, options))) < 1:
        factor = min(1.0, (state.step - first + 1) / WARMUP_STEPS) * _decay(progress, options.decay_share)
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate * factor
        torch.manual_seed(ranks.own_seed(state.seed) * 1_000_003 + state.step)
        with autocast:
            value, shown = loss(state.step)
        for optimiser in optimisers:
            optimiser.zero_grad(set_to_none=True)
        value.backward()
        ranks.average_gradients(parameters)
        norm = clip_grad_norm_(parameters, MAX_GRADIENT)
        for optimiser in optimisers:
            optimiser.step()
        state.step += 1
        _follow(average, module, state.step)
        seen.append({"loss": value.detach(), "gradient": norm, **shown})
        # What is left of its graph would tie the next step to this one's stream, and no step could be recorded.
        del value
        if state.step % options.log_every == 0 or _progress(state.step, first, start, options) >= 1:
            line = _mean_of(seen, step=state.step, elapsed_s=time.monotonic() - start, rate=factor)
            if not math.isfinite(line["loss"]):
                raise EngineError(f"{stage}: the loss is {line['loss']} at step {state.step}.", hint="Lower the rate.")
            seen.clear()
            if ranks.is_first():
                _write_curve(options.out / f"{stage}.jsonl", line)
                log(f"{stage} " + " ".join(f"{name} {value:.5g}" for name, value in line.items()))
        if time.monotonic() - saved > options.save_every_s:
            _keep(state, module, average, options.out, stage)
            saved = time.monotonic()
    _keep(state, module, average, options.out, stage)
    module.load_state_dict(average)
    return state


def _optimisers(
    module: nn.Module, options: Options, faster: Sequence[tuple[str, float]], *, muon: bool
) -> list[torch.optim.Optimizer]:
    names = {id(parameter): name for name, parameter in module.named_parameters()}

    def kind_of(parameter: nn.Parameter) -> tuple[bool, float]:
        """Whether Muon has it, and the factor on its rate."""
        name = names[id(parameter)]
        factor = next((factor for start, factor in faster if name.startswith(start)), 1.0)
        return muon and parameter.ndim == 2 and "blocks." in name and "norm." not in name, factor

    groups: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
    for parameters, decays in split_decay(module):
        for kind in sorted({kind_of(parameter) for parameter in parameters}):
            own = [parameter for parameter in parameters if kind_of(parameter) == kind]
            by_muon, factor = kind
            rate = options.learning_rate * factor
            groups[by_muon].append({"params": own, "lr": rate, "weight_decay": DECAY if decays else 0.0})
    # Second moments over a hundred steps, not a thousand: runs are short.
    adam = torch.optim.AdamW(groups[False], betas=(0.9, 0.99), fused="cuda" in options.device)
    return [adam, *([Muon(groups[True])] if groups[True] else [])]


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


@torch.no_grad()
def _follow(average: dict[str, Tensor], module: nn.Module, step: int) -> None:
    keep = min(SLOWEST_AVERAGE, 1 - 1 / (step / 10 + 2))
    own = module.state_dict()
    floats = [name for name, value in own.items() if value.is_floating_point()]
    followed, leading = [average[name] for name in floats], [own[name] for name in floats]
    torch._foreach_lerp_(followed, leading, 1 - keep)  # type: ignore[reportPrivateImportUsage]
    for name in own.keys() - set(floats):
        average[name].copy_(own[name])


def _mean_of(seen: list[dict[str, float | Tensor]], *, step: int, elapsed_s: float, rate: float) -> dict[str, float]:
    """A line of a curve: means of the last steps; a value that only some of them have is a mean of those."""
    names = list(dict.fromkeys(name for entry in seen for name in entry))
    line: dict[str, float] = {"step": step, "elapsed_s": round(elapsed_s, 2), "rate": round(rate, 4)}
    for name in names:
        values = [float(entry[name]) for entry in seen if name in entry]
        line[name] = sum(values) / len(values)
    return line


def _write_curve(path: Path, line: dict[str, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")


def _keep(state: State, module: nn.Module, average: dict[str, Tensor], out: Path, stage: str) -> None:
    state.weights = {name: value.detach().cpu().clone() for name, value in module.state_dict().items()}
    state.average = {name: value.cpu().clone() for name, value in average.items()}
    write_state(out, stage, state)
