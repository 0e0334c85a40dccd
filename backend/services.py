"""The server's parts in six groups, built once by hand, and how a route asks for the one that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from backend.arena import ArenaService, Judge, QuestionService, Reasoners
from backend.blind_tests import BlindTestService
from backend.broadcast import Broadcast, LibraryNews, Snapshots
from backend.checkpoints.adapters import AdapterFolder
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.cluster.cluster import Cluster
from backend.comparisons import ComparisonService, Exporting, Measuring
from backend.database import Database
from backend.evaluation import (
    BenchmarkService,
    CorrectionService,
    EvaluationNews,
    JudgingService,
    QuestionDraftService,
    RunService,
)
from backend.fleet import Fleet
from backend.fleet.checkpoint_tasks import CheckpointTasks
from backend.guarding import Guard
from backend.hue import HueService, HueTaskService
from backend.imagining import FanService, RolloutService
from backend.jobs.admission import Admission
from backend.jobs.idempotency import IdempotencyKeys
from backend.jobs.live_jobs import LiveJobs
from backend.jobs.preparations import Preparations
from backend.jobs.queue_service import QueueService
from backend.jobs.service import JobService
from backend.jobs.video_listing import VideoListing
from backend.library.backups import Backups
from backend.library.controls import ControlService
from backend.library.cuts import CutService
from backend.library.form_presets import FormPresets
from backend.library.reserve import DiskReserve
from backend.library.service import LibraryService
from backend.library.sheets import SheetService
from backend.library.uploads import Uploads
from backend.machine import Machine
from backend.media import MediaStore
from backend.metrics import Metrics
from backend.perceiving import PerceptionService
from backend.policy import PolicyService
from backend.reasoning import AnswerStreams, ReasoningService
from backend.reasoning.given_media import GivenMedia
from backend.reasoning.shown_media import ShownMedia
from backend.reasoning.tasks import TaskService
from backend.reasoning.upsampler import Upsampler
from backend.refining.service import RefiningService
from backend.robots.hub import RobotHub
from backend.tuning.building import TuningServices
from backend.tuning.captioning import DatasetCaptions
from backend.tuning.datasets import DatasetFolder
from backend.tuning.service import TuningService


@dataclass(frozen=True)
class LedgerServices:
    """What is written down, and telling everybody of it."""

    database: Database
    reserve: DiskReserve
    media: MediaStore
    broadcast: Broadcast
    snapshots: Snapshots
    live_jobs: LiveJobs
    news: LibraryNews
    uploads: Uploads
    idempotency_keys: IdempotencyKeys
    videos: VideoListing
    metrics: Metrics


@dataclass(frozen=True)
class FleetServices:
    """What computes, and the queue before it; a cluster of other hosts with `--ray` alone."""

    cluster: Cluster | None
    catalogue: CheckpointCatalogue
    adapters: AdapterFolder
    guard: Guard
    engines: Fleet
    perception: PerceptionService
    checkpoint_tasks: CheckpointTasks
    admission: Admission
    jobs: JobService
    queue: QueueService


@dataclass(frozen=True)
class WordServices:
    """What is asked of reasoners."""

    reasoning: ReasoningService
    answers: AnswerStreams
    shown_media: ShownMedia
    given_media: GivenMedia
    upsampler: Upsampler
    preparations: Preparations
    tasks: TaskService


@dataclass(frozen=True)
class LibraryServices:
    """What was made, and what is done with it."""

    items: LibraryService
    backups: Backups
    cuts: CutService
    sheets: SheetService
    controls: ControlService
    forms: FormPresets
    comparisons: ComparisonService
    measuring: Measuring
    exports: Exporting
    refining: RefiningService
    arena: ArenaService
    reasoners: Reasoners
    judge: Judge
    questions: QuestionService
    rollouts: RolloutService
    fans: FanService


@dataclass(frozen=True)
class EvaluationServices:
    """Benchmarks, who answers them, and who judges the answers; and videos that are rated."""

    news: EvaluationNews
    benchmarks: BenchmarkService
    runs: RunService
    judging: JudgingService
    corrections: CorrectionService
    questions: QuestionDraftService
    hue: HueService
    hue_tasks: HueTaskService
    blind_tests: BlindTestService


@dataclass(frozen=True)
class RobotServices:
    """Arms, and the policy that drives them."""

    hub: RobotHub
    policy: PolicyService


@dataclass(frozen=True)
class Services:
    """The server's parts."""

    ledger: LedgerServices
    fleet: FleetServices
    words: WordServices
    library: LibraryServices
    evaluation: EvaluationServices
    tuning: TuningServices
    robots: RobotServices
    machine: Machine


