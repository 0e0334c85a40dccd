"""A data set of the generator: what of it is trained on, how it looks to the trainer, and its latents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.planning import Setting
from studio.errors import BadInput, PromptTooLong
from studio.tuning import GeneratorRecipe, VideoMode
from studio.tuning.events import Bin, LeftOut, TrainingSample
from tuning.generator.clips import Clip, check_length, find_clips
from tuning.generator.latents import Sources
from tuning.generator.records import find_records, read_records
from tuning.generator.sequences import Sequences
from tuning.left_out import Drops
from tuning.sheets import write_sheet

NUM_SAMPLES = 3
NUM_BINS = 10


@dataclass(frozen=True)
class ClipData:
    """What is trained on.

    Attributes:
        clips: at least one.
        sources: the files that they are of.
    """

    clips: tuple[Clip, ...]
    dropped: tuple[LeftOut, ...]
    sequences: Sequences
    sources: Sources

    @property
    def longest(self) -> Clip:
        """The one with the most tokens."""
        return max(self.clips, key=self.sequences.num_tokens)

    def histogram(self) -> tuple[Bin, ...]:
        """Of the sequences' tokens."""
        lengths = np.array([self.sequences.num_tokens(clip) for clip in self.clips])
        counts, edges = np.histogram(lengths, NUM_BINS if lengths.min() < lengths.max() else 1)
        ends = [int(edge) for edge in edges]
        return tuple(
            Bin(low=low, high=high, count=int(count))
            for low, high, count in zip(ends[:-1], ends[1:], counts, strict=True)
        )

    def samples(self, modes: dict[VideoMode, float], out: Path) -> tuple[TrainingSample, ...]:
        """Three of them, from the beginning to the end of the data; their pictures are written below `out`."""
        trained: list[VideoMode] = [mode for mode, share in modes.items() if share > 0 and mode != "t2i"]
        places = dict.fromkeys(np.linspace(0, len(self.clips) - 1, NUM_SAMPLES).round().astype(int).tolist())
        return tuple(self._sample(self.clips[place], trained, number, out) for number, place in enumerate(places, 1))

    def _sample(self, clip: Clip, trained: Sequence[VideoMode], number: int, out: Path) -> TrainingSample:
        picture = f"samples/data-{number}.webp"
        write_sheet(clip.frames(), out / picture)
        width, height = clip.canvas
        facts = [("canvas", f"{width}x{height}"), ("frames", str(clip.num_frames))]
        facts += [] if clip.fps is None else [("fps", f"{clip.fps:g}")]
        return TrainingSample(
            name=clip.window.name,
            mode="t2i" if clip.window.is_image else trained[(number - 1) % len(trained)],
            text=self.sequences.words(clip),
            picture=picture,
            num_tokens=self.sequences.num_tokens(clip),
            facts=tuple(facts),
        )


def read_data(folder: Path, recipe: GeneratorRecipe, setting: Setting, told: Callable[[int, int], None]) -> ClipData:
    """Look at every line of a data set.

    Args:
        told: how many of how many windows have been looked at.

    Raises:
        BadInput: there is no data set, nothing of it can be trained on, or the recipe asks for what cannot be.
    """
    check_length(recipe)
    drops, sequences, sources = Drops(), Sequences(setting), Sources()
    records = find_records(folder)
    sources.hash(records)
    windows = read_records(records, drops)
    clips: list[Clip] = []
    for clip in find_clips(windows, recipe, drops, lambda done: told(done, len(windows))):
        try:
            sequences.prompt(clip)
        except PromptTooLong as error:
            drops.add("caption_too_long", error.message, clip.window.name)
        else:
            sources.hash(clip.window.path)
            clips.append(clip)
    if not clips:
        reasons = "; ".join(f"{len(names)} × {drops.messages[reason]}" for reason, names in drops.names.items())
        raise BadInput(
            f"Nothing of the data set can be trained on. {reasons}".strip(),
            param="data",
            hint="Lower min_window_frames or num_frames, or add videos with captions.",
        )
    return ClipData(tuple(clips), drops.told(), sequences, sources)
