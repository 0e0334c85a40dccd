"""What is behind the server's edge, put together: built here, by hand, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from backend.arena import ArenaService, Judge, QuestionService, Reasoners
from backend.blind_tests import BlindTestService
from backend.blind_tests.store import BlindTestStore
from backend.broadcast import Broadcast, Snapshots
from backend.checkpoints.adapters import AdapterFolder
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.cluster.cluster import join
from backend.comparisons import ComparisonService, Exporting, Measuring
from backend.database import Database, open_database
from backend.engine_process import EngineProcess, Spreading
from backend.evaluation import (
    BenchmarkService,
    CorrectionService,
    EvaluationNews,
    Generators,
    JudgingService,
    QuestionDraftService,
    ResultMeasuring,
    RunService,
    RunStore,
)
from backend.fleet import Fleet
from backend.fleet.checkpoint_tasks import CheckpointTasks
from backend.fleet.memory import FleetMemory
from backend.guarding import Guard
from backend.hue import HueService, HueTaskService
from backend.hue.store import HueStore
from backend.imagining import FanService, RolloutService
from backend.imagining.last_frame import keep_last_frame
from backend.imagining.simulated_tables import TablePlayer
from backend.jobs.admission import Admission
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.idempotency import IdempotencyKeys
from backend.jobs.ledger import Ledger
from backend.jobs.live_jobs import LiveJobs
from backend.jobs.preparations import Preparations
from backend.jobs.promised import PromisedJobs
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
from backend.refining.roles import Roles
from backend.refining.service import JobMaker, RefiningService
from backend.refining.store import RefinementStore
from backend.robots.hub import RobotHub
from backend.services import (
    EvaluationServices,
    FleetServices,
    LedgerServices,
    LibraryServices,
    RobotServices,
    Services,
    WordServices,
)
from backend.tuning.building import build as build_tuning
from backend.tuning.drifting import DriftMeasuring
from studio.checkpoints import Checkpoint
from studio.data_folder import DataFolder
from studio.errors import DiskFull, StudioError
from studio.prompting import load_tasks
from studio.prompting.templates import load_refining_texts
from studio.settings import ServerSettings


def build_services(settings: ServerSettings, folder: DataFolder, catalogue: CheckpointCatalogue) -> Services:
    """Everything behind the edge; nothing runs yet.

    Raises:
        DatabaseTooNew, StorageError: the database cannot be used.
        BadInput: a task or template of the user's own cannot be read.
    """
    ledger = build_ledger(settings=settings, folder=folder)
    fleet = build_fleet(settings=settings, folder=folder, catalogue=catalogue, ledger=ledger)
    words = build_words(settings=settings, folder=folder, ledger=ledger, fleet=fleet)
    library = build_library(settings=settings, folder=folder, ledger=ledger, fleet=fleet, words=words)
    evaluation = build_evaluation(settings=settings, ledger=ledger, fleet=fleet, library=library)
    tuning = build_tuning(
        folder=folder,
        root=settings.datasets,
        database=ledger.database,
        broadcast=ledger.broadcast,
        engines=fleet.engines,
        catalogue=catalogue,
        uploads=ledger.uploads,
        comparisons=library.comparisons,
        benchmarks=evaluation.benchmarks,
        runs=evaluation.runs,
        drifting=DriftMeasuring(PromisedJobs(fleet.jobs), ledger.media),
        reasoners=library.reasoners,
    )
    robots = build_robots(settings=settings, ledger=ledger, fleet=fleet)
    return Services(ledger, fleet, words, library, evaluation, tuning, robots, Machine())


def build_ledger(*, settings: ServerSettings, folder: DataFolder) -> LedgerServices:
    """The database, the media, and who tells everybody of them. Raises DatabaseTooNew, StorageError."""
    media, broadcast, reserve = MediaStore(folder.media), Broadcast(), DiskReserve(folder.reserve)
    database = _open_database(folder, media, reserve)
    live_jobs = LiveJobs(Ledger(database, settings.quota_bytes), media, broadcast)
    return LedgerServices(
        database=database,
        reserve=reserve,
        media=media,
        broadcast=broadcast,
        snapshots=Snapshots(broadcast),
        live_jobs=live_jobs,
        news=live_jobs.library_news,
        uploads=Uploads(database, media, live_jobs.library_news, settings.quota_bytes),
        idempotency_keys=IdempotencyKeys(database, live_jobs.get),
        videos=VideoListing(database),
        metrics=Metrics(),
    )


def build_fleet(
    *, settings: ServerSettings, folder: DataFolder, catalogue: CheckpointCatalogue, ledger: LedgerServices
) -> FleetServices:
    """The engines of every checkpoint, the queue, and the guardrail before it."""
    live_jobs, broadcast = ledger.live_jobs, ledger.broadcast
    cluster = join(settings, folder)
    spreading, lock = Spreading.of(settings), asyncio.Lock()
    memory = FleetMemory(settings) if cluster is None else cluster.memory
    devices = memory.devices()

    def engines_of(
        checkpoint: Checkpoint, on_change: Callable[[], None], may_claim: Callable[[], bool]
    ) -> list[Dispatcher]:
        folders, guardrail = (folder.media, folder.adapters), settings.guardrail_url
        own = spreading.at(checkpoint.preset.precision)
        make_process = partial(EngineProcess, *folders, checkpoint.id, spreading=own, guardrail_url=guardrail)
        return [
            Dispatcher(
                live_jobs=live_jobs,
                broadcast=broadcast,
                checkpoint=checkpoint,
                device=device,
                make_process=partial(make_process, connect=cluster and cluster.connect(device, checkpoint.id)),
                lock=lock,
                on_change=on_change,
                may_claim=may_claim,
                is_near=partial(cluster.is_near, device) if cluster else lambda: True,
            )
            for device in devices
        ]

    engines = Fleet(live_jobs=live_jobs, broadcast=broadcast, catalogue=catalogue, make=engines_of, memory=memory)
    guard = Guard(settings, lambda status: broadcast.publish("system", {"guardrail": status.model_dump(mode="json")}))
    tasks = CheckpointTasks(catalogue, lambda: broadcast.publish("system", {"errands": tasks.as_json()}))
    adapters = AdapterFolder(folder.adapters)
    admission = Admission(catalogue, ledger.media, adapters, guard)
    jobs = JobService(live_jobs, engines, admission, broadcast)
    return FleetServices(
        cluster=cluster,
        catalogue=catalogue,
        adapters=adapters,
        guard=guard,
        engines=engines,
        perception=PerceptionService(engines),
        checkpoint_tasks=tasks,
        admission=admission,
        jobs=jobs,
        queue=QueueService(live_jobs, jobs, admission, engines.wake),
    )


def build_words(
    *, settings: ServerSettings, folder: DataFolder, ledger: LedgerServices, fleet: FleetServices
) -> WordServices:
    """What reasoners are asked. Raises BadInput for a task of the user's own that cannot be read."""
    media = ledger.media
    reasoning = ReasoningService(fleet.engines, ledger.metrics, ledger.broadcast)
    shown_media = ShownMedia(media, folder.media, settings)
    upsampler = Upsampler(reasoning, media, fleet.catalogue, settings, fleet.guard)
    return WordServices(
        reasoning=reasoning,
        answers=AnswerStreams(),
        shown_media=shown_media,
        given_media=GivenMedia(media, ledger.uploads, shown_media, settings),
        upsampler=upsampler,
        preparations=Preparations(fleet.guard, upsampler),
        tasks=TaskService(load_tasks(folder.tasks), reasoning, shown_media),
    )


