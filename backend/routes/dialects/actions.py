"""`/v1/actions`: SGLang's way to ask for actions, waited for."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from backend.dialects.openai_actions import ActionGeneration, ActionMetadata, to_answer, to_call, to_metadata, to_raw
from backend.dialects.openai_video_answers import action_results, to_action
from backend.dialects.packed_actions import MIME, is_packed, pack_answer, read_packed
from backend.errors import documented
from backend.routes.dialects.video_call import CallBody, files_of, read_body, submit_fields
from backend.routes.job_call import IdempotencyKey, outcome, told_of
from backend.services import Parts, UsesCatalogue
from studio.errors import BadInput, Conflict, EngineError, MediaNotFound, NotAllowed, TooLarge
from studio.requests import RunPolicy

router = APIRouter(prefix="/v1/actions", tags=["openai"])

MEDIA = "u0123456789abcdef"
EXAMPLE: dict[str, Any] = {
    "request_id": "step-1",
    "input": {
        "task": "Lift the red cube.",
        "observation": {"image": f"media:{MEDIA}", "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0]},
    },
    "parameters": {"action_mode": "policy", "domain_name": "droid_joint_position", "action_horizon": 32, "fps": 15},
}
BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "object"}, "example": EXAMPLE},
        "multipart/form-data": {
            "schema": {"type": "object", "properties": {"input_reference": {"type": "string", "format": "binary"}}}
        },
        MIME: {"schema": {"type": "object"}, "example": EXAMPLE},
    },
}
USUAL: dict[str, Any] = {"kind": "run_policy", "prompt": "Any.", "embodiment": "umi", "start_image": MEDIA}
"""A call that leaves out whatever it can; which body, prompt and picture is all the same."""


@router.post(
    "/generations",
    response_model=ActionGeneration,
    responses={
        200: {"content": {MIME: {}}},
        **documented(BadInput, NotAllowed, MediaNotFound, Conflict, TooLarge, EngineError),
    },
    openapi_extra={"requestBody": BODY},
)
async def generate(request: Request, parts: Parts, key: IdempotencyKey = None) -> Response:
    """Plan actions (policy) or estimate them (inverse dynamics). Disconnecting cancels the request.

    JSON, a form, or msgpack with numpy arrays; msgpack is answered in msgpack, and where `Accept` names it.
    """
    came_packed = is_packed(request.headers.get("content-type"))
    packed = came_packed or is_packed(request.headers.get("accept"))
    body = await _packed_body(request) if came_packed else await read_body(request)
    call = to_call(body.fields, packed=packed)
    if call.fields.action_mode == "forward_dynamics":
        raise NotAllowed(
            "forward_dynamics makes a video, not actions.", param="action_mode", hint="Send it to POST /v1/videos."
        )
    job, replayed = await submit_fields(call.fields, await files_of(body, parts), request, parts, key)
    job = await outcome(job, request, parts.fleet.jobs, shared=replayed)
    texts = [await asyncio.to_thread(parts.ledger.media.file(made.id).read_bytes) for made in action_results(job)]
    whole = to_answer(call, job, [to_action(job.request, text) for text in texts])
    answer = to_raw(whole) if call.raw else whole
    headers = told_of(job, replayed)
    if packed:
        return Response(pack_answer(answer, as_arrays=call.as_arrays), media_type=MIME, headers=headers)
    return Response(answer.model_dump_json(), media_type="application/json", headers=headers)


async def _packed_body(request: Request) -> CallBody:
    return CallBody(await asyncio.to_thread(read_packed, await request.body()))


@router.get("/metadata")
async def metadata(catalogue: UsesCatalogue) -> ActionMetadata:
    """Get the input and output formats of the loaded checkpoint's policy."""
    checkpoint = catalogue.active
    said = checkpoint.preset.defaults.get("run_policy", {})
    usual = USUAL | {name: said[name] for name in ("num_actions", "fps", "sampling") if name in said}
    return to_metadata(checkpoint.capabilities(), RunPolicy.model_validate(usual))
