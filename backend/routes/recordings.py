"""`/v1/robots/{name}/episodes` and `/recordings.tar`: what a robot recorded, asked for where it lies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated, Any, Literal

import structlog
from fastapi import APIRouter, Path, WebSocket
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from backend.errors import documented
from backend.robots.hub import RobotHub
from backend.robots.incoming_files import IncomingFile
from backend.routes.two_ways import close, receive
from backend.services import UsesRobots, services_of
from studio.errors import BadInput, Busy, Conflict, RobotAway, RobotNotFound, StudioError

router = APIRouter(tags=["robots"])
log = structlog.get_logger("orrery.recordings")

MALFORMED, UNKNOWN = 4400, 4404
"""Close codes, as of a robot's other connections."""

Name = Annotated[str, Path(examples=["simulated"])]
Index = Annotated[int, Path(ge=0, examples=[0])]
View = Annotated[Literal["wrist", "exterior_1", "exterior_2"], Path(examples=["wrist"])]


@router.get("/v1/robots/{name}/episodes", responses=documented(RobotNotFound, RobotAway, Busy))
async def episodes(name: Name, hub: UsesRobots) -> dict[str, Any]:
    """Every recorded run, and how many of those that a person judged worked, with the rate's 95 % interval."""
    return await hub.named(name).inquire({"command": "episodes"})


@router.get("/v1/robots/{name}/episodes/{episode}", responses=documented(RobotNotFound, RobotAway, Busy))
async def episode(name: Name, episode: Index, hub: UsesRobots) -> dict[str, Any]:
    """One run: states, what was executed, clamps and events, at most 1200 points of it."""
    return await hub.named(name).inquire({"command": "episode", "episode": episode})


@router.get(
    "/v1/robots/{name}/episodes/{episode}/{view}.mp4",
    response_class=StreamingResponse,
    responses=documented(RobotNotFound, RobotAway, Busy, Conflict),
)
async def clip(name: Name, episode: Index, view: View, hub: UsesRobots) -> StreamingResponse:
    """What one camera saw, fifteen frames a second."""
    return await _fetched(hub, name, {"episode": episode, "view": view})


@router.get(
    "/v1/robots/{name}/recordings.tar",
    response_class=StreamingResponse,
    responses=documented(RobotNotFound, RobotAway, Busy, Conflict),
)
async def export(name: Name, hub: UsesRobots) -> StreamingResponse:
    """The whole data set, a LeRobot v3 folder."""
    return await _fetched(hub, name, {})


@router.websocket("/v1/robots/files/{ticket}")
async def sent_file(socket: WebSocket, ticket: str) -> None:
    """A robot sends a file that was asked for."""
    expected = services_of(socket).robots.hub.files.arrived(ticket)
    await socket.accept()
    if expected is None:
        return await close(socket, UNKNOWN, "Nobody waits for this.")
    taking = asyncio.create_task(_take(socket, expected))
    unwanted = asyncio.create_task(expected.unwanted.wait())
    try:
        await asyncio.wait([taking, unwanted], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (taking, unwanted):
            task.cancel()
        await asyncio.gather(taking, unwanted, return_exceptions=True)
    return await close(socket, UNKNOWN, "Nobody waits for this any more.")


async def _take(socket: WebSocket, expected: IncomingFile) -> None:
    try:
        first = await receive(socket)
        expected.begin(first if isinstance(first, str) else "")
        while True:
            piece = await receive(socket)
            if isinstance(piece, bytes):
                await expected.put(piece)
    except BadInput as error:
        await close(socket, MALFORMED, str(error))
    except WebSocketDisconnect as ended:
        await expected.end(whole=ended.code == 1000)


async def _fetched(hub: RobotHub, name: Name, what: dict[str, Any]) -> StreamingResponse:
    robot, files = hub.named(name), hub.files
    ticket, expected = files.expect()
    with ExitStack() as stack:
        stack.callback(files.forget, ticket, expected)
        await robot.inquire({"command": "send", "ticket": ticket, **what})
        about = await expected.about()
        stack.pop_all()  # from here on the stream forgets it
    headers = {"cache-control": "private, no-cache", "x-content-type-options": "nosniff"}
    headers["content-disposition"] = f'attachment; filename="{about.name}"'
    if about.size_bytes is not None:
        headers["content-length"] = str(about.size_bytes)
    return _FileStream(expected, about.media_type, headers, lambda: files.forget(ticket, expected))


class _FileStream(StreamingResponse):
    """Lets go of a file at its end, however it comes to that."""

    def __init__(
        self, file: IncomingFile, media_type: str, headers: dict[str, str], forget: Callable[[], None]
    ) -> None:
        super().__init__(file.pieces(), media_type=media_type, headers=headers)
        self._forget = forget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it. One that does not come whole ends in its middle: the caller sees that, and the log says why."""
        try:
            await super().__call__(scope, receive, send)
        except StudioError as error:
            log.warning("broke_off", path=scope["path"], message=error.message)
        finally:
            self._forget()
