"""A training from its first look at the data to its last save, told event by event."""

from __future__ import annotations

import importlib
import math
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from engine.device import typed_out_of_memory
from engine.tower_loading import load_towers
from engine.towers import OmniModel, empty_model
from studio.errors import BadInput, EngineError
from studio.tuning import (
    Checked,
    DataReport,
    Ended,
    GeneratorRecipe,
    PolicyRecipe,
    Preparing,
    ReasonerRecipe,
    Recipe,
    Saved,
    Stepped,
    TuningWork,
)
from tuning import ranks
from tuning.commands import Commands
from tuning.curves import mean_of, write_curve
from tuning.generator.data import read_clip_data
from tuning.loop import Done, Learner, Shown, steps
from tuning.memory import estimate
from tuning.merging import adapter_tensors, merged_tensors
from tuning.optimisers import Moving
from tuning.reasoner.data import ConversationData, read_conversation_data
from tuning.saves import write_adapter, write_checkpoint
from tuning.schedules import average_keep, rate_factor
from tuning.state import State, read_state, write_state
from tuning.tally import ACCURACY, Tally
from tuning.task import About, Place, TrainingData
from tuning.together import Tell, together

TOLD_EVERY_S = 1.0
"""Seconds between two events of steps, and of preparing."""


class Stopped(Exception):  # noqa: N818
    """The training was stopped before its first step."""


class Told:
    """Tells what is prepared, not too often, and looks for a stop meanwhile."""

    def __init__(self, tell: Tell, commands: Commands) -> None:
        self._tell, self._commands, self._last = tell, commands, -math.inf

    def about(self, doing: str, done: int, total: int) -> None:
        """Raises Stopped."""
        if self._commands.is_stopped:
            raise Stopped
        if done == total or time.monotonic() - self._last >= TOLD_EVERY_S:
            self._last = time.monotonic()
            self._tell(Preparing(doing=doing, done=done, total=total))


def run(work: TuningWork, tell: Tell, commands: Commands) -> None:
    """Carry out a piece of work.

    Raises:
        BadInput: the data or the recipe cannot be trained on, or has changed.
        NotACheckpoint, BrokenCheckpoint: what it begins with cannot be read.
        OutOfMemory: a step does not fit.
        EngineError: the loss is not finite.
        DiskFull, StorageError: a save could not be written; the last one is whole.
    """
    if work.trials is not None:
        _policy_room("trying").try_save(work, work.trials, tell, commands)
        return
    place, told = Place.of(work), Told(tell, commands)
    state_path = work.out / "state" / "training.pt"
    try:
        data = _read(place, told.about)
        if work.joins is None:
            tell(Checked(report=_report(place, data)))
        if work.only_checks:
            return
        digest = data.prepare(told.about)
        # The others start when all is prepared: they find it done.
        with together(work, tell), typed_out_of_memory(place.device):
            offload = work.recipe.optimisation.offloads_weights
            model = load_towers(place.opened, place.device, place.dtype, compiled=False, offload=offload)
            _Run(place, data, model, digest, state_path, tell, commands).run()
    except Stopped:
        left = read_state(state_path)
        tell(Ended(step=left.step if left else 0, is_whole=False))


def _read(place: Place, about: About) -> TrainingData:
    """The data of a recipe. Raises BadInput."""
    recipe = place.work.recipe
    if recipe.lora is None and place.opened.precise_steps is not None:
        raise BadInput(
            "The checkpoint's weights are in FP8; all of them cannot be trained.",
            param="lora",
            hint="Train a LoRA adapter, or begin with the same checkpoint in bfloat16.",
        )
    if recipe.optimisation.offloads_weights and recipe.makes == "checkpoint":
        raise BadInput(
            "Weights that are saved with what was learnt cannot stay on the host.",
            param="optimisation.offloads_weights",
            hint="Leave them on the device, or train a LoRA adapter of the generator or the reasoner.",
        )
    match recipe:
        case GeneratorRecipe():
            return read_clip_data(place, recipe, about)
        case ReasonerRecipe():
            return read_conversation_data(place, recipe, about)
        case PolicyRecipe():
            return _policy_room("data").read_policy_data(place, recipe, about)


