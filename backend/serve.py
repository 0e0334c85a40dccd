"""What is behind the server's edge, put together: built here, by hand, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import structlog

from backend import vital
from backend.arena import ArenaService, Judge, QuestionService, Reasoners
from backend.broadcast import Broadcast, Snapshots
from backend.checkpoints.adapters import AdapterFolder
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons import ComparisonDesk
from backend.database import Database, open_database
from backend.engine_process import EngineProcess, Spreading
from backend.fleet import Fleet
from backend.fleet.errands import Errands
from backend.fleet.room import Room
from backend.guarding import Guard
from backend.jobs.admission import Admission
from backend.jobs.board import Board
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.ledger import Ledger
from backend.jobs.preparations import Preparations
from backend.jobs.promises import Promises
from backend.jobs.queue_service import QueueService
from backend.jobs.service import JobService
from backend.jobs.video_shelf import VideoShelf
from backend.library.backups import Backups
from backend.library.controls import ControlService
from backend.library.form_presets import FormPresets
from backend.library.reserve import Reserve
from backend.library.service import LibraryService
from backend.library.sheets import SheetService
from backend.library.uploads import Uploads
from backend.media import DECODERS, MediaStore
from backend.metrics import Metrics
from backend.policy import PolicyService
from backend.reasoning import ReasoningService
from backend.reasoning.given_media import GivenMedia
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.tasks import TaskService
from backend.reasoning.upsampler import Upsampler
from backend.refining.bench import Bench
from backend.refining.roles import Roles
from backend.refining.service import RefiningService
from backend.refining.store import RefinementStore
from backend.robots.hub import RobotHub
from backend.services import Services
from backend.version import VERSION
from studio.checkpoints import Checkpoint
from studio.data_folder import DataFolder
from studio.errors import DiskFull
from studio.prompting import load_tasks
from studio.prompting.refining_texts import load_refining_texts
from studio.settings import ServerSettings

log = structlog.get_logger("orrery.server")


def build_services(settings: ServerSettings, folder: DataFolder, shelf: CheckpointCatalogue) -> Services:
    """Everything behind the edge; nothing runs yet.

    Raises:
        DatabaseTooNew, StorageError: the database cannot be used.
        BadInput: a task or template of the user's own cannot be read.
    """
    media = MediaStore(folder.media)
    broadcast = Broadcast()
    guard = Guard(settings, lambda status: broadcast.publish("system", {"guardrail": status.model_dump(mode="json")}))
    reserve = Reserve(folder.reserve)
    database = _open_database(folder, media, reserve)
    board = Board(Ledger(database, settings.quota_bytes), media, broadcast)
    fleet = _build_fleet(settings, folder, shelf, board, broadcast)
    errands = Errands(shelf, lambda: broadcast.publish("system", {"errands": errands.as_json()}))
    uploads = Uploads(database, media, board.library_news, settings.quota_bytes)
    rack = AdapterFolder(folder.adapters)
    metrics = Metrics()
    reasoning = ReasoningService(fleet, metrics)
    shown_media = ShownMedia(media, folder.media, settings)
    upsampler = Upsampler(reasoning, media, shelf, settings, guard)
    fleet.preparations = Preparations(guard, upsampler)
    admission = Admission(shelf, media, rack, guard)
    jobs = JobService(board, fleet, admission, broadcast)
    texts = load_refining_texts(folder.templates)
    roles = Roles(reasoning, media, shelf, settings, texts, fleet.status_of, fleet.bring)
    library = LibraryService(
        *(database, media, board.library_news, folder.media, settings.quota_bytes, fleet.wake), reserve
    )
    arena, reasoners = (
        ArenaService(database, board.library_news, media),
        Reasoners(reasoning, fleet, shelf, folder.reasoners),
    )
    refining = RefiningService(admission, roles, Bench(jobs, media), RefinementStore(database), broadcast)

    def heard() -> None:
        arena.forget()
        refining.changed()

    queue, sheets = QueueService(board, jobs, admission, fleet.wake), SheetService(media)
    rooms = (database, board, queue, jobs, admission, fleet, shelf, media, library, uploads, sheets)
    return Services(
        jobs=jobs,
        queue=queue,
        board=board,
        fleet=fleet,
        errands=errands,
        shelf=shelf,
        media=media,
        library=library,
        backups=Backups(
            database=database,
            store=media,
            news=board.library_news,
            library=library,
            folder=folder,
            quota_bytes=settings.quota_bytes,
            heard=heard,
        ),
        comparisons=ComparisonDesk.open(*rooms, folder.media, _offline_page),
        uploads=uploads,
        sheets=sheets,
        adapters=rack,
        controls=ControlService(media, uploads),
        broadcast=broadcast,
        snapshots=Snapshots(broadcast),
        reasoning=reasoning,
        shown_media=shown_media,
        upsampler=upsampler,
        refining=refining,
        tasks=TaskService(load_tasks(folder.tasks), reasoning, shown_media),
        arena=arena,
        reasoners=reasoners,
        judge=Judge(arena, reasoners, media),
        answers=QuestionService(database, arena, reasoners, media),
        forms=FormPresets(folder.form_presets),
        robots=RobotHub(),
        policy=PolicyService(fleet, shelf, metrics),
        given_media=GivenMedia(media, uploads, shown_media, settings),
        guard=guard,
        promises=Promises(database, board.get),
        videos=VideoShelf(database),
        metrics=metrics,
    )


def _open_database(folder: DataFolder, media: MediaStore, reserve: Reserve) -> Database:
    """The database; where the disk is full, once what a killed process left half-written has gone, or with the reserve.

    SQLite wants a log and its index beside it, which are far smaller than the reserve: the rest is taken back at once.
    """
    try:
        return open_database(folder.database)
    except DiskFull:
        media.sweep()
        return reserve.spend(partial(open_database, folder.database))


def _build_fleet(
    settings: ServerSettings, folder: DataFolder, shelf: CheckpointCatalogue, board: Board, broadcast: Broadcast
) -> Fleet:
    spreading, lock, room = Spreading.of(settings), asyncio.Lock(), Room(settings)
    devices = room.devices()

    def engines_of(checkpoint: Checkpoint) -> list[Dispatcher]:
        folders, guardrail = (folder.media, folder.adapters), settings.guardrail_url
        own = spreading.at(checkpoint.preset.precision)
        make_process = partial(EngineProcess, *folders, checkpoint.id, spreading=own, guardrail_url=guardrail)
        return [Dispatcher(board, broadcast, checkpoint, device, make_process, lock) for device in devices]

    return Fleet(board, broadcast, shelf, engines_of, room)


@asynccontextmanager
async def living(services: Services) -> AsyncGenerator[None]:
    """Everything behind the edge runs: workers load, what was interrupted goes on."""
    DECODERS.start()
    swept = await services.board.sweep()
    log.info("server_starting", version=VERSION, checkpoint=services.shelf.active.id, swept_files=swept)
    running = vital.keep(asyncio.create_task(services.fleet.run()), "fleet")
    guarding = asyncio.create_task(services.guard.run())
    opening = asyncio.create_task(services.library.open())
    refining = asyncio.create_task(services.refining.open())
    try:
        yield
    finally:
        DECODERS.close()
        services.controls.close()
        services.sheets.close()
        services.comparisons.close()
        opening.cancel()
        refining.cancel()
        await services.refining.close()
        guarding.cancel()
        await services.guard.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await services.fleet.close()
        await services.errands.close()
        await services.board.close()
        log.info("server_stopped")


def _offline_page(title: str, comparison: Mapping[str, Any]) -> str:
    from frontend.offline import offline_page  # with it comes the page's library: seconds, and the worker starts first

    return offline_page(title, comparison)
