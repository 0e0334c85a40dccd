"""Noise levels of a run: the framework's own, or those of the repository's scheduler file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from diffusers.schedulers.scheduling_flow_match_euler_discrete import FlowMatchEulerDiscreteScheduler
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler

from studio.errors import NotAllowed

NUM_TRAIN_TIMESTEPS = 1000


@dataclass(frozen=True)
class Schedule:
    """The levels that a run visits.

    Attributes:
        sigmas: falling, one more than there are steps; the last is 0, a picture without noise.
        timesteps: what the model is told, floor(1000 sigma). Four native steps with shift 5 are 999, 937, 833, 624. A
            distilled schedule does not round them.
        is_stochastic: each step adds fresh noise, instead of following the flow.
    """

    sigmas: tuple[float, ...]
    timesteps: tuple[float, ...]
    is_stochastic: bool = False

    @property
    def num_steps(self) -> int:
        """Denoising steps."""
        return len(self.timesteps)


def native_schedule(num_steps: int, shift: float) -> Schedule:
    """What NVIDIA's framework, vLLM-Omni and SGLang sample with, and diffusers under `use_native_flow_schedule`.

    sigma = linspace(0.999, 0, n + 1) without its end, then shift * sigma / (1 + (shift - 1) * sigma).
    """
    sigmas = _framework_sigmas(num_steps)
    sigmas = shift * sigmas / (1 + (shift - 1) * sigmas)
    timesteps = (sigmas * NUM_TRAIN_TIMESTEPS).astype(np.int64)
    return Schedule((*_as_float32(sigmas), 0.0), tuple(int(step) for step in timesteps))


def checkpoint_schedule(scheduler: Mapping[str, Any], num_steps: int, *, native_flow: bool) -> Schedule:
    """What `Cosmos3OmniPipeline` samples with when it is loaded from the repository and left alone.

    The file alone decides: a request's flow shift has no part in it.

    Args:
        scheduler: `scheduler/scheduler_config.json`.
        native_flow: `use_native_flow_schedule` of `model_index.json`.

    Raises:
        NotAllowed: the file describes a scheduler other than UniPC of order 2.
    """
    named = scheduler.get("_class_name")
    solver = UniPCMultistepScheduler.from_config(dict(scheduler))
    assert isinstance(solver, UniPCMultistepScheduler)
    expected = {"solver_order": 2, "solver_type": "bh2", "predict_x0": True, "prediction_type": "flow_prediction"}
    if named != "UniPCMultistepScheduler" or any(solver.config[key] != value for key, value in expected.items()):
        raise NotAllowed(
            f"This checkpoint's scheduler file asks for {named}, which is not supported.",
            param="sampling.schedule",
            hint="Use the native schedule.",
        )
    with warnings.catch_warnings():
        # diffusers 0.42 turns a tensor into an array in a way that NumPy 2 deprecates.
        warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
        if native_flow:
            solver.set_timesteps(num_steps, sigmas=_framework_sigmas(num_steps))  # type: ignore[arg-type]
        else:
            solver.set_timesteps(num_steps)
    return Schedule(
        tuple(float(sigma) for sigma in solver.sigmas), tuple(int(step) for step in solver.timesteps.tolist())
    )


def distilled_schedule(scheduler: Mapping[str, Any], sigmas: Sequence[float]) -> Schedule:
    """The few fixed levels of a distilled checkpoint; nothing in a request changes them.

    Args:
        scheduler: `scheduler/scheduler_config.json`.
        sigmas: `distilled_sigmas` of its index.

    Raises:
        NotAllowed: the file describes a scheduler other than the stochastic Euler one.
    """
    named = scheduler.get("_class_name")
    solver = FlowMatchEulerDiscreteScheduler.from_config(dict(scheduler))
    assert isinstance(solver, FlowMatchEulerDiscreteScheduler)
    if named != "FlowMatchEulerDiscreteScheduler" or not solver.config["stochastic_sampling"]:
        raise NotAllowed(
            f"This distilled checkpoint's scheduler file asks for {named}, which is not supported.",
            param="checkpoint",
        )
    solver.set_timesteps(sigmas=list(sigmas))
    levels, timesteps = solver.sigmas, solver.timesteps
    assert levels is not None
    assert timesteps is not None
    return Schedule(tuple(map(float, levels)), tuple(map(float, timesteps)), is_stochastic=True)


def _framework_sigmas(num_steps: int) -> np.ndarray:
    return np.linspace(1 - 1 / NUM_TRAIN_TIMESTEPS, 0, num_steps + 1)[:-1]


def _as_float32(sigmas: np.ndarray) -> list[float]:
    """Rounded as the reference stores them, so that both programs visit the same levels."""
    return [float(sigma) for sigma in sigmas.astype(np.float32)]
