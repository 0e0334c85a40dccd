"""What planners read beside the request: what a checkpoint's folder fixes for all requests, and the media of one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from torch import Tensor

from engine.planning.embodiments import OwnEmbodiments, read_own_embodiments
from engine.planning.prompt import PromptEncoder, read_tokenizer
from engine.planning.schedule import Schedule, checkpoint_schedule, distilled_schedule, native_schedule
from engine.planning.segments import SoundSegment
from engine.weights import Folder, ModelConfig
from studio.checkpoints import INDEXES, MODULAR_INDEX, read_json
from studio.errors import BrokenCheckpoint, NotAllowed
from studio.requests import Sampling


@dataclass(frozen=True)
class SoundClock:
    """How samples become latents.

    Attributes:
        samples_per_second: 48,000 in every released checkpoint.
        samples_per_latent: 1,920 likewise.
    """

    samples_per_second: int
    samples_per_latent: int


@dataclass(frozen=True)
class Setting:
    """The checkpoint, as planners see it.

    Attributes:
        pixels_per_cell: pixels along the side of one latent cell.
        scheduler: the repository's scheduler file.
        native_flow: the repository's own pipeline samples natively too.
        distilled_sigmas: the fixed levels of a distilled checkpoint; empty for any other.
        sound_clock: none where the checkpoint makes no sound.
        embodiments: what it says of bodies that it knows in a way of its own.
    """

    config: ModelConfig
    prompts: PromptEncoder
    pixels_per_cell: int
    scheduler: Mapping[str, Any]
    native_flow: bool
    distilled_sigmas: tuple[float, ...]
    sound_clock: SoundClock | None
    embodiments: OwnEmbodiments = dataclasses.field(default_factory=OwnEmbodiments)

    def schedule(self, sampling: Sampling) -> Schedule:
        """The noise levels that a request asks for.

        Raises:
            NotAllowed: the checkpoint's own are asked for and cannot be sampled, or it is distilled and another number
                of steps or guidance is asked for.
        """
        if self.distilled_sigmas:
            return self._distilled(sampling)
        if sampling.schedule == "native":
            return native_schedule(sampling.num_inference_steps, sampling.flow_shift)
        return checkpoint_schedule(self.scheduler, sampling.num_inference_steps, native_flow=self.native_flow)

    def _distilled(self, sampling: Sampling) -> Schedule:
        num_steps = len(self.distilled_sigmas)
        for field, came, taken in (
            ("num_inference_steps", sampling.num_inference_steps, num_steps),
            ("guidance_scale", sampling.guidance_scale, 1),
        ):
            if came != taken:
                raise NotAllowed(
                    f"This checkpoint is distilled: {field} is {taken}, not {came:g}.",
                    param=f"sampling.{field}",
                    hint=f"Use {taken}.",
                )
        return distilled_schedule(self.scheduler, self.distilled_sigmas)

    def latent_shape(self, width: int, height: int, num_latent_frames: int = 1) -> tuple[int, int, int, int]:
        """Latents [C, T, rows, columns] of so many pixels."""
        cell = self.pixels_per_cell
        return self.config.latent_channel, num_latent_frames, height // cell, width // cell

    def sound_segment(self, duration_s: float) -> SoundSegment:
        """Sound as long as a clip; its last latent may reach beyond the clip's end.

        Raises:
            NotAllowed: the checkpoint makes no sound.
        """
        clock = self.sound_clock
        if clock is None or self.config.sound_dim is None:
            raise NotAllowed("This checkpoint does not generate sound.", param="sound", hint="Turn sound off.")
        length = math.ceil(int(duration_s * clock.samples_per_second) / clock.samples_per_latent)
        return SoundSegment(shape=(self.config.sound_dim, length), latents_per_second=self.config.sound_latent_fps)


def read_setting(folder: Folder) -> Setting:
    """Read the small files of a checkpoint.

    Raises:
        BrokenCheckpoint: one of them cannot be read.
    """
    vae = read_json(folder.path / "vae" / "config.json")
    pixels_per_cell = vae.get("scale_factor_spatial", 16)
    if not isinstance(pixels_per_cell, int) or pixels_per_cell < 1:
        raise BrokenCheckpoint(f"{folder.path}/vae/config.json: scale_factor_spatial is {pixels_per_cell!r}.")
    indexes = [read_json(folder.path / name) for name in INDEXES if (folder.path / name).is_file()]
    return Setting(
        config=folder.config,
        prompts=read_tokenizer(folder.path / "text_tokenizer"),
        pixels_per_cell=pixels_per_cell,
        scheduler=read_json(folder.path / "scheduler" / "scheduler_config.json"),
        native_flow=any(index.get("use_native_flow_schedule") is True for index in indexes),
        distilled_sigmas=_distilled_sigmas(folder.path),
        sound_clock=_sound_clock(folder.path / "sound_tokenizer") if folder.config.sound_gen else None,
        embodiments=read_own_embodiments(folder.path),
    )


def _distilled_sigmas(folder: Path) -> tuple[float, ...]:
    """`distilled_sigmas` of diffusers' modular index, which only distilled checkpoints have."""
    index = folder / MODULAR_INDEX
    sigmas = (read_json(index).get("distilled_sigmas") if index.is_file() else None) or ()
    if not all(isinstance(sigma, int | float) and 0 < sigma <= 1 for sigma in sigmas):
        raise BrokenCheckpoint(f"{index}: distilled_sigmas are {sigmas!r}.", param="checkpoint")
    return tuple(float(sigma) for sigma in sigmas)


