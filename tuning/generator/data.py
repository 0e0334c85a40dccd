"""A data set of the generator: what of it is trained on, how it looks to the trainer, and its latents."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from engine.device import typed_out_of_memory
from engine.towers import OmniModel
from studio.errors import BadInput, PromptTooLong
from studio.requests.transfer_video import FilteredHint
from studio.tuning import GeneratorRecipe, VideoMode
from studio.tuning.events import Bin, LeftOut, TrainingSample
from tuning.generator.clips import Clip, Control, check_length, find_clips
from tuning.generator.records import find_records, read_records
from tuning.generator.sequences import TRANSFERS, Sequences
from tuning.generator.task import GeneratorTask, let_learn
from tuning.histogram import histogram_of
from tuning.latents import LatentCache
from tuning.left_out import Drops
from tuning.lora import LearningLora
from tuning.memory import StepShape
from tuning.orders import sampled
from tuning.sheets import write_sheet
from tuning.sources import Sources
from tuning.tally import Tally
from tuning.task import About, Place


@dataclass(frozen=True)
class ClipData:
    """What is trained on.

    Attributes:
        clips: at least one.
        sources: the files that they are of.
    """

    place: Place
    recipe: GeneratorRecipe
    clips: tuple[Clip, ...]
    dropped: tuple[LeftOut, ...]
    sequences: Sequences
    sources: Sources

    @property
    def num_kept(self) -> int:
        """Sequences."""
        return len(self.clips)

    @property
    def faster(self) -> tuple[tuple[str, float], ...]:
        """All learn at one rate."""
        return ()

    @property
    def files(self) -> dict[str, str]:
        """None."""
        return {}

    @property
    def shape(self) -> StepShape:
        """A step whose sequences are all as long as the longest."""
        mode, sequences = self._longest_mode, self.sequences
        longest = max(self.clips, key=lambda clip: sequences.num_tokens(clip, mode))
        num_prompt = len(sequences.prompt(longest, mode))
        return StepShape(self.recipe.optimisation.batch_size, sequences.num_generated(longest, mode), num_prompt)

    def histogram(self) -> tuple[Bin, ...]:
        """Of the sequences' tokens."""
        mode = self._longest_mode
        return histogram_of([self.sequences.num_tokens(clip, mode) for clip in self.clips])

    def samples(self, out: Path) -> tuple[TrainingSample, ...]:
        """Three of them, from the beginning to the end of the data; their pictures are written below `out`."""
        trained: list[VideoMode] = [mode for mode in self._trained if mode != "t2i"]
        return tuple(
            self._sample(self.clips[place], trained[(number - 1) % len(trained)] if trained else "t2i", number, out)
            for number, place in enumerate(sampled(len(self.clips)), 1)
        )

    def let_learn(self, model: OmniModel) -> list[LearningLora]:
        """Let the parameters learn that the recipe trains."""
        return let_learn(model, self.recipe)

    def prepare(self, about: About) -> str:
        """Encode what is not in the cache; returns the SHA-256 of every clip's pixels and words, in their order."""
        cache = self._cache()
        hints: list[FilteredHint] = [TRANSFERS[mode] for mode in self._trained if mode in TRANSFERS]
        videos = [clip for clip in self.clips if not clip.window.is_image]
        encoded = [*self.clips, *(Control(clip, hint) for clip in videos for hint in hints)]
        with typed_out_of_memory(self.place.device):
            cache.fill(encoded, lambda done: about("Encoding the videos", done, len(encoded)))
        said = [(cache.key(clip), clip.window.text) for clip in self.clips]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def task(self, model: OmniModel, tally: Tally) -> GeneratorTask:
        """The losses of a model."""
        return GeneratorTask(model, self.recipe, self.clips, self.sequences, self._cache(), tally)

    def check(self) -> None:
        """Raises BadInput where a file has changed."""
        self.sources.check()

    @property
    def _trained(self) -> list[VideoMode]:
        return [mode for mode, share in self.recipe.modes.items() if share > 0]

    @property
    def _longest_mode(self) -> VideoMode:
        """A transfer has its control's tokens beside its own."""
        transfers: list[VideoMode] = [mode for mode in self._trained if mode in TRANSFERS]
        return transfers[0] if transfers else "t2v"

    def _cache(self) -> LatentCache:
        place = self.place
        return LatentCache(place.work.cache, place.work.checkpoint / "vae", place.device, place.dtype, self.sources)

    def _sample(self, clip: Clip, mode: VideoMode, number: int, out: Path) -> TrainingSample:
        picture = f"samples/data-{number}.webp"
        mode = "t2i" if clip.window.is_image else mode
        shown = Control(clip, TRANSFERS[mode]) if mode in TRANSFERS else clip
        write_sheet(shown.frames(), out / picture)
        width, height = clip.canvas
        facts = [("canvas", f"{width}x{height}"), ("frames", str(clip.num_frames))]
        facts += [] if clip.fps is None else [("fps", f"{clip.fps:g}")]
        return TrainingSample(
            name=clip.window.name,
            mode=mode,
            text=self.sequences.words(clip, mode),
            picture=picture,
            num_tokens=self.sequences.num_tokens(clip, mode),
            facts=tuple(facts),
        )


def read_clip_data(place: Place, recipe: GeneratorRecipe, about: About) -> ClipData:
    """Look at every line of a data set.

    Raises:
        BadInput: there is no data set, nothing of it can be trained on, or the recipe asks for what cannot be.
    """
    check_length(recipe)
    drops, sequences, sources = Drops(), Sequences(place.setting), Sources()
    folder = place.work.data[recipe.data]
    records = find_records(folder)
    sources.hash(records)
    windows = read_records(records, folder, drops)
    clips: list[Clip] = []
    for clip in find_clips(windows, recipe, drops, lambda done: about("Reading the data", done, len(windows))):
        try:
            transfers: list[VideoMode] = [mode for mode in TRANSFERS if recipe.modes.get(mode)]
            for mode in ("t2v", *transfers):
                sequences.prompt(clip, mode)
        except PromptTooLong as error:
            drops.add("caption_too_long", error.message, clip.window.name)
        else:
            sources.hash(clip.window.path)
            clips.append(clip)
    if not clips:
        raise BadInput(
            f"Nothing of the data set can be trained on. {drops.summary()}".strip(),
            param="data",
            hint="Lower min_window_frames or num_frames, or add videos with captions.",
        )
    return ClipData(place, recipe, tuple(clips), drops.told(), sequences, sources)