def services_of(connection: HTTPConnection) -> Services:
    """The services of the application that answers."""
    return cast(Services, connection.app.state.services)


def _part(pick: Callable[[Services], object]) -> Any:
    async def part(connection: HTTPConnection) -> object:
        # On the event loop: what is no coroutine is sent to a thread, for every request.
        return pick(services_of(connection))

    return Depends(part)


Parts = Annotated[Services, _part(lambda services: services)]
"""For a route that joins several."""

UsesMedia = Annotated[MediaStore, _part(lambda services: services.ledger.media)]
UsesUploads = Annotated[Uploads, _part(lambda services: services.ledger.uploads)]
UsesAdapters = Annotated[AdapterFolder, _part(lambda services: services.fleet.adapters)]
UsesCatalogue = Annotated[CheckpointCatalogue, _part(lambda services: services.fleet.catalogue)]
UsesCluster = Annotated[Cluster | None, _part(lambda services: services.fleet.cluster)]
UsesEngines = Annotated[Fleet, _part(lambda services: services.fleet.engines)]
UsesCheckpointTasks = Annotated[CheckpointTasks, _part(lambda services: services.fleet.checkpoint_tasks)]
UsesJobs = Annotated[JobService, _part(lambda services: services.fleet.jobs)]
UsesQueue = Annotated[QueueService, _part(lambda services: services.fleet.queue)]
UsesTasks = Annotated[TaskService, _part(lambda services: services.words.tasks)]
UsesMachine = Annotated[Machine, _part(lambda services: services.machine)]
UsesCuts = Annotated[CutService, _part(lambda services: services.library.cuts)]
UsesItems = Annotated[LibraryService, _part(lambda services: services.library.items)]
UsesBackups = Annotated[Backups, _part(lambda services: services.library.backups)]
UsesSheets = Annotated[SheetService, _part(lambda services: services.library.sheets)]
UsesControls = Annotated[ControlService, _part(lambda services: services.library.controls)]
UsesForms = Annotated[FormPresets, _part(lambda services: services.library.forms)]
UsesComparisons = Annotated[ComparisonService, _part(lambda services: services.library.comparisons)]
UsesMeasuring = Annotated[Measuring, _part(lambda services: services.library.measuring)]
UsesExports = Annotated[Exporting, _part(lambda services: services.library.exports)]
UsesRefining = Annotated[RefiningService, _part(lambda services: services.library.refining)]
UsesArena = Annotated[ArenaService, _part(lambda services: services.library.arena)]
UsesReasoners = Annotated[Reasoners, _part(lambda services: services.library.reasoners)]
UsesJudge = Annotated[Judge, _part(lambda services: services.library.judge)]
UsesFans = Annotated[FanService, _part(lambda services: services.library.fans)]
UsesRollouts = Annotated[RolloutService, _part(lambda services: services.library.rollouts)]
UsesQuestions = Annotated[QuestionService, _part(lambda services: services.library.questions)]
UsesBenchmarks = Annotated[BenchmarkService, _part(lambda services: services.evaluation.benchmarks)]
UsesRuns = Annotated[RunService, _part(lambda services: services.evaluation.runs)]
UsesJudging = Annotated[JudgingService, _part(lambda services: services.evaluation.judging)]
UsesCorrections = Annotated[CorrectionService, _part(lambda services: services.evaluation.corrections)]
UsesQuestionDrafts = Annotated[QuestionDraftService, _part(lambda services: services.evaluation.questions)]
UsesHue = Annotated[HueService, _part(lambda services: services.evaluation.hue)]
UsesHueTasks = Annotated[HueTaskService, _part(lambda services: services.evaluation.hue_tasks)]
UsesBlindTests = Annotated[BlindTestService, _part(lambda services: services.evaluation.blind_tests)]
UsesDatasets = Annotated[DatasetFolder, _part(lambda services: services.tuning.datasets)]
UsesCaptions = Annotated[DatasetCaptions, _part(lambda services: services.tuning.captions)]
UsesTunings = Annotated[TuningService, _part(lambda services: services.tuning.tunings)]
UsesRobots = Annotated[RobotHub, _part(lambda services: services.robots.hub)]