def _sound_clock(folder: Path) -> SoundClock | None:
    if not (folder / "config.json").is_file():
        return None
    config = read_json(folder / "config.json")
    rate, hop = config.get("sampling_rate", 48_000), config.get("hop_size")
    if hop is None:
        # diffusers' `Cosmos3AVAEAudioTokenizer`: the product of the decoder's strides.
        hop = math.prod(config.get("dec_strides", (2, 4, 5, 6, 8)))
    return SoundClock(int(rate), int(hop))


class Encode(Protocol):
    """The way from pixels to latents."""

    def __call__(
        self, frames: np.ndarray | HeldFrames | Tensor, fit: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
        """From uint8 [4k+1, height, width, 3] to normalised latents [C, k+1, rows, columns], float32.

        Pixels that were never rounded come as float32 [4k+1, 3, height, width] in -1..1.

        Args:
            fit: changes the size of pixels [T, 3, height, width] in -1..1 first; it is given a few frames at a time.
        """
        ...


@dataclass(frozen=True)
class Media:
    """Pixels by the name of the request's field, and the way from pixels to latents.

    Attributes:
        frames: uint8 [T, height, width, 3] at the request's canvas and frame rate; a picture is one frame.
        encode: see `Encode`.
    """

    frames: Mapping[str, np.ndarray]
    encode: Encode


@dataclass(frozen=True)
class HeldFrames:
    """A clip that stands still at its end: its last frame is shown again and again, and kept once.

    Attributes:
        frames: uint8 [T, height, width, 3].
        length: frames that it shows, more than T.
    """

    frames: np.ndarray
    length: int

    @property
    def shape(self) -> tuple[int, ...]:
        """(length, height, width, 3)."""
        return (self.length, *self.frames.shape[1:])

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, wanted: slice) -> np.ndarray:
        """A copy of a few frames, uint8 [n, height, width, 3]."""
        return self.frames[np.minimum(np.arange(self.length)[wanted], len(self.frames) - 1)]


def padded(frames: np.ndarray, length: int) -> np.ndarray | HeldFrames:
    """The first `length` frames; of a shorter clip the last one is repeated. Nothing is copied."""
    return frames[:length] if length <= len(frames) else HeldFrames(frames, length)
