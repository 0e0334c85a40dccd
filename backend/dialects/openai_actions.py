"""SGLang's `/v1/actions/generations`: what a robot sees to what it does next, without looking at frames.

`{input: {task, observation: {image | images | video, state}}, parameters: {action_mode, domain_name, …}, runtime}` is
read as the same fields as `/v1/videos`. Names are those of SGLang 0.5.23, multimodal_gen/runtime/entrypoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import BaseModel

from backend.dialects.fields import check_names, object_of
from backend.dialects.nested_fields import EXTRAS
from backend.dialects.openai_video_answers import ActionData
from backend.dialects.video_fields import VideoFields, read_fields
from studio.errors import BadInput, NotAllowed
from studio.jobs import Job
from studio.requests import shown
from studio.requests.embodiments import EMBODIMENTS

TOP = {"request_id", "model", "input", "parameters", "runtime", "user", *EXTRAS}
INPUT = {"task", "prompt", "instruction", "observation"}
RUNTIME = {"response_format", "output_format", "prefix_cache"}
PICTURES = ("image", "images", "video")


@dataclass(frozen=True)
class ActionsCall:
    """What was called for.

    Attributes:
        request_id: what the caller names it, which the answer repeats.
        fields: as those of `/v1/videos`.
        raw: the answer is the rows alone.
    """

    request_id: str | None
    fields: VideoFields
    raw: bool


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


class DomainInfo(BaseModel):
    """One embodiment: its name, the number of its weights, and the values of an action and of the state it starts from;
    null where the data set decides."""

    domain_name: str
    domain_id: int
    raw_action_dim: int | None
    state_dim: int


class ActionMetadata(BaseModel):
    """What the loaded checkpoint's policy takes and answers."""

    object: Literal["action.metadata"] = "action.metadata"
    model: str
    action_modes: list[str]
    domains: list[DomainInfo]
    max_action_dim: int
    action_horizon: tuple[int, int]
    dtype: Literal["float32"] = "float32"
    output_formats: list[str] = ["list"]
    response_formats: list[str] = ["envelope", "raw"]


def to_call(body: Mapping[str, Any]) -> ActionsCall:
    """What a body calls for; a form's flat fields are parameters.

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
    if runtime.get("output_format", "list") != "list":
        raise NotAllowed(
            f"runtime.output_format is {shown(runtime['output_format'])}; list is served.",
            param="runtime.output_format",
            hint="Leave it out.",
        )
    if runtime.get("response_format", "envelope") not in ("envelope", "raw"):
        raise BadInput(
            f"runtime.response_format is {shown(runtime['response_format'])}; envelope or raw is expected.",
            param="runtime.response_format",
        )
    parameters = given.get("parameters", {})
    if not isinstance(parameters, dict):
        raise BadInput(f"parameters is {shown(parameters)}; an object is expected.", param="parameters")
    fields: dict[str, Any] = {name: given[name] for name in (*EXTRAS, "model") if name in given}
    fields |= cast(dict[str, Any], parameters)
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
        raise BadInput(f"request_id is {shown(request_id)}; a short text is expected.", param="request_id")
    return ActionsCall(request_id, read_fields(fields), runtime.get("response_format") == "raw")


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


def domains() -> list[DomainInfo]:
    """Every embodiment."""
    return [
        DomainInfo(domain_name=name, domain_id=body.domain, raw_action_dim=body.width, state_dim=body.state_width)
        for name, body in EMBODIMENTS.items()
    ]


def _observation(said: Mapping[str, Any]) -> dict[str, Any]:
    value = said.get("observation")
    if value is None:
        return {}
    if isinstance(value, list):
        entries = cast(list[Any], value)
        if len(entries) != 1:
            raise NotAllowed(
                f"input.observation has {len(entries)} entries; one is taken at a time.", param="input.observation"
            )
        value = entries[0]
    if not isinstance(value, dict):
        raise BadInput(f"input.observation is {shown(value)}; an object is expected.", param="input.observation")
    found = {str(name): entry for name, entry in cast(dict[Any, Any], value).items() if entry is not None}
    for name in ("images", "image"):
        several = found.get(name)
        if isinstance(several, list):
            pictures = cast(list[Any], several)
            if len(pictures) != 1:
                raise NotAllowed(
                    f"input.observation.{name} has {len(pictures)} pictures; one is taken at a time.",
                    param=f"input.observation.{name}",
                    hint="Put cameras side by side in one picture, as the embodiment was trained.",
                )
            found[name] = pictures[0]
    return found
