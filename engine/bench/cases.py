"""What is timed: the same request through the engine and through diffusers' pipeline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import torch
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler

from engine.engine import Engine
from studio.requests import GenerateImage
from studio.rules import canvas


@dataclass(frozen=True)
class Timing:
    """One row of the table, in seconds from request to pixels.

    Attributes:
        orrery_s: median of the engine's runs.
        one_thread_s: median of diffusers' runs with one thread.
        two_threads_s: the same with two, the most that the engine takes for a small checkpoint.
    """

    case: str
    orrery_s: float
    one_thread_s: float
    two_threads_s: float

    @property
    def ratio(self) -> float:
        """How many times as long diffusers takes, at its better thread count."""
        return min(self.one_thread_s, self.two_threads_s) / self.orrery_s


def image_request(resolution: str, num_steps: int) -> GenerateImage:
    """A guided square picture."""
    return GenerateImage.model_validate(
        {
            "prompt": "A robot arm above a red cube on a wooden table, soft daylight from the left.",
            "resolution": resolution,
            "sampling": {"num_inference_steps": num_steps, "guidance_scale": 4.0, "flow_shift": 3.0, "seed": 0},
        }
    )


def load_pipeline(folder: Path) -> Cosmos3OmniPipeline:
    """diffusers' pipeline on the same folder, sampling natively as the engine does."""
    pipeline = Cosmos3OmniPipeline.from_pretrained(
        folder, dtype=torch.float32, sound_tokenizer=None, enable_safety_checker=False, use_native_flow_schedule=True
    )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def time_case(engine: Engine, pipeline: Cosmos3OmniPipeline, request: GenerateImage, repeats: int) -> Timing:
    """Medians over alternate runs, so that a busy machine is busy for all of them; the first round is not counted."""
    default_threads = torch.get_num_threads()

    def ours() -> None:
        engine.prefixes.clear()
        trajectory = engine.begin(request)
        while not trajectory.done:
            engine.step([trajectory])
        engine.finish(trajectory)

    def theirs(num_threads: int) -> Callable[[], None]:
        def run() -> None:
            torch.set_num_threads(num_threads)
            _draw(pipeline, request)

        return run

    contenders = [ours, theirs(1), theirs(2)]
    spent: list[list[float]] = [[] for _ in contenders]
    for _ in range(repeats + 1):
        for seconds, run in zip(spent, contenders, strict=True):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
    torch.set_num_threads(default_threads)
    width, height = canvas(request.resolution, request.aspect_ratio)
    name = f"image {width}x{height}, {request.sampling.num_inference_steps} steps, guided"
    return Timing(name, *(median(seconds[1:]) for seconds in spent))


def _draw(pipeline: Cosmos3OmniPipeline, request: GenerateImage) -> None:
    width, height = canvas(request.resolution, request.aspect_ratio)
    sampling = request.sampling
    pipeline.scheduler = UniPCMultistepScheduler.from_config(
        pipeline.scheduler.config, use_karras_sigmas=False, flow_shift=sampling.flow_shift
    )
    pipeline(
        prompt=request.prompt,
        negative_prompt=request.negative_prompt,
        num_frames=1,
        height=height,
        width=width,
        num_inference_steps=sampling.num_inference_steps,
        guidance_scale=sampling.guidance_scale,
        use_system_prompt=request.use_system_prompt,
        generator=torch.Generator().manual_seed(sampling.seed),
    )
