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
from backend.database import open_database
from backend.engine_process import EngineProcess, Spreading
from backend.fleet import Fleet
from backend.fleet.errands import Errands
from backend.fleet.room import devices_of, read_memory
from backend.form_shelf import FormShelf
from backend.given_media import GivenMedia
from backend.guarding import Guard
from backend.jobs.admission import Admission
from backend.jobs.board import Board
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.ledger import Ledger
from backend.jobs.promises import Promises
from backend.jobs.queue_service import QueueService
from backend.jobs.service import JobService
from backend.jobs.video_shelf import VideoShelf
from backend.library.portage import Portage
from backend.library.service import LibraryService
from backend.library.sheet_desk import SheetDesk
from backend.library.uploads import Uploads
from backend.media import MediaStore
from backend.metrics import Measured, Metrics
from backend.policy import PolicyService
from backend.rate_limit import RateLimit
from backend.reasoning import ReasoningService
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.task_desk import TaskDesk
from backend.reasoning.upsampler import Upsampler
from backend.robots.hub import RobotHub
from backend.robots.own_robot import OwnRobot
from backend.routes import ROUTERS
from backend.routes.examples import show_examples
from backend.routes.head import Head
from backend.routes.page import PageErrors
from backend.services import Services
from backend.version import VERSION
from frontend.app import mount
from studio.checkpoints import Checkpoint
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
    guard = Guard(settings, lambda status: broadcast.publish("system", {"guardrail": status.model_dump(mode="json")}))
    database = open_database(folder.database)
    board = Board(Ledger(database, settings.quota_bytes), media, broadcast)
    fleet = _build_fleet(settings, folder, shelf, board, broadcast)
    errands = Errands(shelf, lambda: broadcast.publish("system", {"errands": errands.as_json()}))
    uploads = Uploads(database, media, board.library_news, settings.quota_bytes)
    rack = AdapterRack(folder.adapters)
    metrics = Metrics()
    reasoning = ReasoningService(fleet, metrics)
    shown_media = ShownMedia(media, folder.media, settings)
    upsampler = Upsampler(reasoning, media, shelf, settings)
    fleet.prompt_writer = upsampler
    admission = Admission(shelf, media, rack, guard)
    jobs = JobService(board, fleet, admission, broadcast)
    library = LibraryService(database, media, board.library_news, folder.media, settings.quota_bytes, fleet.wake)
    return Services(
        jobs=jobs,
        queue=QueueService(board, jobs, admission, fleet.wake),
        board=board,
        fleet=fleet,
        errands=errands,
        shelf=shelf,
        media=media,
        library=library,
        portage=Portage(database, media, board.library_news, library, folder.media, settings.quota_bytes),
        uploads=uploads,
        sheets=SheetDesk(media),
        adapters=rack,
        controls=ControlDesk(media, uploads),
        broadcast=broadcast,
        reasoning=reasoning,
        shown_media=shown_media,
        upsampler=upsampler,
        tasks=TaskDesk(load_tasks(folder.tasks), reasoning, shown_media),
        forms=FormShelf(folder.form_presets),
        robots=RobotHub(),
        policy=PolicyService(fleet, shelf, metrics),
        given_media=GivenMedia(media, uploads, shown_media, settings),
        guard=guard,
        promises=Promises(database, board.get),
        videos=VideoShelf(database),
        metrics=metrics,
    )


def _build_fleet(
    settings: ServerSettings, folder: DataFolder, shelf: CheckpointShelf, board: Board, broadcast: Broadcast
) -> Fleet:
    spreading, lock = Spreading.of(settings), asyncio.Lock()

    def engines_of(checkpoint: Checkpoint) -> list[Dispatcher]:
        make_process = partial(EngineProcess, folder.media, folder.adapters, checkpoint.id, spreading=spreading)
        return [Dispatcher(board, broadcast, checkpoint, device, make_process, lock) for device in devices_of(settings)]

    return Fleet(board, broadcast, shelf, engines_of, partial(read_memory, settings.device), settings.memory_gb)


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
    show_examples(app)
    mount(app, base_url=lambda: base_url)
    app.add_middleware(PageErrors)
    app.add_middleware(Head)
    app.add_middleware(BodyLimit)
    app.add_middleware(Gate, settings=settings)
    app.add_middleware(RateLimit, per_minute=settings.rate_limit)
    app.add_middleware(Measured, metrics=services.metrics)
    return app


@asynccontextmanager
async def _life(services: Services, own_robot: OwnRobot | None, _app: FastAPI) -> AsyncGenerator[None]:
    swept = await services.board.sweep()
    log.info("server_starting", version=VERSION, checkpoint=services.shelf.active.id, swept_files=swept)
    running = asyncio.create_task(services.fleet.run())
    running.add_done_callback(_report_end)
    guarding = asyncio.create_task(services.guard.run())
    opening = asyncio.create_task(services.library.open())
    if own_robot:
        own_robot.start()
    try:
        yield
    finally:
        if own_robot:
            await own_robot.close()
        services.controls.close()
        services.sheets.close()
        opening.cancel()
        guarding.cancel()
        await services.guard.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await services.fleet.close()
        await services.errands.close()
        await services.board.close()
        log.info("server_stopped")


def _report_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.critical("fleet_died", exc_info=task.exception())
        os.kill(os.getpid(), signal.SIGTERM)  # a server that accepts and never runs is worse than none
