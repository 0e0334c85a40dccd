"""`/v1/robots`: bridges dial in, pages look and order, and what a robot recorded is asked for where it lies."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Annotated, Any, Literal

import structlog
from fastapi import APIRouter, Body, Path, WebSocket
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from starlette.websockets import WebSocketDisconnect

from backend.errors import documented
from backend.robots.hello import parse_object
from backend.robots.hub import RobotHub
from backend.robots.incoming_files import IncomingFile
from backend.robots.page import Outbox, Page
from backend.robots.robot import Robot
from backend.routes.connections import ClosingStream, both_ways, close, receive
from backend.services import UsesRobots, services_of
from studio.errors import BadInput, Busy, Conflict, RobotAway, RobotNotFound, TooLarge

router = APIRouter(tags=["robots"])
log = structlog.get_logger("orrery.robots")

SILENCE_S = 10.0
"""A bridge says fifteen ticks a second; one that is silent for so long is gone, whatever its connection says."""

SILENT_HOLDER_S = 3.0
"""A page in control beats five times a second; one that is silent for so long, whose arm stopped long before, is gone
or not looked at, and somebody else may take control."""

MAX_PAGE_CHARACTERS = 2**16
"""Of one message of a page. A bridge closes its connection over more than 1 MiB; this is less with every escape."""

MALFORMED, UNKNOWN, SILENT, TAKEN, LAGGED = 4400, 4404, 4408, 4409, 1013
"""Close codes. 1013 is RFC 6455's registry's: try again, from a new beginning."""


@router.get("/v1/robots")
async def robots(hub: UsesRobots) -> dict[str, Any]:
    """List robots that have connected since the server started, and why the server's own robot is missing."""
    return hub.describe()


class PolicySource(BaseModel):
    """What drives the arm that this server brings along."""

    source: Annotated[
        str,
        Field(
            max_length=400, title="Source", description="checkpoint, scripted, or the ws:// address of a policy server"
        ),
    ]


@router.put("/v1/robots/own/policy", responses=documented(BadInput, Conflict, RobotNotFound))
async def select_policy(
    policy: Annotated[PolicySource, Body(examples=[{"source": "scripted"}])], hub: UsesRobots
) -> dict[str, str]:
    """Select the policy of this server's own arm; its program starts again for it. Refused in the middle of a run."""
    if hub.own is None:
        raise RobotNotFound("This server has no arm of its own.", hint="orrery serve --robot simulated starts one.")
    hub.own.select(policy.source)
    return hub.own.describe()


@router.websocket("/v1/robots/bridge")
async def bridge(socket: WebSocket) -> None:
    """Serve one bridge until it goes."""
    hub = services_of(socket).robots.hub
    await socket.accept()
    try:
        async with asyncio.timeout(SILENCE_S):
            first = await receive(socket)
        robot, outbox = hub.arrive(parse_object(first if isinstance(first, str) else ""))
    except WebSocketDisconnect:
        return log.info("bridge_left", reason="no hello came")
    except TimeoutError:
        return await close(socket, SILENT, "No hello came.")
    except BadInput as error:
        return await close(socket, MALFORMED, str(error))
    except Conflict as error:
        return await close(socket, TAKEN, str(error))
    except Busy as error:
        return await close(socket, LAGGED, str(error))
    log.info("robot_arrived", robot=robot.hello.name, arm=robot.hello.arm)
    try:
        await both_ways(_hear(socket, robot), _send(socket, outbox))
    finally:
        robot.go()
        log.info("robot_gone", robot=robot.hello.name)
    return await close(socket, LAGGED, "The client reads too slowly.")


@router.websocket("/v1/robots/{name}/live")
async def live(socket: WebSocket, name: str) -> None:
    """Serve one page until it goes."""
    hub = services_of(socket).robots.hub
    await socket.accept()
    try:
        robot = hub.named(name)
    except RobotNotFound as error:
        return await close(socket, UNKNOWN, str(error))
    page = robot.enter()
    try:
        await both_ways(_obey(socket, robot, page), _send(socket, page.outbox))
    finally:
        robot.leave(page)
    return await close(socket, LAGGED, "The client reads too slowly.")


