"""The server put together: everything is built here, by hand, and nowhere else."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

import structlog
from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from backend import errors
from backend.access import Gate
from backend.adapter_rack import AdapterRack
from backend.body_limit import BodyLimit
from backend.broadcast import Broadcast
from backend.checkpoint_shelf import CheckpointShelf
from backend.control_desk import ControlDesk
from backend.engine_process import EngineProcess
from backend.jobs.board import Board
from backend.jobs.database import open_database
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.ledger import Ledger
from backend.jobs.service import JobService
from backend.media import MediaStore
from backend.metrics import Measured, Metrics
from backend.reasoning import ReasoningService
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.task_desk import TaskDesk
from backend.reasoning.upsampler import Upsampler
from backend.robots.hub import RobotHub
from backend.robots.own_robot import OwnRobot
from backend.routes import ROUTERS
from backend.routes.head import Head
from backend.routes.page import PageErrors
from backend.services import Services
from backend.version import VERSION
from frontend.app import mount
from studio.data_folder import DataFolder
from studio.prompting import load_tasks
from studio.settings import ServerSettings

log = structlog.get_logger("orrery.server")

DESCRIPTION = (
    "The studio for NVIDIA's Cosmos 3 world models. Every error is `{error: {code, message, type, param, hint}}`."
)


def build_services(settings: ServerSettings, folder: DataFolder, shelf: CheckpointShelf) -> Services:
    """Everything behind the edge; nothing runs yet.

    Raises:
        DatabaseTooNew, StorageError: the database cannot be used.
        BadInput: a task of the user's own cannot be read.
    """
    media = MediaStore(folder.media)
    broadcast = Broadcast()
    board = Board(Ledger(open_database(folder.database)), media, broadcast, shelf.loaded.id)
    make_process = partial(EngineProcess, folder.media, folder.adapters, shelf.loaded.id)
    dispatcher = Dispatcher(board, broadcast, shelf.loaded, settings.device, make_process)
    rack = AdapterRack(folder.adapters)
    metrics = Metrics()
    reasoning = ReasoningService(dispatcher, metrics)
    shown_media = ShownMedia(media, folder.media, settings)
    upsampler = Upsampler(reasoning, media, shelf, settings)
    dispatcher.prompt_writer = upsampler
    return Services(
        jobs=JobService(board, dispatcher, shelf, media, rack, broadcast),
        board=board,
        dispatcher=dispatcher,
        shelf=shelf,
        media=media,
        adapters=rack,
        controls=ControlDesk(media),
        broadcast=broadcast,
        reasoning=reasoning,
        shown_media=shown_media,
        upsampler=upsampler,
        tasks=TaskDesk(load_tasks(folder.tasks), reasoning, shown_media),
        robots=RobotHub(),
        metrics=metrics,
    )


def create_app(settings: ServerSettings, services: Services, base_url: str) -> FastAPI:
    """The application: API first, then the page over everything else.

    Args:
        base_url: where the page's own handlers reach this server, on loopback.
    """
    own_robot = OwnRobot(settings, base_url, services.robots) if settings.robot == "simulated" else None
    life = partial(_life, services, own_robot)
    app = FastAPIOffline(title="Orrery", version=VERSION, description=DESCRIPTION, lifespan=life)
    app.state.services = services
    app.state.token = settings.token.get_secret_value() if settings.token else None
    errors.register(app)
    for router in ROUTERS:
        app.include_router(router)
    mount(app, base_url=lambda: base_url)
    app.add_middleware(PageErrors)
    app.add_middleware(Head)
    app.add_middleware(BodyLimit)
    app.add_middleware(Gate, settings=settings)
    app.add_middleware(Measured, metrics=services.metrics)
    return app


@asynccontextmanager
async def _life(services: Services, own_robot: OwnRobot | None, _app: FastAPI) -> AsyncGenerator[None]:
    swept = await services.board.sweep()
    log.info("server_starting", version=VERSION, checkpoint=services.shelf.loaded.id, swept_files=swept)
    running = asyncio.create_task(services.dispatcher.run())
    running.add_done_callback(_report_end)
    if own_robot:
        own_robot.start()
    try:
        yield
    finally:
        if own_robot:
            await own_robot.close()
        services.controls.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await services.dispatcher.close()
        await services.board.close()
        log.info("server_stopped")


def _report_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.critical("dispatcher_died", exc_info=task.exception())
        os.kill(os.getpid(), signal.SIGTERM)  # a server that accepts and never runs is worse than none
