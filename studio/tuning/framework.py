"""Recipes of NVIDIA's own programs, read where their fields have the same meaning: cosmos-framework and cosmos-rl.

Both are TOML. The first has `[job] task`, `[optimizer]`, `[trainer]` and `[model]` (NVIDIA/cosmos-framework,
examples/toml/sft_config); the second `[train]`, `[policy]` and `[custom]` (as the Cosmos Cookbook's recipes for the
reasoner do). What has no meaning here, such as how many GPUs share the weights, is said.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from studio.errors import BadInput
from studio.requests import shown

TaskName = Literal["generator", "reasoner", "policy"]


@dataclass(frozen=True)
class ForeignRecipe:
    """A recipe of another program, as far as it is ours.

    Attributes:
        task: what it trains.
        fields: of our recipe, without name, checkpoint and data.
        unmapped: dotted paths of what was left out, each with a reason.
    """

    task: TaskName
    fields: dict[str, Any]
    unmapped: tuple[str, ...]


@dataclass(frozen=True)
class _Rule:
    """Where a foreign field goes, and how."""

    ours: str
    turn: Callable[[Any], Any] = lambda value: value


def _first(value: object) -> object:
    if isinstance(value, list) and value:
        return cast(list[object], value)[0]
    return cast(object, value)


def _layers(names: object) -> str:
    return "all" if any(name in str(names) for name in ("mlp", "gate_proj", "up_proj", "down_proj")) else "attention"


FRAMEWORK: dict[str, _Rule] = {
    "optimizer.lr": _Rule("optimisation.learning_rate"),
    "optimizer.betas": _Rule("optimisation.betas"),
    "optimizer.eps": _Rule("optimisation.epsilon"),
    "optimizer.weight_decay": _Rule("optimisation.weight_decay"),
    "scheduler.warm_up_steps": _Rule("optimisation.warmup_steps", _first),
    "trainer.max_iter": _Rule("optimisation.steps"),
    "trainer.callbacks.grad_clip.clip_norm": _Rule("optimisation.max_gradient_norm"),
    "checkpoint.save_iter": _Rule("optimisation.save_every"),
    "model.activation_checkpointing.mode": _Rule("optimisation.checkpoints_activations", lambda mode: mode != "none"),
    "model.lora_rank": _Rule("lora.rank"),
    "model.lora_alpha": _Rule("lora.alpha"),
    "model.lora_target_modules": _Rule("lora.layers", _layers),
}
COSMOS_RL: dict[str, _Rule] = {
    "train.optm_lr": _Rule("optimisation.learning_rate", _first),
    "train.optm_weight_decay": _Rule("optimisation.weight_decay"),
    "train.optm_betas": _Rule("optimisation.betas"),
    "train.optm_grad_norm_clip": _Rule("optimisation.max_gradient_norm"),
    "train.optm_decay_type": _Rule("optimisation.schedule", lambda kind: kind or "constant"),
    "train.seed": _Rule("optimisation.seed"),
    "train.train_batch_per_replica": _Rule("optimisation.batch_size"),
    "train.ckpt.save_freq": _Rule("optimisation.save_every"),
    "policy.model_max_length": _Rule("max_tokens"),
    "policy.model_gradient_checkpointing": _Rule("optimisation.checkpoints_activations"),
    "policy.lora.r": _Rule("lora.rank"),
    "policy.lora.lora_alpha": _Rule("lora.alpha"),
    "custom.vision.nframes": _Rule("num_frames"),
    "custom.vision.fps": _Rule("fps"),
    "custom.vision.min_pixels": _Rule("min_pixels"),
    "custom.vision.max_pixels": _Rule("max_pixels"),
}
REASONS = {
    "train.epoch": "steps are said here, not epochs",
    "train.optm_warmup_steps": "a share of all steps",
    "model.ema.rate": "it is a rate that changes with the steps, not a fixed average",
    "scheduler.cycle_lengths": "the rate falls until the last step, to final_rate",
    "scheduler.f_min": "the rate falls until the last step, to final_rate",
    "optimizer.keys_to_select": "LoRA, or all weights of the task",
    "trainer.grad_accum_iter": "say the whole batch",
    "dataloader_train.max_samples_per_batch": "say the whole batch",
    "custom.dataset.path": "data sets are named",
    "custom.dataset.dataset_root": "data sets are named",
    "custom.dataset.subdirectories": "data sets are named",
    "custom.dataset.weights": "name each data set with its weight",
}
UNSAID = ("job.", "logging.", "model.compile.", "model.parallelism.", "policy.parallelism.", "train.train_policy.")
"""Groups of fields that say where or how a program runs, and nothing of what is learnt."""


def read_foreign(path: Path) -> ForeignRecipe:
    """A recipe of another program. Raises BadInput: it cannot be read, or is of neither program."""
    try:
        read: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.", param="recipe") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not TOML: {error}.", param="recipe") from None
    for name in ("job", "model", "train", "policy"):
        if not isinstance(read.get(name, {}), dict):
            raise BadInput(f"{path}: {name} is {shown(read[name])}; expected the table [{name}].", param="recipe")
    if "job" in read:
        return _mapped(read, FRAMEWORK, _framework_task(read))
    if "train" in read and "policy" in read:
        return _mapped(read, COSMOS_RL, "reasoner")
    raise BadInput(
        f"{path} is no recipe of cosmos-framework or cosmos-rl.",
        param="recipe",
        hint="Expected [job], [optimizer] and [trainer], or [train] and [policy].",
    )


def _framework_task(read: Mapping[str, Any]) -> TaskName:
    job = read["job"]
    if job.get("task") == "vlm":
        return "reasoner"
    return "policy" if str(job.get("experiment", "")).startswith("action_policy") else "generator"


def _mapped(read: Mapping[str, Any], rules: Mapping[str, _Rule], task: TaskName) -> ForeignRecipe:
    fields: dict[str, Any] = {}
    unmapped: list[str] = []
    for path, value in _leaves(read):
        rule = rules.get(path)
        if rule is not None:
            _put(fields, rule.ours, rule.turn(value))
        elif not path.startswith(UNSAID):
            unmapped.append(f"{path} ({REASONS[path]})" if path in REASONS else path)
    model: Mapping[str, Any] = read.get("model", {})
    policy: Mapping[str, Any] = read.get("policy", {})
    if model.get("lora_enabled") is False:
        fields["lora"] = None
    elif "lora" not in fields:  # one without a rank has our own
        fields["lora"] = {} if model.get("lora_enabled") or "lora" in policy else None
    return ForeignRecipe(task, fields, tuple(unmapped))


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(cast(dict[str, Any], value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _put(fields: dict[str, Any], path: str, value: Any) -> None:
    *groups, name = path.split(".")
    for group in groups:
        fields = fields.setdefault(group, {})
    fields[name] = value
