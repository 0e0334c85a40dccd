"""`/v1/robots`: bridges dial in, pages look and order."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from backend.robots.hello import parse_object
from backend.robots.page import Mailbox, Page
from backend.robots.robot import Robot
from backend.routes.two_ways import both_ways, close, receive
from backend.services import UsesRobots, services_of
from studio.errors import BadInput, Busy, Conflict, RobotNotFound, TooLarge

router = APIRouter()
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


@router.get("/v1/robots", tags=["robots"])
async def robots(hub: UsesRobots) -> dict[str, Any]:
    """Robots that have dialled in since the server started, and why the server's own one is not there."""
    return hub.describe()


@router.websocket("/v1/robots/bridge")
async def bridge(socket: WebSocket) -> None:
    """Serve one bridge until it goes."""
    hub = services_of(socket).robots.hub
    await socket.accept()
    try:
        async with asyncio.timeout(SILENCE_S):
            first = await receive(socket)
        robot, mailbox = hub.arrive(parse_object(first if isinstance(first, str) else ""))
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
        await both_ways(_hear(socket, robot), _send(socket, mailbox))
    finally:
        robot.go()
        log.info("robot_gone", robot=robot.hello.name)
    return await close(socket, LAGGED, "Too much was left unread.")


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
        await both_ways(_obey(socket, robot, page), _send(socket, page.mailbox))
    finally:
        robot.leave(page)
    return await close(socket, LAGGED, "Too much was left unread.")


async def _send(socket: WebSocket, mailbox: Mailbox) -> None:
    while not mailbox.lagged:
        item = await mailbox.get()
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
            return await close(socket, SILENT, f"Nothing came for {SILENCE_S:.0f} s.")
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
