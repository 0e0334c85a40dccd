"""SGLang's `/v1/actions/metadata`, with every embodiment beside it.

Source: SGLang 0.5.23, multimodal_gen/runtime/entrypoints/action/cosmos3.py.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from backend.dialects.video_fields import ACTION_MODES
from studio.requests import RunPolicy
from studio.requests.embodiments import EMBODIMENTS
from studio.rules import CANVASES, Capabilities


class DomainInfo(BaseModel):
    """One embodiment: its name, the number of its weights, and the values of an action and of the state it starts from;
    null where the data set decides."""

    domain_name: str
    domain_id: int
    raw_action_dim: int | None
    state_dim: int


class ActionsTaken(BaseModel):
    """What a policy looks at; `supported_resolutions` are [width, height]."""

    modalities: list[str] = ["image", "video"]
    supported_resolutions: list[tuple[int, int]]
    state_dim: None = None


class ActionsMade(BaseModel):
    """What it answers; the width of an action is the embodiment's, `padded_action_dim` that of the checkpoint."""

    action_type: Literal["continuous"] = "continuous"
    action_horizon: int
    action_dim: None = None
    padded_action_dim: int
    dtype: Literal["float32"] = "float32"


class ActionDefaults(BaseModel):
    """What a call that leaves it out gets; a picture keeps its own size."""

    action_mode: Literal["policy"] = "policy"
    action_horizon: int
    num_inference_steps: int
    height: None = None
    width: None = None
    fps: float


class ActionCapabilities(BaseModel):
    """What is served: one observation at a time, by HTTP. openpi's socket is at `/v1/realtime/robot/openpi`, and not
    where SGLang has one."""

    action_modes: list[str]
    realtime_websocket: bool = False
    openpi_websocket: bool = False
    batch_inputs: bool = False
    max_batch_size: int = 1
    batched_action_modes: list[str] = []
    multiple_candidates: bool = False


class ActionMetadata(BaseModel):
    """What the loaded checkpoint's policy takes and answers: SGLang's objects, and beside them every embodiment."""

    object: Literal["action.metadata"] = "action.metadata"
    model: str
    model_path: str
    policy_family: Literal["cosmos3"] = "cosmos3"
    input: ActionsTaken
    output: ActionsMade
    defaults: ActionDefaults
    capabilities: ActionCapabilities
    action_modes: list[str]
    domains: list[DomainInfo]
    max_action_dim: int
    action_horizon: tuple[int, int]
    dtype: Literal["float32"] = "float32"
    output_formats: list[str] = ["list", "numpy"]
    response_formats: list[str] = ["envelope", "raw"]


def to_metadata(can: Capabilities, usual: RunPolicy) -> ActionMetadata:
    """The metadata of a checkpoint.

    Args:
        can: what it can do.
        usual: what is asked of it where a call leaves everything out.
    """
    modes = [mode for mode, kind in ACTION_MODES.items() if kind in can.kinds]
    return ActionMetadata(
        model=can.checkpoint,
        model_path=can.checkpoint,
        input=ActionsTaken(supported_resolutions=[size for tier in CANVASES.values() for size in tier.values()]),
        output=ActionsMade(action_horizon=usual.num_actions, padded_action_dim=can.max_action_width),
        defaults=ActionDefaults(
            action_horizon=usual.num_actions,
            num_inference_steps=usual.sampling.num_inference_steps,
            fps=usual.fps,
        ),
        capabilities=ActionCapabilities(action_modes=[mode for mode in modes if mode != "forward_dynamics"]),
        action_modes=modes,
        domains=[
            DomainInfo(domain_name=name, domain_id=body.domain, raw_action_dim=body.width, state_dim=body.state_width)
            for name, body in EMBODIMENTS.items()
            if name in can.embodiments
        ],
        max_action_dim=can.max_action_width,
        action_horizon=can.num_actions,
    )
