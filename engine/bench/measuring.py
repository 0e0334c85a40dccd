"""One case in one program: seconds to the file, milliseconds a step, memory, and how the first velocity compares."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import av
import numpy as np
import torch
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from torch import Tensor
from torch.nn.functional import avg_pool2d

from engine.bench.cases import Row, with_steps
from engine.bench.library import ignore_library_noise, omni_arguments
from engine.bench.stage import Stage
from engine.engine import Engine
from engine.sampling import Trajectory
from studio.png import write_png

GIB = 2**30

ENCODER = {"preset": "veryfast", "crf": "17"}
"""The studio's (`backend.media.clip_writer`)."""


@dataclass
class Measured:
    """One run, or the medians of several.

    Attributes:
        seconds: from words to the file.
        step_ms: one denoising step, guidance and solver among it.
        first_s: of the first run, where everything is compiled.
        is_extrapolated: some steps were counted and not run.
        frames: what was made, uint8 [n, height, width, 3].
        latencies_s: of a robot's chunks.
        num_steps: that were run.
        num_kept: of them, with the velocity of a step before them.
    """

    seconds: float
    step_ms: float
    peak_gib: float | None = None
    first_s: float | None = None
    is_extrapolated: bool = False
    frames: np.ndarray | None = None
    latencies_s: list[float] = field(default_factory=list[float])
    num_steps: int = 0
    num_kept: int = 0


def measure_engine(engine: Engine, row: Row, scratch: Path, repeats: int, max_steps: int | None) -> Measured:
    """The engine; everything is compiled and recorded by a run that does not count.

    Args:
        max_steps: of a clip, that are run; the others are counted as long.
    """
    cuda = engine.model.device.type == "cuda"
    first = warm_up(engine, row, scratch)
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    runs = [_run_engine(engine, row, scratch, max_steps) for _ in range(repeats if row.repeats else 1)]
    made = min(runs, key=lambda run: abs(run.seconds - median(one.seconds for one in runs)))
    made.first_s = first
    made.peak_gib = torch.cuda.max_memory_allocated() / GIB if cuda else None
    made.latencies_s = chunk_latencies(engine, row, scratch)
    return made


WARMING_STEPS = 20
"""Of a run in FP8 that warms up: two of them are precise, the third and the fourth are not."""


def warm_up(engine: Engine, row: Row, scratch: Path) -> float:
    """A few steps and frames, so that everything is compiled and recorded, both kinds of steps in FP8: seconds."""
    started = time.perf_counter()
    engine.forget_prompts()
    engine.begin(row.request, row.media)  # the second reading, that of the steps below, is recorded
    num_steps = 2
    if engine.model.generator.is_quantised and row.num_steps > WARMING_STEPS:
        row, num_steps = with_steps(row, WARMING_STEPS), 4
    stepped = take_steps(engine, row, num_steps)
    write_result(engine, row, stepped.trajectory, scratch, few_frames=True)
    return time.perf_counter() - started


def chunk_latencies(engine: Engine, row: Row, scratch: Path) -> list[float]:
    """Seconds of each of a robot's chunks, one after another, their prompt read before."""
    latencies_s: list[float] = []
    for _ in range(row.chunks):
        started = time.perf_counter()
        write_result(engine, row, take_steps(engine, row, reads_prompt=False).trajectory, scratch)
        latencies_s.append(time.perf_counter() - started)
    return latencies_s


@dataclass
class Stepped:
    """A trajectory that has taken its steps, or some of them.

    Attributes:
        begin_s: until it was begun: planned, its media encoded, its prompts read.
        steps_s: of all steps of the run.
        is_extrapolated: some of them were counted and not run.
    """

    trajectory: Trajectory
    begin_s: float
    steps_s: float
    is_extrapolated: bool


def take_steps(engine: Engine, row: Row, max_steps: int | None = None, *, reads_prompt: bool = True) -> Stepped:
    """Begin a case and take its steps. In FP8 precise steps take longer than the others: each stands for its own kind.

    Args:
        max_steps: that are run, and as many more as it takes to have seen every kind.
    """
    started = time.perf_counter()
    if reads_prompt:
        engine.forget_prompts()
    trajectory = engine.begin(row.request, row.media)
    _wait(engine)
    begin_s = time.perf_counter() - started
    generator = engine.model.generator
    kinds = [generator.is_quantised and generator.precise_steps.holds(i, row.num_steps) for i in range(row.num_steps)]
    wanted = min(max_steps or row.num_steps, row.num_steps)
    num_steps = next(n for n in range(wanted, row.num_steps + 1) if set(kinds[:n]) == set(kinds))
    stepping = time.perf_counter()
    seconds: dict[bool, list[float]] = {kind: [] for kind in kinds}
    for kind in kinds[:num_steps]:
        before = time.perf_counter()
        engine.step([trajectory])
        if num_steps < row.num_steps:  # of a whole run nobody asks how long each one took, and the host may go ahead
            _wait(engine)
        seconds[kind].append(time.perf_counter() - before)
    _wait(engine)
    steps_s = time.perf_counter() - stepping + sum(median(seconds[kind]) for kind in kinds[num_steps:])
    return Stepped(trajectory, begin_s, steps_s, num_steps < row.num_steps)