async def _send(socket: WebSocket, outbox: Outbox) -> None:
    while not outbox.lagged:
        item = await outbox.get()
        if isinstance(item, str):
            await socket.send_text(item)
        else:
            await socket.send_bytes(item)


async def _hear(socket: WebSocket, robot: Robot) -> None:
    while True:
        try:
            async with asyncio.timeout(SILENCE_S):
                frame = await receive(socket)
            if isinstance(frame, str):
                robot.hear(frame, parse_object(frame))
            else:
                robot.hear_picture(frame)
        except TimeoutError:
            return await close(socket, SILENT, f"No message for {SILENCE_S:.0f} s.")
        except BadInput as error:
            return await close(socket, MALFORMED, str(error))


async def _obey(socket: WebSocket, robot: Robot, page: Page) -> None:
    while True:
        try:
            async with asyncio.timeout(SILENT_HOLDER_S if robot.holds(page) else None):
                frame = await receive(socket)
        except TimeoutError:
            robot.let_go_of_silent(page)
            continue
        try:
            if len(frame) > MAX_PAGE_CHARACTERS:
                raise TooLarge(f"The message is longer than {MAX_PAGE_CHARACTERS:,} characters.")
            message = parse_object(frame if isinstance(frame, str) else "")
        except (BadInput, TooLarge) as error:
            page.answer(None, error)
        else:
            robot.take(page, message)


Name = Annotated[str, Path(examples=["simulated"])]
Index = Annotated[int, Path(ge=0, examples=[0])]
View = Annotated[Literal["wrist", "exterior_1", "exterior_2", "foreseen"], Path(examples=["wrist"])]


@router.get("/v1/robots/{name}/episodes", responses=documented(RobotNotFound, RobotAway, Busy))
async def episodes(name: Name, hub: UsesRobots) -> dict[str, Any]:
    """List recorded runs, and the success rate of those that a person judged, with its 95 % interval."""
    return await hub.named(name).inquire({"command": "episodes"})


@router.get("/v1/robots/{name}/episodes/{episode}", responses=documented(RobotNotFound, RobotAway, Busy))
async def episode(name: Name, episode: Index, hub: UsesRobots) -> dict[str, Any]:
    """Get one run: states, executed actions, clamps and events, at most 1200 points."""
    return await hub.named(name).inquire({"command": "episode", "episode": episode})


@router.get(
    "/v1/robots/{name}/episodes/{episode}/{view}.mp4",
    response_class=StreamingResponse,
    responses=documented(RobotNotFound, RobotAway, Busy, Conflict),
)
async def clip(name: Name, episode: Index, view: View, hub: UsesRobots) -> StreamingResponse:
    """Download the video of one camera, at 15 fps, or of all three as the policy foresaw them."""
    return await _fetched(hub, name, {"episode": episode, "view": view})


@router.get(
    "/v1/robots/{name}/recordings.tar",
    response_class=StreamingResponse,
    responses=documented(RobotNotFound, RobotAway, Busy, Conflict),
)
async def export(name: Name, hub: UsesRobots) -> StreamingResponse:
    """Download the whole data set, a LeRobot v3 folder."""
    return await _fetched(hub, name, {})


@router.websocket("/v1/robots/files/{ticket}")
async def sent_file(socket: WebSocket, ticket: str) -> None:
    """A robot sends a file that was asked for."""
    expected = services_of(socket).robots.hub.files.arrived(ticket)
    await socket.accept()
    if expected is None:
        return await close(socket, UNKNOWN, "This file was not requested.")
    taking = asyncio.create_task(_take(socket, expected))
    unwanted = asyncio.create_task(expected.unwanted.wait())
    try:
        await asyncio.wait([taking, unwanted], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (taking, unwanted):
            task.cancel()
        await asyncio.gather(taking, unwanted, return_exceptions=True)
    return await close(socket, UNKNOWN, "This file is no longer needed.")


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
    return ClosingStream(expected.pieces(), lambda: files.forget(ticket, expected), about.media_type, headers)