def _policy_room(name: str) -> Any:
    """A module of `tuning.policy`, which needs more than the other tasks do. Raises BadInput."""
    try:
        return importlib.import_module(f"tuning.policy.{name}")
    except ModuleNotFoundError as error:
        raise BadInput(
            f"Policies are trained and tried with {error.name}, which is not installed.",
            param="task",
            hint="pip install 'orrery[robot]'",
        ) from None


class _Run:
    """The steps of a training, and its saves."""

    def __init__(
        self,
        place: Place,
        data: TrainingData,
        model: OmniModel,
        digest: str,
        state_path: Path,
        tell: Tell,
        commands: Commands,
    ) -> None:
        self._place, self._recipe, self._data, self._model = place, place.work.recipe, data, model
        self._state_path, self._tell, self._commands = state_path, tell, commands
        self._layers, self._tally = data.let_learn(model), Tally()
        self._task = data.task(model, self._tally)
        how = self._recipe.optimisation
        moving = Moving(
            how.learning_rate,
            how.betas,
            how.weight_decay,
            how.max_gradient_norm,
            epsilon=how.epsilon,
            faster=data.faster,
        )
        learning = {name for name, value in model.named_parameters() if value.requires_grad}
        self._learner = Learner(model, moving, keep=average_keep(how.ema), saves=lambda name: name in learning)
        self._state = read_state(state_path) or State(seed=how.seed)
        self._notes = {"recipe": _lasting(self._recipe), "data": digest}
        self._is_stopped = False
        _check_same(self._state, self._notes)
        self._learner.load(self._state)

    def run(self) -> None:
        """Do the steps that are left."""
        how, device = self._recipe.optimisation, self._place.device
        if ranks.is_first():
            for cut_short in (self._place.work.out / "saves").glob(".*"):  # by a kill in the middle of a save
                shutil.rmtree(cut_short)
        on_gpu = device.type == "cuda"
        seen: list[Shown] = []
        last = time.monotonic()
        for done in steps(
            self._learner,
            self._loss,
            how.seed,
            progress=lambda step: math.inf if self._is_stopped else step / how.steps,
            factor=rate_factor(how),
            autocast=torch.autocast(device.type, torch.bfloat16, enabled=on_gpu),
            check=self._check,
        ):
            if not ranks.is_first():
                continue
            seen.append(done.shown)
            command = self._commands.next()
            is_over = done.step >= how.steps
            saves = is_over or command is not None or done.step % how.save_every == 0
            if saves or time.monotonic() - last >= TOLD_EVERY_S:
                self._told(done, seen, (time.monotonic() - last) / len(seen))
                seen.clear()
                last = time.monotonic()
            if saves:
                self._save()
                last = time.monotonic()
            self._is_stopped = command == "stop"
        step = self._learner.step
        self._tell(Ended(step=step, is_whole=step >= how.steps))

    def _loss(self, step: int) -> Iterator[tuple[Tensor, Shown]]:
        self._tally.begin_step()
        return self._task.loss(step)

    def _check(self, step: int, norm: Tensor) -> None:
        if bool(norm.isfinite()):
            return
        names = ", ".join(ranks.of_all(self._tally.not_finite()) or ranks.of_all(self._tally.names()))
        raise EngineError(
            f"The loss or its gradient is not finite at step {step + 1}; the batch held: {names}.",
            hint="The last save is whole. Start another tuning with a lower learning rate, or without that data.",
        )

    def _told(self, done: Done, seen: list[Shown], seconds: float) -> None:
        means = mean_of(seen)
        losses, by_noise = self._tally.tell()
        stepped = Stepped(
            step=done.step,
            steps=self._recipe.optimisation.steps,
            loss=means["loss"],
            accuracy=losses.pop(ACCURACY, None),
            losses=losses,
            by_noise=by_noise,
            gradient_norm=means["gradient"],
            learning_rate=self._recipe.optimisation.learning_rate * done.factor,
            seconds_per_step=seconds,
            memory=torch.cuda.max_memory_allocated() if self._place.device.type == "cuda" else None,
        )
        write_curve(self._place.work.out / "curves.jsonl", stepped.model_dump(mode="json", exclude={"kind"}))
        self._tell(stepped)

    def _save(self) -> None:
        """The save first, then the state: what is cut short in between makes the same save again."""
        self._data.check()
        recipe, place, step = self._recipe, self._place, self._learner.step
        weights = self._learner.average or self._learner.weights()
        name = f"saves/{recipe.name}@{step}"
        if recipe.lora is not None and recipe.makes == "adapter":
            tensors = adapter_tensors(self._model, self._layers, weights)
            size_bytes = write_adapter(place.work.out / name, tensors, recipe.lora, recipe.checkpoint)
        else:
            tensors = merged_tensors(self._model, self._layers, weights)
            size_bytes = write_checkpoint(place.work.out / name, place.opened, tensors, self._data.files)
        self._state.notes |= self._notes
        self._learner.save(self._state, with_optimisers=True)
        write_state(self._state_path, self._state)
        self._tell(Saved(step=step, folder=name, makes=recipe.makes, size_bytes=size_bytes))


