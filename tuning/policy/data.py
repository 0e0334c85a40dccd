"""Recordings as a policy is trained on them: what is kept, how it looks, in which units, and what a save says of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from engine.device import typed_out_of_memory
from engine.planning.action import fit
from engine.planning.embodiments import FILE, ActionUnits, OwnEmbodiment, OwnEmbodiments
from engine.towers import OmniModel
from studio.errors import BadInput
from studio.requests.actions import ACTIONS_PER_LATENT
from studio.requests.embodiments import EMBODIMENTS
from studio.tuning import PolicyRecipe
from studio.tuning.events import Bin, LeftOut, TrainingSample
from studio.tuning.lineage import DEFAULTS
from tuning.histogram import histogram_of
from tuning.latents import LatentCache
from tuning.left_out import Drops
from tuning.lora import LearningLora
from tuning.memory import StepShape
from tuning.orders import sampled
from tuning.policy.columns import find_columns
from tuning.policy.lerobot import open_set
from tuning.policy.sequences import PolicySequences
from tuning.policy.task import ACTION, PolicyTask, let_learn
from tuning.policy.units import units_of_data
from tuning.policy.windows import PolicyWindow, WindowFinder
from tuning.sheets import write_sheet
from tuning.sources import Sources
from tuning.tally import Tally
from tuning.task import About, Place


@dataclass(frozen=True)
class PolicyData:
    """What is trained on.

    Attributes:
        windows: at least one.
        embodiments: what a save says of bodies.
        sources: the files that windows are of.
    """

    place: Place
    recipe: PolicyRecipe
    windows: tuple[PolicyWindow, ...]
    dropped: tuple[LeftOut, ...]
    sequences: PolicySequences
    embodiments: OwnEmbodiments
    sources: Sources

    @property
    def num_kept(self) -> int:
        """Windows."""
        return len(self.windows)

    @property
    def faster(self) -> tuple[tuple[str, float], ...]:
        """Action parameters learn at a rate of their own (report, 4.2.5)."""
        return ((ACTION, self.recipe.action_rate),)

    @property
    def shape(self) -> StepShape:
        """A step whose sequences are all as long as the longest."""
        longest = max(self.windows, key=self.sequences.num_tokens)
        return StepShape(
            self.recipe.optimisation.batch_size,
            self.sequences.num_denoised(longest),
            len(self.sequences.prompt(longest)),
        )

    @property
    def files(self) -> dict[str, str]:
        """What a save says beside its weights: the units of bodies, and what policy requests are completed with."""
        window = self.windows[0]
        asked = {
            "embodiment": self.recipe.embodiment,
            "num_actions": self.recipe.num_actions,
            "resolution": self.recipe.resolution,
            "fps": window.fps,
        }
        if EMBODIMENTS[self.recipe.embodiment].width is None:
            asked["action_width"] = window.actions.shape[1]
        said = {FILE: self.embodiments.model_dump_json(indent=1, exclude_none=True)} if self.embodiments.root else {}
        return {**said, DEFAULTS: json.dumps({"run_policy": asked}, indent=1)}

    def histogram(self) -> tuple[Bin, ...]:
        """Of the sequences' tokens."""
        return histogram_of([self.sequences.num_tokens(window) for window in self.windows])

    def samples(self, out: Path) -> tuple[TrainingSample, ...]:
        """Three of them, from the beginning to the end of the data; their pictures are written below `out`."""
        return tuple(
            self._sample(self.windows[at], number, out) for number, at in enumerate(sampled(len(self.windows)), 1)
        )

    def let_learn(self, model: OmniModel) -> list[LearningLora]:
        """Let the parameters learn that the recipe trains."""
        return let_learn(model, self.recipe)

    def prepare(self, about: About) -> str:
        """Encode what is not in the cache; returns the SHA-256 of every window's pixels, words and rows."""
        cache = self._cache()
        with typed_out_of_memory(self.place.device):
            cache.fill(self.windows, lambda done: about("Encoding the recordings", done, len(self.windows)))
        digest = hashlib.sha256()
        for window in self.windows:
            digest.update(json.dumps((cache.key(window), window.text)).encode())
            digest.update(np.ascontiguousarray(window.actions).tobytes())
            digest.update(b"" if window.state is None else np.ascontiguousarray(window.state).tobytes())
        return digest.hexdigest()

    def task(self, model: OmniModel, tally: Tally) -> PolicyTask:
        """The losses of a model."""
        return PolicyTask(model, self.recipe, self.windows, self.sequences, self._cache(), tally)

    def check(self) -> None:
        """Raises BadInput where a file has changed."""
        self.sources.check()

    def _cache(self) -> LatentCache:
        place, work = self.place, self.place.work
        pixels = place.setting.pixels_per_cell
        vae = work.checkpoint / "vae"
        return LatentCache(work.cache, vae, place.device, place.dtype, self.sources, pixels_per_cell=pixels)

    def _sample(self, window: PolicyWindow, number: int, out: Path) -> TrainingSample:
        picture = f"samples/data-{number}.webp"
        frames = window.frames()
        write_sheet(frames, out / picture)
        width, height = window.fitted.canvas
        known = self.sequences.known(window.actions)
        facts = [
            ("canvas", f"{width}x{height}"),
            ("views", f"{frames.shape[2]}x{frames.shape[1]}"),
            ("frames", str(len(frames))),
            ("fps", f"{window.fps:g}"),
            *([("state", _numbers(window.state))] if window.state is not None else []),
            ("first action", _numbers(window.actions[0])),
            ("first action as the model knows it", _numbers(known[0].numpy())),
            ("last action as the model knows it", _numbers(known[-1].numpy())),
        ]
        return TrainingSample(
            name=window.name,
            mode="policy",
            text=self.sequences.words(window),
            picture=picture,
            num_tokens=self.sequences.num_tokens(window),
            facts=tuple(facts),
        )


