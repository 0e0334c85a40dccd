"""Small clips of every mode, in the engine and in diffusers' own pipelines on the same folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from diffusers import Cosmos3OmniPipeline, CosmosActionCondition, UniPCMultistepScheduler
from diffusers.video_processor import VideoProcessor
from PIL import Image
from torch import Tensor

from studio.requests import Sampling
from studio.requests.actions import PredictActions, PredictVideo, RunPolicy
from studio.requests.generate_video import GenerateVideo

ActionRequest = PredictVideo | PredictActions | RunPolicy
Size = tuple[int, int]


def pictures(clip: np.ndarray) -> list[Image.Image]:
    return [Image.fromarray(frame) for frame in clip]


@contextmanager
def library_noise() -> Iterator[None]:
    """What diffusers 0.42 does that newer NumPy and PyTorch deprecate."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        yield


def native(shipped: UniPCMultistepScheduler, shift: float) -> UniPCMultistepScheduler:
    return UniPCMultistepScheduler.from_config(shipped.config, use_karras_sigmas=False, flow_shift=shift)


@dataclass(frozen=True)
class Drawn:
    """What a pipeline came to: latents as the engine shapes them, pixels [T, 3, height, width] in 0..1."""

    latents: Tensor
    pixels: Tensor
    sound_latents: Tensor | None = None
    sound: Tensor | None = None
    actions: Tensor | None = None


@dataclass(frozen=True)
class OmniReference:
    """diffusers' pipeline for clips, sound and actions."""

    pipeline: Cosmos3OmniPipeline
    shipped: UniPCMultistepScheduler

    def schedule(self, sampling: Sampling) -> None:
        """Sample as a request asks for."""
        is_native = sampling.schedule == "native"
        self.pipeline.register_to_config(use_native_flow_schedule=is_native)
        self.pipeline.scheduler = (
            native(self.shipped, sampling.flow_shift)
            if is_native
            else UniPCMultistepScheduler.from_config(self.shipped.config)
        )

    def draw(self, request: GenerateVideo, size: Size, media: Mapping[str, np.ndarray]) -> Drawn:
        """A clip of a request on a canvas of any size."""
        self.schedule(request.sampling)
        latents: list[Tensor] = []
        sounds: list[Tensor] = []
        given: dict[str, Any] = {}
        if "start_image" in media:
            given["image"] = pictures(media["start_image"])[0]
        if "source_video" in media:
            given["video"] = pictures(media["source_video"])
            given["condition_frame_indexes_vision"] = list(request.condition_frames)
            given["condition_video_keep"] = request.condition_end

        def keep(pipeline: Any, step: int, _: Tensor, now: dict[str, Tensor]) -> dict[str, Tensor]:
            latents.append(now["latents"])
            return now

        def decode_sound(sound: Tensor) -> Tensor:
            sounds.append(sound)
            return Cosmos3OmniPipeline.decode_sound(self.pipeline, sound)

        self.pipeline.decode_sound = decode_sound
        with library_noise():
            out = self.pipeline(
                prompt=request.prompt,
                negative_prompt=request.negative_prompt,
                num_frames=request.num_frames,
                width=size[0],
                height=size[1],
                fps=request.fps,
                num_inference_steps=request.sampling.num_inference_steps,
                guidance_scale=request.sampling.guidance_scale,
                enable_sound=request.sound,
                use_system_prompt=request.use_system_prompt,
                add_resolution_template=request.use_resolution_template,
                add_duration_template=request.use_duration_template,
                generator=torch.Generator().manual_seed(request.sampling.seed),
                output_type="pt",
                callback_on_step_end=keep,
                **given,
            )
        return Drawn(latents[-1][0], out.video, sounds[0] if sounds else None, out.sound)

    def act(self, request: ActionRequest, media: Mapping[str, np.ndarray], view: str) -> Drawn:
        """Actions, the frames beside them, or both."""
        self.schedule(request.sampling)
        given: dict[str, Any] = {}
        if isinstance(request, PredictVideo):
            given["raw_actions"] = torch.tensor(request.actions)
        if "source_video" in media:
            given["video"] = pictures(media["source_video"])
        else:
            given["image"] = pictures(media["start_image"])[0]
        modes = {
            "predict_video": "forward_dynamics",
            "predict_actions": "inverse_dynamics",
            "run_policy": "policy",
        }
        action = CosmosActionCondition(
            modes[request.kind],
            request.num_actions,
            request.embodiment,
            int(request.resolution),
            view_point=view,
            **given,
        )
        latents: list[Tensor] = []

        def keep(pipeline: Any, step: int, _: Tensor, now: dict[str, Tensor]) -> dict[str, Tensor]:
            latents.append(now["latents"])
            return now

        with library_noise():
            out = self.pipeline(
                prompt=request.prompt,
                negative_prompt=request.negative_prompt,
                fps=request.fps,
                num_inference_steps=request.sampling.num_inference_steps,
                guidance_scale=request.sampling.guidance_scale,
                use_system_prompt=request.use_system_prompt,
                generator=torch.Generator().manual_seed(request.sampling.seed),
                output_type="pt",
                callback_on_step_end=keep,
                action=action,
            )
        return Drawn(latents[-1][0], out.video, actions=out.action[0] if out.action else None)


def load_omni(folder: Path, **parts: Any) -> OmniReference:
    with library_noise():
        pipeline = Cosmos3OmniPipeline.from_pretrained(
            folder, dtype=torch.float32, enable_safety_checker=False, **parts
        )
    pipeline.set_progress_bar_config(disable=True)
    # Frames of actions come in any size; the default would first shrink them to multiples of 16.
    pipeline.video_processor = VideoProcessor(vae_scale_factor=1, resample="bilinear")
    return OmniReference(pipeline, pipeline.scheduler)


@pytest.fixture(scope="session")
def omni(speck: Path) -> OmniReference:
    return load_omni(speck)


@pytest.fixture(scope="session")
def edge_omni(edge: Path) -> OmniReference:
    return load_omni(edge, sound_tokenizer=None)
