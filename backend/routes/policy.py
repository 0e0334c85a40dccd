"""The policy's websocket, where openpi's clients look for it and where vLLM-Omni has its own."""

from __future__ import annotations

import asyncio

import structlog
from fastapi import APIRouter, WebSocket

from backend.policy import PolicyService, PolicySession
from backend.policy.foresight import FORESEEN_PATH, ForesightChannel
from backend.policy.session import pack_failure
from backend.routes.connections import both_ways, close, receive
from backend.services import services_of
from studio.errors import BadInput, StudioError
from studio.wire.arrays import pack_message

router = APIRouter()
log = structlog.get_logger("orrery.policy")

MAX_UNREAD = 2
"""Questions that are taken before the first of them is answered; a client asks one at a time."""

REFUSED, TRY_LATER, UNKNOWN_CHANNEL = 4409, 1013, 4404
"""Close codes: this checkpoint is no policy; RFC 6455's registry's for something that may pass; no open session's."""


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
    with PolicySession(service, str(declared["policy"])) as session:
        await socket.send_bytes(pack_message({**declared, "foresight": session.foresight_path}))
        while True:
            await socket.send_bytes(await session.answer(await frames.get()))


@router.websocket(FORESEEN_PATH + "{channel}")
async def foreseen(socket: WebSocket, channel: str) -> None:
    """Send the frames that one session's policy foresees, until either goes."""
    await socket.accept()
    found = services_of(socket).robots.policy.channels.get(channel)
    if found is None:
        return await close(socket, UNKNOWN_CHANNEL, "No open session of the policy has this channel.")
    found.num_listeners += 1
    try:
        await both_ways(_ignore(socket), _send_clips(socket, found))
    finally:
        found.num_listeners -= 1


async def _ignore(socket: WebSocket) -> None:
    while True:
        await receive(socket)


async def _send_clips(socket: WebSocket, channel: ForesightChannel) -> None:
    while True:
        await socket.send_bytes(await channel.get())
