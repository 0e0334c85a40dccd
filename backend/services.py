"""What routes may call, built once by hand and handed to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from backend.arena import ArenaService, Judge, QuestionService, Reasoners
from backend.broadcast import Broadcast, Snapshots
from backend.checkpoints.adapters import AdapterFolder
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.comparisons import ComparisonDesk
from backend.fleet import Fleet
from backend.fleet.errands import Errands
from backend.guarding import Guard
from backend.jobs.board import Board
from backend.jobs.promises import Promises
from backend.jobs.queue_service import QueueService
from backend.jobs.service import JobService
from backend.jobs.video_shelf import VideoShelf
from backend.library.backups import Backups
from backend.library.controls import ControlService
from backend.library.form_presets import FormPresets
from backend.library.service import LibraryService
from backend.library.sheets import SheetService
from backend.library.uploads import Uploads
from backend.media import MediaStore
from backend.metrics import Metrics
from backend.policy import PolicyService
from backend.reasoning import ReasoningService
from backend.reasoning.given_media import GivenMedia
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.tasks import TaskService
from backend.reasoning.upsampler import Upsampler
from backend.refining.service import RefiningService
from backend.robots.hub import RobotHub


@dataclass(frozen=True)
class Services:
    """The server's parts, as far as the edge needs them."""

    jobs: JobService
    queue: QueueService
    board: Board
    fleet: Fleet
    errands: Errands
    shelf: CheckpointCatalogue
    media: MediaStore
    library: LibraryService
    uploads: Uploads
    sheets: SheetService
    backups: Backups
    comparisons: ComparisonDesk
    adapters: AdapterFolder
    controls: ControlService
    broadcast: Broadcast
    snapshots: Snapshots
    reasoning: ReasoningService
    shown_media: ShownMedia
    upsampler: Upsampler
    refining: RefiningService
    tasks: TaskService
    arena: ArenaService
    reasoners: Reasoners
    judge: Judge
    answers: QuestionService
    forms: FormPresets
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
