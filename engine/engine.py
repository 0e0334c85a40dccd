"""The engine: a checkpoint in memory, and requests denoised on it step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from engine.device import SMALL_PICTURE_PIXELS, Threads, pick_device, pick_dtype, typed_out_of_memory
from engine.planning import Setting, plan_image, read_setting
from engine.sampling import PrefixStore, Trajectory, denoise, prepare
from engine.towers import OmniModel, build_model
from engine.vae import PictureDecoder, Sketch, fit_sketch, read_vae, to_uint8
from engine.weights import open_folder, read_weights
from studio.requests import GenerateImage


@dataclass(frozen=True)
class Result:
    """What a request came to.

    Attributes:
        image: uint8 [height, width, 3].
        stopped_at_step: steps done, where they were fewer than asked for; else none.
    """

    image: np.ndarray
    stopped_at_step: int | None = None


class Engine:
    """One checkpoint on one device. Not thread-safe: it belongs to one thread of one process.

    A request is `begin`, then `step` until it is `done`, then `finish`. Between steps the caller may drop it (cancel),
    look at it (`preview`) or finish early and keep what there is.
    """

    def __init__(
        self, model: OmniModel, setting: Setting, decoder: PictureDecoder, sketch: Sketch, threads: Threads
    ) -> None:
        self.model = model
        self.setting = setting
        self.decoder = decoder
        self.sketch = sketch
        self.prefixes = PrefixStore(model)
        self.threads = threads

    @classmethod
    def load(cls, folder: Path, *, device: str = "auto", dtype: torch.dtype | None = None) -> Engine:
        """Read a checkpoint of the released layout.

        On a CPU the engine sets the number of threads of the whole process as it goes (`engine.device.Threads`).

        Args:
            device: as PyTorch names it, or "auto".
            dtype: what to compute in; none is float32 on a CPU and the checkpoint's own on a GPU.

        Raises:
            NotACheckpoint: the folder has another layout.
            BrokenCheckpoint: a file cannot be read, or a tensor is unknown, missing or of the wrong shape.
            OutOfMemory: it does not fit.
            BadInput: there is no such device.
        """
        place = pick_device(device)
        opened = open_folder(folder)
        kind = dtype or pick_dtype(place, opened.dtype)
        setting = read_setting(opened)
        with typed_out_of_memory(place), torch.inference_mode():
            model = build_model(opened.config, read_weights(opened, place, kind))
            decoder = read_vae(folder / "vae", place, kind)
            threads = Threads.of(place, sum(weight.numel() for weight in model.parameters()))
            threads.for_decode(num_pixels=SMALL_PICTURE_PIXELS)
            sketch = fit_sketch(decoder)
        return cls(model, setting, decoder, sketch, threads)

    def describe(self) -> str:
        """Precision and weights in one line, as in "float32 · 0.01 GB"."""
        weights = [*self.model.parameters(), *self.decoder.vae.parameters()]
        size_bytes = sum(weight.numel() * weight.element_size() for weight in weights)
        return f"{str(self.model.dtype).removeprefix('torch.')} · {size_bytes / 1e9:.2f} GB"

    @torch.inference_mode()
    def begin(self, request: GenerateImage) -> Trajectory:
        """Plan a request of count 1, read its prompts and draw its noise.

        Raises:
            PromptTooLong: the message says how many tokens came.
            NotAllowed: this checkpoint cannot do it.
            OutOfMemory: see `load`.
        """
        plan = plan_image(request, self.setting)
        self.threads.for_step(sum(len(branch.tokens) for branch in plan.branches))
        with typed_out_of_memory(self.model.device):
            return prepare(self.model, self.prefixes, plan)

    @torch.inference_mode()
    def step(self, trajectories: Sequence[Trajectory]) -> None:
        """One denoising step for each of them, packed in one pass. None of them may be done.

        Raises:
            OutOfMemory: see `load`; no trajectory has moved.
        """
        assert trajectories
        assert not any(trajectory.done for trajectory in trajectories)
        self.threads.for_step(sum(trajectory.num_tokens for trajectory in trajectories))
        with typed_out_of_memory(self.model.device):
            denoise(self.model, trajectories)

    @torch.inference_mode()
    def preview(self, trajectory: Trajectory) -> np.ndarray:
        """A sketch of the picture as now estimated: uint8 [height, width, 3], a quarter of its width."""
        return to_uint8(self.sketch.draw(trajectory.estimates()[0]))

    @torch.inference_mode()
    def finish(self, trajectory: Trajectory) -> Result:
        """Decode a trajectory; one that is not done gives its picture as now estimated.

        Raises:
            OutOfMemory: see `load`.
        """
        width, height = trajectory.plan.canvas
        self.threads.for_decode(width * height)
        with typed_out_of_memory(self.model.device):
            image = to_uint8(self.decoder.decode(trajectory.estimates()[0]))
        return Result(image, None if trajectory.done else trajectory.step)