def build_library(
    *,
    settings: ServerSettings,
    folder: DataFolder,
    ledger: LedgerServices,
    fleet: FleetServices,
    words: WordServices,
) -> LibraryServices:
    """What was made, compared, refined and voted on. Raises BadInput for templates that cannot be read."""
    database, media, news = ledger.database, ledger.media, ledger.news
    items = LibraryService(
        database=database,
        store=media,
        news=news,
        folder=folder.media,
        quota_bytes=settings.quota_bytes,
        wake=fleet.engines.wake,
        reserve=ledger.reserve,
    )
    roles = Roles(
        service=words.reasoning,
        store=media,
        catalogue=fleet.catalogue,
        settings=settings,
        texts=load_refining_texts(folder.templates),
        status_of=fleet.engines.status_of,
        bring=fleet.engines.bring,
    )
    refining = RefiningService(
        fleet.admission, roles, JobMaker(fleet.jobs, media), RefinementStore(database), ledger.broadcast
    )
    arena = ArenaService(database, news, media)

    def heard() -> None:
        arena.forget()
        refining.changed()

    reasoners = Reasoners(words.reasoning, fleet.engines, fleet.catalogue, folder.reasoners)
    comparisons = ComparisonService(
        database=database,
        live_jobs=ledger.live_jobs,
        queue=fleet.queue,
        jobs=fleet.jobs,
        admission=fleet.admission,
        engines=fleet.engines,
        catalogue=fleet.catalogue,
        store=media,
        library=items,
        uploads=ledger.uploads,
        held_gb=_held_gb(fleet),
    )
    sheets = SheetService(media)
    cuts = CutService(media, ledger.uploads, folder.media / "incoming")
    return LibraryServices(
        items=items,
        backups=Backups(
            database=database,
            store=media,
            news=news,
            library=items,
            folder=folder,
            quota_bytes=settings.quota_bytes,
            heard=heard,
        ),
        sheets=sheets,
        controls=ControlService(media, ledger.uploads, fleet.perception.see),
        cuts=cuts,
        forms=FormPresets(folder.form_presets),
        comparisons=comparisons,
        measuring=Measuring(comparisons, media),
        exports=Exporting(comparisons, media, sheets, folder.media, _offline_page),
        refining=refining,
        arena=arena,
        reasoners=reasoners,
        judge=Judge(arena, reasoners, media),
        questions=QuestionService(database, arena, reasoners, media),
        rollouts=RolloutService(
            PromisedJobs(fleet.jobs),
            media,
            cuts,
            lambda video: keep_last_frame(video, media, ledger.uploads),
            TablePlayer(media, ledger.uploads, fleet.catalogue),
        ),
        fans=FanService(PromisedJobs(fleet.jobs), media, reasoners),
    )