def write_result(
    engine: Engine, row: Row, trajectory: Trajectory, scratch: Path, *, few_frames: bool = False
) -> np.ndarray | None:
    """Decode and encode to a file what a case makes: uint8 [n, height, width, 3]; a robot's has no frames."""
    result = engine.finish(trajectory)
    if row.is_picture:
        write_png(scratch / "made.png", result.image)
        return result.image[None]
    if row.request.kind == "run_policy":
        assert result.actions is not None
        return None
    kept: list[np.ndarray] = []
    write_clip(scratch / "made.mp4", _keeping(result.frames, kept, 3 if few_frames else None), 24)
    return np.concatenate(kept)


def _run_engine(engine: Engine, row: Row, scratch: Path, max_steps: int | None) -> Measured:
    stepped = take_steps(engine, row, max_steps)
    trajectory = stepped.trajectory
    stepped_at = time.perf_counter()
    frames = write_result(engine, row, trajectory, scratch)
    return Measured(
        stepped.begin_s + stepped.steps_s + time.perf_counter() - stepped_at,
        1e3 * stepped.steps_s / row.num_steps,
        is_extrapolated=stepped.is_extrapolated,
        frames=frames,
        num_steps=trajectory.step,
        num_kept=trajectory.num_kept,
    )


def _keeping(pieces: Iterator[np.ndarray], kept: list[np.ndarray], most: int | None) -> Iterator[np.ndarray]:
    for index, piece in enumerate(pieces):
        if index == most:
            return
        kept.append(piece.copy())
        yield piece


@dataclass
class FirstStep:
    """What diffusers' model was given and gave at the first step of a run, and what came of the guidance.

    Attributes:
        vision: latents [C, T, rows, columns]; the pipeline keeps them in its own precision.
        actions: [T, D], where there are any.
        velocities: of the vision segment, float32, for the prompt and for the negative prompt.
    """

    vision: Tensor | None = None
    actions: Tensor | None = None
    velocities: list[Tensor] = field(default_factory=list[Tensor])

    def hook(self, _: object, __: object, given: dict[str, Any], made: Any) -> None:
        """For `register_forward_hook(with_kwargs=True)`."""
        if len(self.velocities) == 2:
            return
        self.vision = _unbatched(given["vision_tokens"][0]).clone()
        if given.get("action_tokens"):
            self.actions = given["action_tokens"][0].clone()
        self.velocities.append(_unbatched(made[0][0]).float())

    def guided(self, scale: float) -> Tensor:
        """The velocity of the step."""
        with_prompt, *others = self.velocities
        if not others:
            return with_prompt
        (without,) = others
        return without + scale * (with_prompt - without)


def measure_library(stage: Stage, row: Row, scratch: Path, max_steps: int | None = None) -> tuple[Measured, FirstStep]:
    """diffusers; its first step once before, and then as many steps as the case says.

    Args:
        max_steps: that are run at most; the others are counted as long.
    """
    assert stage.pipeline is not None
    num_steps = min(row.library_steps, max_steps or row.library_steps)
    cuda = stage.engine.model.device.type == "cuda"
    first = library_first_step(stage, row)
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    times: list[float] = []

    def tick(_: object, __: int, ___: object, given: dict[str, Any]) -> dict[str, Any]:
        _wait(stage.engine)
        times.append(time.perf_counter())
        return given

    started = time.perf_counter()
    made = _call(stage.pipeline, stage.shipped, row, num_steps, callback_on_step_end=tick)
    if row.request.kind != "run_policy":
        pixels = (made.video[0] if row.is_picture else made.video).float()
        frames = (pixels.reshape(-1, *pixels.shape[-3:]) * 255).round().to(torch.uint8)
        levels = frames.movedim(1, -1).contiguous().cpu().numpy()
        if row.is_picture:
            write_png(scratch / "theirs.png", levels[0])
        else:
            write_clip(scratch / "theirs.mp4", [levels], 24)
    ended = time.perf_counter()
    steps = [later - earlier for earlier, later in pairwise(times)] or [times[0] - started]
    step_s = median(steps)
    return Measured(
        ended - started + step_s * (row.num_steps - num_steps),
        1e3 * step_s,
        torch.cuda.max_memory_allocated() / GIB if cuda else None,
        is_extrapolated=num_steps < row.num_steps,
    ), first


class _EnoughError(Exception):
    """What was wanted of a run is there."""


