"""The policy's websocket, where openpi's clients look for it and where vLLM-Omni has its own."""

from __future__ import annotations

import asyncio

import structlog
from fastapi import APIRouter, WebSocket

from backend.policy import PolicyService, PolicySession
from backend.policy.session import pack_failure
from backend.routes.connections import both_ways, close, receive
from backend.services import services_of
from studio.errors import BadInput, StudioError
from studio.wire.arrays import pack_message

router = APIRouter()
log = structlog.get_logger("orrery.policy")

MAX_UNREAD = 2
"""Questions that are taken before the first of them is answered; a client asks one at a time."""

REFUSED, TRY_LATER = 4409, 1013
"""Close codes: this checkpoint is no policy; RFC 6455's registry's for something that may pass."""


@router.websocket("/")
@router.websocket("/v1/realtime/robot/openpi")
async def policy(socket: WebSocket) -> None:
    """Serve one client until it goes."""
    await socket.accept()
    frames: asyncio.Queue[str | bytes] = asyncio.Queue(MAX_UNREAD)
    log.info("policy_client_arrived", path=socket.url.path)
    try:
        # Reading goes on while an answer is computed: who hangs up stops the computing.
        await both_ways(_read(socket, frames), _serve(socket, services_of(socket).robots.policy, frames))
    finally:
        log.info("policy_client_gone")


async def _read(socket: WebSocket, frames: asyncio.Queue[str | bytes]) -> None:
    while True:
        await frames.put(await receive(socket))


async def _serve(socket: WebSocket, service: PolicyService, frames: asyncio.Queue[str | bytes]) -> None:
    try:
        declared = await service.ready()
    except StudioError as error:
        await socket.send_bytes(pack_failure(error))
        return await close(socket, REFUSED if isinstance(error, BadInput) else TRY_LATER, str(error))
    await socket.send_bytes(pack_message(declared))
    with PolicySession(service, str(declared["policy"])) as session:
        while True:
            await socket.send_bytes(await session.answer(await frames.get()))