def build_evaluation(
    *, settings: ServerSettings, ledger: LedgerServices, fleet: FleetServices, library: LibraryServices
) -> EvaluationServices:
    """What checkpoints are measured with."""
    news, store = EvaluationNews(ledger.broadcast), RunStore(ledger.database)
    benchmarks = BenchmarkService(ledger.database, ledger.media, news.changed)
    measuring = ResultMeasuring(ledger.media, fleet.perception)
    generators = Generators(fleet.catalogue, PromisedJobs(fleet.jobs), measuring, settings.precision)
    judging = JudgingService(store, library.reasoners, news.changed)
    questions = QuestionDraftService(
        database=ledger.database,
        runs=store,
        benchmarks=benchmarks,
        reasoners=library.reasoners,
        catalogue=fleet.catalogue,
        media=ledger.media,
        changed=news.changed,
    )
    runs = RunService(
        benchmarks=benchmarks,
        store=store,
        reasoners=library.reasoners,
        generators=generators,
        catalogue=fleet.catalogue,
        adapters=fleet.adapters,
        media=ledger.media,
        judging=judging,
        questions=questions,
        changed=news.changed,
    )
    studies = HueStore(ledger.database)
    hue_tasks = HueTaskService(
        store=studies,
        reasoners=library.reasoners,
        catalogue=fleet.catalogue,
        media=ledger.media,
        changed=news.changed,
    )
    return EvaluationServices(
        news=news,
        benchmarks=benchmarks,
        runs=runs,
        judging=judging,
        questions=questions,
        corrections=CorrectionService(store, ledger.media, library.items.change_many, news.changed),
        hue=HueService(
            store=studies,
            tasks=hue_tasks,
            media=ledger.media,
            title_of=fleet.catalogue.title,
            changed=news.changed,
        ),
        hue_tasks=hue_tasks,
        blind_tests=BlindTestService(BlindTestStore(ledger.database), ledger.media, news.changed),
    )


def build_robots(*, settings: ServerSettings, ledger: LedgerServices, fleet: FleetServices) -> RobotServices:
    """Arms that dial in, and the policy that answers them."""
    return RobotServices(
        RobotHub(), PolicyService(fleet.engines, fleet.catalogue, ledger.metrics, max_arms=settings.policy_arms)
    )


def _held_gb(fleet: FleetServices) -> Callable[[str], float | None]:
    """What the weights of a checkpoint take, GB by its id; by the devices as they were when first asked."""
    read_once = cache(fleet.engines.memory.read)

    @cache
    def held_gb(checkpoint: str) -> float | None:
        try:
            return round(fleet.engines.memory.held_gb(fleet.catalogue.named(checkpoint), read_once()), 2)
        except StudioError:  # it is not known any more
            return None

    return held_gb


def _open_database(folder: DataFolder, media: MediaStore, reserve: DiskReserve) -> Database:
    """The database; where the disk is full, once what a killed process left half-written has gone, or with the reserve.

    SQLite wants a log and its index beside it, which are far smaller than the reserve: the rest is taken back at once.
    """
    try:
        return open_database(folder.database)
    except DiskFull:
        media.sweep()
        return reserve.spend(partial(open_database, folder.database))


def _offline_page(title: str, comparison: Mapping[str, Any]) -> str:
    from frontend.offline import offline_page  # with it comes the page's library: seconds, and the worker starts first

    return offline_page(title, comparison)
