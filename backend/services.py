"""What routes may call, built once by hand and handed to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from backend.adapter_rack import AdapterRack
from backend.arena import AnswerDesk, ArenaService, Judge, Reasoners
from backend.broadcast import Broadcast
from backend.checkpoint_shelf import CheckpointShelf
from backend.comparisons import ComparisonDesk
from backend.control_desk import ControlDesk
from backend.fleet import Fleet
from backend.fleet.errands import Errands
from backend.form_shelf import FormShelf
from backend.given_media import GivenMedia
from backend.guarding import Guard
from backend.jobs.board import Board
from backend.jobs.promises import Promises
from backend.jobs.queue_service import QueueService
from backend.jobs.service import JobService
from backend.jobs.video_shelf import VideoShelf
from backend.library.backups import Backups
from backend.library.service import LibraryService
from backend.library.sheet_desk import SheetDesk
from backend.library.uploads import Uploads
from backend.media import MediaStore
from backend.metrics import Metrics
from backend.policy import PolicyService
from backend.reasoning import ReasoningService
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.task_desk import TaskDesk
from backend.reasoning.upsampler import Upsampler
from backend.refining.service import RefiningService
from backend.robots.hub import RobotHub
from backend.snapshots import Snapshots


@dataclass(frozen=True)
class Services:
    """The server's parts, as far as the edge needs them."""

    jobs: JobService
    queue: QueueService
    board: Board
    fleet: Fleet
    errands: Errands
    shelf: CheckpointShelf
    media: MediaStore
    library: LibraryService
    uploads: Uploads
    sheets: SheetDesk
    backups: Backups
    comparisons: ComparisonDesk
    adapters: AdapterRack
    controls: ControlDesk
    broadcast: Broadcast
    snapshots: Snapshots
    reasoning: ReasoningService
    shown_media: ShownMedia
    upsampler: Upsampler
    refining: RefiningService
    tasks: TaskDesk
    arena: ArenaService
    reasoners: Reasoners
    judge: Judge
    answers: AnswerDesk
    forms: FormShelf
    robots: RobotHub
    policy: PolicyService
    given_media: GivenMedia
    guard: Guard
    promises: Promises
    videos: VideoShelf
    metrics: Metrics


def services_of(connection: HTTPConnection) -> Services:
    """The services of the application that answers."""
    return cast(Services, connection.app.state.services)


async def _services_of(connection: HTTPConnection) -> Services:
    # On the event loop: what is no coroutine is sent to a thread, for every request.
    return services_of(connection)


Parts = Annotated[Services, Depends(_services_of)]
