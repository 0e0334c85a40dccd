"""`/v1/actions`: SGLang's way to ask for actions, waited for."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from backend.dialects.openai_actions import ActionGeneration, ActionMetadata, domains, to_answer, to_call, to_raw
from backend.dialects.openai_video_answers import action_results, to_action
from backend.dialects.video_fields import ACTION_MODES
from backend.errors import documented
from backend.routes.call_body import read_body
from backend.routes.outcome import outcome
from backend.routes.repeated import IdempotencyKey, told_of
from backend.routes.video_call import files_of, submit_fields
from backend.services import Parts
from studio.errors import BadInput, Conflict, EngineError, MediaNotFound, NotAllowed, TooLarge

router = APIRouter(prefix="/v1/actions", tags=["openai"])

EXAMPLE: dict[str, Any] = {
    "request_id": "step-1",
    "input": {
        "task": "Lift the red cube.",
        "observation": {"image": "media:u0123456789abcdef", "state": [0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0]},
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
    },
}


@router.post(
    "/generations",
    response_model=ActionGeneration,
    responses=documented(BadInput, NotAllowed, MediaNotFound, Conflict, TooLarge, EngineError),
    openapi_extra={"requestBody": BODY},
)
async def generate(request: Request, parts: Parts, key: IdempotencyKey = None) -> Response:
    """What to do next (policy), or what was done (inverse dynamics); who hangs up cancels it."""
    body = await read_body(request)
    call = to_call(body.fields)
    if call.fields.action_mode == "forward_dynamics":
        raise NotAllowed(
            "forward_dynamics makes a clip, and no actions.", param="action_mode", hint="Send it to POST /v1/videos."
        )
    job, replayed = await submit_fields(call.fields, await files_of(body, parts), request, parts, key)
    job = await outcome(job, request, parts, shared=replayed)
    texts = [await asyncio.to_thread(parts.media.file(made.id).read_bytes) for made in action_results(job)]
    answer = to_answer(call, job, [to_action(job.request, text) for text in texts])
    headers = told_of(job, replayed)
    if call.raw:
        return Response(to_raw(answer).model_dump_json(), media_type="application/json", headers=headers)
    return Response(answer.model_dump_json(), media_type="application/json", headers=headers)


@router.get("/metadata")
async def metadata(parts: Parts) -> ActionMetadata:
    """What the loaded checkpoint takes and answers."""
    can = parts.shelf.active.capabilities()
    return ActionMetadata(
        model=parts.shelf.active.id,
        action_modes=[mode for mode, kind in ACTION_MODES.items() if kind in can.kinds],
        domains=[entry for entry in domains() if entry.domain_name in can.embodiments],
        max_action_dim=can.max_action_width,
        action_horizon=can.num_actions,
    )