def _report(place: Place, data: TrainingData) -> DataReport:
    recipe = place.work.recipe
    model = empty_model(place.opened.config)
    data.let_learn(model)
    num_trained = sum(value.numel() for value in model.parameters() if value.requires_grad)
    return DataReport(
        num_kept=data.num_kept,
        dropped=data.dropped,
        tokens=data.histogram(),
        samples=data.samples(place.work.out),
        num_trained=num_trained,
        budget=data.budget if isinstance(data, ConversationData) else None,
        memory=estimate(
            place.opened.config,
            data.shape,
            recipe.optimisation,
            recipe.lora,
            weight_bytes=_bytes_of(model, place.dtype, offload=recipe.optimisation.offloads_weights),
            num_trained=num_trained,
            device=place.device,
            saves_adapter=recipe.makes == "adapter",
        ),
    )


def _bytes_of(model: OmniModel, dtype: torch.dtype, *, offload: bool) -> int:
    """Of a model on the device; with `offload` two blocks are there at a time, and what learns of all."""
    blocks = [block for tower in (model.reasoner, model.generator) for block in tower.blocks]
    of_blocks = [_frozen(block) * dtype.itemsize for block in blocks]
    learns = sum(4 * value.numel() for value in model.parameters() if value.requires_grad)
    whole = learns + _frozen(model) * dtype.itemsize
    return whole - sum(of_blocks) + 2 * max(of_blocks) if offload else whole


def _frozen(module: nn.Module) -> int:
    return sum(value.numel() for value in module.parameters() if not value.requires_grad)


def _lasting(recipe: Recipe) -> str:
    """The recipe without what may change between two runs of a training: how long it is, and how often it is saved."""
    may_change = {"steps", "save_every", "checkpoints_activations", "offloads_weights"}
    if recipe.optimisation.num_gpus == 1:
        may_change.add("num_gpus")  # which trainings did not say that were begun before there was a choice
    return recipe.model_dump_json(exclude={"optimisation": may_change})


def _check_same(state: State, notes: dict[str, str]) -> None:
    """Raises BadInput where a training is continued with another recipe or other data than it began with."""
    what = {"recipe": "the recipe", "data": "the data"}
    for name, value in notes.items():
        if state.notes.get(name, value) != value:
            raise BadInput(
                f"The training began at step 0 with other settings: {what[name]} has changed since.",
                param=name,
                hint="Start a new training; the saves so far stay.",
            )
