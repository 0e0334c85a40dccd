"""One request drawn from a checkpoint folder by the engine and by both of diffusers' pipelines."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import torch
from diffusers import Cosmos3OmniModularPipeline, Cosmos3OmniPipeline, UniPCMultistepScheduler
from torch import Tensor

from engine import Engine
from studio.requests import GenerateImage

PICTURE = GenerateImage.model_validate(
    {
        "prompt": "a red cube on a table",
        "resolution": "256",
        "aspect_ratio": "16:9",
        "sampling": {"num_inference_steps": 3, "guidance_scale": 4.0, "seed": 0, "flow_shift": 3.0},
    }
)

THEIRS = {
    "prompt": PICTURE.prompt,
    "negative_prompt": "",
    "num_frames": 1,
    "height": 192,
    "width": 320,
    "num_inference_steps": 3,
    "guidance_scale": 4.0,
    "use_system_prompt": False,
    "output_type": "pt",
}


def drawn_by_the_engine(folder: Path) -> np.ndarray:
    engine = Engine.load(folder, device="cpu")
    trajectory = engine.begin(PICTURE)
    while not trajectory.done:
        engine.step([trajectory])
    return engine.finish(trajectory).image


def drawn_by_diffusers(folder: Path) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        pipeline = Cosmos3OmniPipeline.from_pretrained(folder, dtype=torch.float32, enable_safety_checker=False)
    assert pipeline.config.use_native_flow_schedule
    pipeline.set_progress_bar_config(disable=True)
    pipeline.scheduler = _native(pipeline.scheduler)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        out = pipeline(**THEIRS, generator=torch.Generator().manual_seed(0))
    return _pixels(out.video)


def drawn_by_the_modular_pipeline(folder: Path) -> np.ndarray:
    pipeline = Cosmos3OmniModularPipeline(pretrained_model_name_or_path=str(folder))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        pipeline.load_components(dtype=torch.float32)
    assert pipeline.config.use_native_flow_schedule
    pipeline.disable_safety_checker()
    pipeline.set_progress_bar_config(disable=True)
    pipeline.update_components(scheduler=_native(pipeline.scheduler))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        state = pipeline(**THEIRS, generator=torch.Generator().manual_seed(0))
    return _pixels(state.get("videos"))


def _native(scheduler: UniPCMultistepScheduler) -> UniPCMultistepScheduler:
    return UniPCMultistepScheduler.from_config(scheduler.config, use_karras_sigmas=False, flow_shift=3.0)


def _pixels(video: Tensor) -> np.ndarray:
    """[1, 3, height, width] or [1, 1, 3, height, width] in 0..1 → uint8 [height, width, 3]."""
    frame = video.reshape(-1, *video.shape[-3:])[0]
    return frame.permute(1, 2, 0).mul(255).round().to(torch.uint8).numpy()
