"""The same requests through diffusers' own pipelines."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from diffusers.modular_pipelines.cosmos.modular_blocks_cosmos3 import Cosmos3OmniBlocks
from diffusers.modular_pipelines.cosmos.modular_blocks_cosmos3_distilled import Cosmos3DistilledBlocks
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline, CosmosActionCondition
from diffusers.schedulers.scheduling_flow_match_euler_discrete import FlowMatchEulerDiscreteScheduler
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from PIL import Image

from engine.bench.cases import Case
from engine.planning import Plannable
from studio.requests import GenerateImage, GenerateVideo, PredictActions, PredictVideo, RunPolicy, TransferVideo
from studio.rules import canvas

SIGMAS = (1.0, 0.9375, 0.8333, 0.625)
"""Of the released four-step checkpoints."""

ACTION_MODES: dict[str, Literal["forward_dynamics", "inverse_dynamics", "policy"]] = {
    "predict_video": "forward_dynamics",
    "predict_actions": "inverse_dynamics",
    "run_policy": "policy",
}


class Library:
    """diffusers' pipelines on one folder: its ordinary one, and the modular ones where only they have a mode."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            ignore_library_noise()
            self._omni = Cosmos3OmniPipeline.from_pretrained(
                folder, dtype=torch.float32, enable_safety_checker=False, use_native_flow_schedule=True
            )
        self._omni.set_progress_bar_config(disable=True)
        self._shipped = self._omni.scheduler.config
        parts = {name: part for name, part in self._omni.components.items() if part is not None and name != "scheduler"}
        self._transfer = _modular(Cosmos3OmniBlocks(), parts, self._scheduler(10.0))
        parts.pop("sound_tokenizer", None)
        self._distilled = _modular(Cosmos3DistilledBlocks(), parts, distilled_scheduler())
        self._distilled.register_to_config(distilled_sigmas=list(SIGMAS), is_distilled=True)

    def run(self, case: Case) -> None:
        """One request to its pixels, as tensors: nothing is made of them that the engine does not make too."""
        request = case.request
        # Loops of the modular pipelines draw progress bars that nothing turns off.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            ignore_library_noise()
            if case.distilled:
                assert isinstance(request, GenerateImage | GenerateVideo)
                self._distilled(**_distilled_arguments(request, case.media))
            elif isinstance(request, TransferVideo):
                self._transfer.update_components(scheduler=self._scheduler(request.sampling.flow_shift))
                self._transfer(**_transfer_arguments(request, case.media))
            else:
                self._omni.scheduler = self._scheduler(request.sampling.flow_shift)
                self._omni(**omni_arguments(request, case.media))

    def _scheduler(self, shift: float) -> UniPCMultistepScheduler:
        made = UniPCMultistepScheduler.from_config(self._shipped, use_karras_sigmas=False, flow_shift=shift)
        assert isinstance(made, UniPCMultistepScheduler)
        return made


def distilled_scheduler() -> FlowMatchEulerDiscreteScheduler:
    """As a distilled checkpoint ships it."""
    return FlowMatchEulerDiscreteScheduler(stochastic_sampling=True, shift=1.0)


def _modular(blocks: Any, parts: Mapping[str, Any], scheduler: Any) -> Any:
    pipeline = blocks.init_pipeline()
    pipeline.update_components(**parts, scheduler=scheduler)
    pipeline.disable_safety_checker()
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def _common(request: Plannable) -> dict[str, Any]:
    return {
        "prompt": request.prompt,
        "generator": torch.Generator().manual_seed(request.sampling.seed),
        "output_type": "pt",
    }


def _guided(request: Plannable) -> dict[str, Any]:
    return {
        "negative_prompt": request.negative_prompt,
        "num_inference_steps": request.sampling.num_inference_steps,
        "guidance_scale": request.sampling.guidance_scale,
    }


def _clip(request: GenerateImage | GenerateVideo, media: Mapping[str, np.ndarray]) -> dict[str, Any]:
    width, height = canvas(request.resolution, request.aspect_ratio)
    given: dict[str, Any] = {"width": width, "height": height, "use_system_prompt": request.use_system_prompt}
    if isinstance(request, GenerateImage):
        return given | {"num_frames": 1}
    if "start_image" in media:
        given["image"] = _pictures(media["start_image"])[0]
    if "source_video" in media:
        given["video"] = _pictures(media["source_video"])
        given["condition_frame_indexes_vision"] = list(request.condition_frames)
    return given | {"num_frames": request.num_frames, "fps": request.fps}


def omni_arguments(
    request: GenerateImage | GenerateVideo | PredictVideo | PredictActions | RunPolicy, media: Mapping[str, np.ndarray]
) -> dict[str, Any]:
    """What `Cosmos3OmniPipeline` is called with."""
    given = _common(request) | _guided(request)
    if isinstance(request, GenerateImage | GenerateVideo):
        sound = isinstance(request, GenerateVideo) and request.sound
        return given | _clip(request, media) | {"enable_sound": sound}
    source: dict[str, Any] = (
        {"video": _pictures(media["source_video"])}
        if "source_video" in media
        else {"image": _pictures(media["start_image"])[0]}
    )
    if isinstance(request, PredictVideo):
        source["raw_actions"] = torch.tensor(request.actions)
    action = CosmosActionCondition(
        ACTION_MODES[request.kind],
        request.num_actions,
        request.embodiment,
        int(request.resolution),
        view_point="ego_view",
        **source,
    )
    return given | {"action": action, "fps": request.fps, "use_system_prompt": request.use_system_prompt}


def _transfer_arguments(request: TransferVideo, media: Mapping[str, np.ndarray]) -> dict[str, Any]:
    width, height = canvas(request.resolution, request.aspect_ratio)
    return (
        _common(request)
        | _guided(request)
        | {
            "control_videos": {control.hint: _pictures(media[control.hint]) for control in request.controls},
            "control_guidance": request.sampling.control_guidance,
            "num_frames": request.num_frames,
            "num_video_frames_per_chunk": request.num_chunk_frames,
            "num_conditional_frames": request.num_overlap_frames,
            "fps": request.fps,
            "width": width,
            "height": height,
        }
    )


def _distilled_arguments(request: GenerateImage | GenerateVideo, media: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return _common(request) | _clip(request, media)


def _pictures(clip: np.ndarray) -> list[Image.Image]:
    return [Image.fromarray(frame) for frame in clip]


def ignore_library_noise() -> None:
    """What diffusers 0.42 does that newer NumPy and PyTorch deprecate."""
    warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
    warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
