"""SGLang's `/v1/actions/generations`: what a robot sees to what it does next, without looking at frames.

`{input: {task, observation: {image | images | video, state}}, parameters: {action_mode, domain_name, …}, runtime}` is
read as the same fields as `/v1/videos`; `/v1/actions/metadata` has every embodiment beside its own fields. Names are
those of SGLang 0.5.23, multimodal_gen/runtime/entrypoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import BaseModel

from backend.dialects.fields import EXTRAS, check_names, object_of, with_extras
from backend.dialects.openai_video_answers import ActionData
from backend.dialects.video_fields import ACTION_MODES, VideoFields, read_fields
from studio.errors import BadInput, NotAllowed
from studio.jobs import Job
from studio.requests import RunPolicy, shown
from studio.requests.embodiments import EMBODIMENTS
from studio.rules import CANVASES, Capabilities

TOP = {"request_id", "model", "input", "parameters", "runtime", "user", *EXTRAS}
PICTURES = ("image", "images", "image_path", "input_reference", "video", "video_path")
"""Names of what is seen, in an observation or beside it."""

INPUT = {"task", "prompt", "instruction", "observation", "state", *PICTURES}
RUNTIME = {"response_format", "output_format", "prefix_cache", "cuda_graph", "return_timing"}


@dataclass(frozen=True)
class ActionsCall:
    """What was called for.

    Attributes:
        request_id: what the caller names it, which the answer repeats.
        fields: as those of `/v1/videos`.
        raw: the answer is a `RawActions`.
        as_arrays: actions are answered as numpy arrays.
    """

    request_id: str | None
    fields: VideoFields
    raw: bool
    as_arrays: bool = False


class ActionChoice(BaseModel):
    """The actions of one output."""

    index: int
    input_index: int = 0
    candidate_index: int
    action: ActionData


class ActionUsage(BaseModel):
    """How much was made."""

    batch_size: int
    action_horizon: int
    action_dim: int
    denoise_steps: int
    prefix_cache_hit: bool = False


class ActionGeneration(BaseModel):
    """What `/v1/actions/generations` answers; `job` is ours."""

    id: str
    object: Literal["action.generation"] = "action.generation"
    created: int
    model: str
    data: list[ActionChoice]
    usage: ActionUsage
    timings: dict[str, float] = {}
    job: str


class RawActions(BaseModel):
    """The same for `runtime.response_format` "raw": what SGLang's engine answers. Of several outputs `actions` has the
    rows of each."""

    request_id: str
    actions: list[list[float]] | list[list[list[float]]]
    action_mode: str
    domain_id: int
    raw_action_dim: int
    parameters: dict[str, int]


def to_call(body: Mapping[str, Any], *, packed: bool = False) -> ActionsCall:
    """What a body calls for; a form's flat fields are parameters.

    Args:
        packed: the answer is msgpack, where arrays are the rule and lists the wish.

    Raises:
        BadInput: a field is unknown, or cannot mean what it says.
        NotAllowed: several observations, or a format that is not served.
    """
    given = {name: value for name, value in body.items() if value is not None}
    if "input" not in given:  # a form says everything side by side
        given = {"input": {}, "parameters": {k: v for k, v in given.items() if k not in TOP}} | {
            k: v for k, v in given.items() if k in TOP
        }
    check_names(given, TOP, "")
    said = object_of(given, "input", INPUT)
    observation = _observation(said)
    runtime = object_of(given, "runtime", RUNTIME)
    output_format = runtime.get("output_format", "numpy" if packed else "list")
    if output_format != "list" and not (packed and output_format == "numpy"):
        raise NotAllowed(
            f"runtime.output_format is {shown(output_format)}; expected list, or numpy with msgpack.",
            param="runtime.output_format",
            hint="Remove it.",
        )
    if runtime.get("response_format", "envelope") not in ("envelope", "raw"):
        raise BadInput(
            f"runtime.response_format is {shown(runtime['response_format'])}; expected envelope or raw.",
            param="runtime.response_format",
        )
    parameters = given.get("parameters", {})
    if not isinstance(parameters, dict):
        raise BadInput(f"parameters is {shown(parameters)}; expected an object.", param="parameters")
    beside = {name: given[name] for name in (*EXTRAS, "model") if name in given}
    fields = with_extras(beside | cast(dict[str, Any], parameters))
    prompt = next((said[name] for name in ("task", "prompt", "instruction") if name in said), fields.get("task"))
    fields.pop("task", None)
    if prompt is not None:
        fields["prompt"] = prompt
    fields.setdefault("action_mode", "policy")
    # Without a tier, these two are the canvas; a picture keeps its own shape here.
    width, height = fields.pop("width", None), fields.pop("height", None)
    if width is not None and height is not None and "size" not in fields:
        fields["size"] = f"{width}x{height}"
    if observation:
        picture = next((observation.pop(name) for name in PICTURES if name in observation), None)
        if picture is not None:
            fields["input_reference"] = picture
        fields["observation"] = observation
    else:
        fields.setdefault("observation", {})
    request_id = given.get("request_id")
    if request_id is not None and not (isinstance(request_id, str) and len(request_id) <= 200):
        raise BadInput(f"request_id is {shown(request_id)}; expected a short text.", param="request_id")
    raw = runtime.get("response_format") == "raw"
    return ActionsCall(request_id, read_fields(fields), raw, as_arrays=output_format == "numpy")


def to_answer(call: ActionsCall, job: Job, actions: list[ActionData]) -> ActionGeneration:
    """Their answer from a finished job and the actions of each of its outputs."""
    took_s = (job.finished_at - job.started_at).total_seconds() if job.finished_at and job.started_at else 0.0
    horizon, width = actions[0].shape if actions else (0, 0)
    return ActionGeneration(
        id=call.request_id or job.id,
        created=int(job.created_at.timestamp()),
        model=job.checkpoint,
        data=[ActionChoice(index=i, candidate_index=i, action=action) for i, action in enumerate(actions)],
        usage=ActionUsage(
            batch_size=1,
            action_horizon=horizon,
            action_dim=width,
            denoise_steps=job.request.sampling.num_inference_steps,
        ),
        timings={"infer_ms": round(1000 * took_s, 3)},
        job=job.id,
    )


def to_raw(answer: ActionGeneration) -> RawActions:
    """The rows without their envelope."""
    first = answer.data[0].action
    rows = [choice.action.values for choice in answer.data]
    return RawActions(
        request_id=answer.id,
        actions=rows[0] if len(rows) == 1 else rows,
        action_mode=first.action_mode,
        domain_id=first.domain_id,
        raw_action_dim=first.raw_action_dim,
        parameters={
            "num_inference_steps": answer.usage.denoise_steps,
            "num_frames": answer.usage.action_horizon + 1,
        },
    )


def too_many_pictures(name: str, num: int) -> NotAllowed:
    """The refusal of several pictures of one observation."""
    return NotAllowed(
        f"input.observation.{name} has {num} images; expected one.",
        param=f"input.observation.{name}",
        hint="Combine the cameras into one image, in the layout that the embodiment was trained on.",
    )


def _observation(said: Mapping[str, Any]) -> dict[str, Any]:
    beside = {name: entry for name, entry in said.items() if name in ("state", *PICTURES)}
    value = said.get("observation")
    if value is None:
        return _one_picture(beside)
    if isinstance(value, list):
        several = cast(list[Any], value)
        if len(several) != 1:
            raise NotAllowed(f"input.observation has {len(several)} entries; expected one.", param="input.observation")
        value = several[0]
    if not isinstance(value, dict):
        raise BadInput(f"input.observation is {shown(value)}; expected an object.", param="input.observation")
    entries = {str(name): entry for name, entry in cast(dict[Any, Any], value).items() if entry is not None}
    return _one_picture(entries | beside)


def _one_picture(found: dict[str, Any]) -> dict[str, Any]:
    """An observation whose picture is one: of a list of one, or of one camera by its name."""
    for name in PICTURES:
        several = found.get(name)
        if name == "images" and isinstance(several, dict):
            several = found[name] = list(cast(dict[str, Any], several).values())
        if isinstance(several, list):
            pictures = cast(list[Any], several)
            if len(pictures) != 1:
                raise too_many_pictures(name, len(pictures))
            found[name] = pictures[0]
    return found


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