def read_policy_data(place: Place, recipe: PolicyRecipe, about: About) -> PolicyData:
    """Look at every episode of a data set.

    Raises:
        BadInput: there is no data set, nothing of it can be trained on, or the recipe asks for what cannot be.
        NotAllowed: the checkpoint knows no actions of this embodiment.
    """
    if recipe.num_actions % ACTIONS_PER_LATENT:
        raise BadInput(f"num_actions is {recipe.num_actions}; expected a multiple of four.", param="num_actions")
    if place.opened.precise_steps is not None:
        raise BadInput(
            "The checkpoint's weights are in FP8; a policy's saves are whole checkpoints and cannot be made of them.",
            param="checkpoint",
            hint="Begin with the same checkpoint in bfloat16.",
        )
    drops, sources = Drops(), Sources()
    data = open_set(place.work.data[recipe.data])
    columns = find_columns(data, recipe.embodiment)
    name = recipe.embodiment
    own = place.setting.embodiments.of(name)
    fitted = partial(fit, recipe.resolution)
    finder = WindowFinder(data, columns, recipe, own.layout, fitted, drops)
    found = finder.find(lambda done: about("Reading the recordings", done, len(data.lines)))
    if not found.windows:
        raise BadInput(
            f"Nothing of the data set can be trained on. {drops.summary()}".strip(),
            param="data",
            hint="Record longer runs that succeed, or let idle windows in.",
        )
    embodiments = place.setting.embodiments
    if recipe.fresh_heads:
        said = OwnEmbodiment(units=units_of_data(EMBODIMENTS[name], found.rows), layout=own.layout)
        embodiments = OwnEmbodiments({**embodiments.root, name: said})
    width = found.rows.shape[1]
    units = ActionUnits.of(EMBODIMENTS[name], width, embodiments.of(name).units)
    for path in found.files:
        sources.hash(path)
    sequences = PolicySequences(place.setting, name, width, units)
    return PolicyData(place, recipe, found.windows, drops.told(), sequences, embodiments, sources)


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.2f}" for value in values)