def library_first_step(stage: Stage, row: Row, kernel: AbstractContextManager[Any] | None = None) -> FirstStep:
    """The model's first two calls of a run, which goes no further.

    Args:
        kernel: chooses another attention, to see how far diffusers is from itself.
    """
    assert stage.pipeline is not None
    seen = FirstStep()

    def stop(*_: object) -> None:
        raise _EnoughError

    handle = stage.pipeline.transformer.register_forward_hook(seen.hook, with_kwargs=True)
    try:
        with kernel or nullcontext():
            _call(stage.pipeline, stage.shipped, row, row.num_steps, callback_on_step_end=stop)
    except _EnoughError:
        pass
    finally:
        handle.remove()
    return seen


def engine_first_velocity(engine: Engine, row: Row, seen: FirstStep) -> tuple[Tensor, Tensor]:
    """The engine's first velocity from the same latents, and where it is not held at rest: [C, T, rows, columns]."""
    trajectory = engine.begin(row.request, row.media)
    target = trajectory.plan.target
    assert seen.vision is not None
    given = [seen.vision, *([] if seen.actions is None else [seen.actions])]
    with torch.inference_mode():
        trajectory.latents = [pin.latents(latents.float()) for pin, latents in zip(trajectory.pins, given, strict=True)]
        before = trajectory.latents[target].clone()
    engine.step([trajectory])
    x0 = trajectory.states[target].x0
    assert x0 is not None
    return (before - x0) / trajectory.plan.schedule.sigmas[0], _is_free(trajectory, target)


def relative(one: Tensor, other: Tensor, where: Tensor) -> float:
    """How far one is from the other, as a part of the other's length."""
    return float(((one - other) * where).norm() / (other * where).norm())


def _is_free(trajectory: Trajectory, target: int) -> Tensor:
    segment = trajectory.plan.segments[target]
    free = torch.ones(segment.shape, device=trajectory.latents[target].device)
    if segment.given is not None:
        free[:, list(segment.given.steps)] = 0
    return free


def _call(
    pipeline: Cosmos3OmniPipeline, shipped: UniPCMultistepScheduler, row: Row, num_steps: int, **more: Any
) -> Any:
    """diffusers' run of a case to its pixels, as tensors on the device."""
    request: Any = row.request
    made = UniPCMultistepScheduler.from_config(
        shipped.config, use_karras_sigmas=False, flow_shift=request.sampling.flow_shift
    )
    assert isinstance(made, UniPCMultistepScheduler)
    pipeline.scheduler = made
    given = omni_arguments(request, row.media) | {"num_inference_steps": num_steps}
    if row.request.kind == "run_policy":
        given["output_type"] = "latent"
    with warnings.catch_warnings():
        ignore_library_noise()
        return pipeline(**given, **more)


def _unbatched(latents: Tensor) -> Tensor:
    return latents[0] if latents.ndim == 5 else latents


def _wait(engine: Engine) -> None:
    if engine.model.device.type == "cuda":
        torch.cuda.synchronize()


def write_clip(path: Path, pieces: Iterable[np.ndarray], fps: int) -> None:
    """uint8 [n, height, width, 3], piece after piece, as H.264 in MP4."""
    with av.open(str(path), "w", format="mp4", container_options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=fps, options=ENCODER)
        stream.pix_fmt = "yuv420p"
        stream.thread_type = "FRAME"  # type: ignore[assignment]
        for index, piece in enumerate(pieces):
            if index == 0:
                stream.height, stream.width = piece.shape[1:3]
            for pixels in piece:
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


WINDOW = 8
"""Pixels along a side of the windows that SSIM compares (Wang et al. 2004, with equal weights)."""

C_1, C_2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

NO_DIFFERENCE_DB = 99.0
"""What is said of frames that are the same."""


def psnr_db(frames: np.ndarray, exact: np.ndarray) -> float:
    """Of all pixels together, uint8 [n, height, width, 3] each."""
    errors = [float(np.square(one.astype(np.float32) - two).mean()) for one, two in zip(frames, exact, strict=True)]
    error = sum(errors) / len(errors)
    return NO_DIFFERENCE_DB if error == 0 else float(10 * np.log10(255**2 / error))


def ssim(frames: np.ndarray, exact: np.ndarray) -> float:
    """Mean over frames of the structural similarity of their luma; 1 is the same."""
    return float(np.mean([_ssim(_luma(one), _luma(two)) for one, two in zip(frames, exact, strict=True)]))


def _luma(frame: np.ndarray) -> Tensor:
    weights = torch.tensor([0.299, 0.587, 0.114])
    return (torch.from_numpy(np.ascontiguousarray(frame)).float() @ weights)[None, None]


def _ssim(x: Tensor, y: Tensor) -> float:
    def mean(values: Tensor) -> Tensor:
        return avg_pool2d(values, WINDOW, stride=WINDOW // 2)

    mean_x, mean_y = mean(x), mean(y)
    spread_x, spread_y = mean(x * x) - mean_x**2, mean(y * y) - mean_y**2
    together = mean(x * y) - mean_x * mean_y
    luminance = (2 * mean_x * mean_y + C_1) / (mean_x**2 + mean_y**2 + C_1)
    structure = (2 * together + C_2) / (spread_x + spread_y + C_2)
    return float((luminance * structure).mean())
