"""A disk without room for the database: nothing is lost, and what waits goes on once there is room."""

import asyncio
import errno
import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from safetensors import SafetensorError

from backend import serve
from backend.database import Database, database, open_database
from backend.fleet.engine_pool import EngineGroup
from backend.fleet.fleet import Fleet
from backend.jobs import retrying
from backend.jobs.dispatcher import Dispatcher
from backend.jobs.ledger import Accepted, Ledger
from backend.jobs.live_jobs import LiveJobs
from backend.library import backup
from backend.library.backup import backup_of
from backend.library.reserve import DiskReserve
from backend.media import MediaStore
from backend.messages import CheckpointMoved, JobFailed, LoadCheckpoint, RunJob
from backend.worker import engine_slot
from room_on_disk import room_for
from studio import logs
from studio.checkpoints import Checkpoint
from studio.data_folder import DataFolder
from studio.errors import DiskFull, StudioError
from studio.jobs import Failure, JobState
from studio.presets import CheckpointPreset
from studio.requests import GenerateImage

SPECK = Checkpoint("speck", CheckpointPreset(id="speck", title="speck", summary=""), Path("speck"), True)
CUBE = GenerateImage(prompt="a red cube")
FULL = DiskFull("The disk is full.")


class Process:
    """A worker that is there and does nothing."""

    def __init__(self) -> None:
        self.pid: int | None = 7
        self.told = asyncio.Queue[Any]()

    def start(self) -> None:
        self.pid = 7

    def send(self, command: object) -> None:
        self.told.put_nowait(command)

    async def hear(self, kind: type[Any]) -> Any:
        """The next command of a kind."""
        while not isinstance(command := await asyncio.wait_for(self.told.get(), 60), kind):
            pass
        return command


def dispatcher_over(live_jobs: Any, process: Process, deliver: list[Any], states: list[str]) -> Dispatcher:
    def make(told: Any) -> Any:
        deliver.append(told)
        return process

    broadcast: Any = SilentBroadcast()
    dispatcher = Dispatcher(
        live_jobs=live_jobs,
        broadcast=broadcast,
        checkpoint=SPECK,
        device="cpu",
        make_process=make,
        lock=asyncio.Lock(),
        on_change=lambda: states.append(dispatcher.status.state),
        may_claim=lambda: True,
    )
    return dispatcher


class NoPreparations:
    """Every job begins at once."""

    def first(self, job: object) -> None:
        return None


class SilentBroadcast:
    """Nobody looks."""

    num_subscribers = 0

    def is_wanted(self, topic: str) -> bool:
        return False

    def publish(self, *said: object) -> None:
        """Nobody listens."""


class FullDiskJobs(LiveJobs):
    """Does not take the end of a job, once."""

    is_full = True

    async def move(self, change: Any, *args: Any, **kwargs: Any) -> Any:
        if change is Ledger.fail and self.is_full:
            self.is_full = False
            raise FULL
        return await super().move(change, *args, **kwargs)


def test_the_next_job_begins_once_the_end_of_one_could_be_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(retrying, "STORAGE_RETRY_S", 0.0)

    async def run() -> None:
        silent: Any = SilentBroadcast()
        live_jobs = FullDiskJobs(Ledger(open_database(tmp_path / "orrery.db")), MediaStore(tmp_path / "media"), silent)
        for name in ("000000000001", "000000000002"):
            await live_jobs.move(Ledger.insert, Accepted(name, CUBE, "speck"))
        process, deliver, states = Process(), list[Any](), list[str]()
        dispatcher = dispatcher_over(live_jobs, process, deliver, states)
        unprepared: Any = NoPreparations()
        task = asyncio.create_task(dispatcher.run(unprepared))
        deliver[0](CheckpointMoved("ready", "float32"))
        first = await process.hear(RunJob)
        deliver[0](JobFailed(first.job_id, Failure.of(FULL)))
        second = await process.hear(RunJob)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

        assert (first.job_id, second.job_id) == ("000000000001", "000000000002")
        assert "lost" in states
        assert dispatcher.status.state == "ready"
        failed = await live_jobs.get(first.job_id)
        assert failed.error is not None
        assert (failed.state, failed.error.code) == (JobState.FAILED, "disk_full")
        await live_jobs.close()

    asyncio.run(run())


def test_a_checkpoint_that_did_not_load_is_loaded_again_when_it_is_asked_for():
    async def run() -> None:
        process, deliver = Process(), list[Any]()
        unprepared: Any = NoPreparations()
        group = EngineGroup(SPECK, [dispatcher_over(None, process, deliver, [])], 0.0)
        task = asyncio.create_task(group.dispatchers[0].run(unprepared))
        deliver[0](CheckpointMoved("failed", failure=Failure.of(FULL)))
        while group.status.state != "failed":
            await asyncio.sleep(0)

        group.stay()

        assert group.status.state == "loading"
        assert group.status.error is None
        await process.hear(LoadCheckpoint)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())


def test_a_database_that_has_no_room_is_not_said_to_be_broken(tmp_path: Path):
    # A page of the database fits, and the index of its log does not.
    with room_for(16_384), pytest.raises(DiskFull, match="cannot be opened") as refused:
        open_database(tmp_path / "orrery.db")

    assert "space" in refused.value.hint
    open_database(tmp_path / "orrery.db").close()


def test_an_export_without_room_for_a_copy_of_the_database_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(database, "_FULL", (sqlite3.SQLITE_IOERR_WRITE,))  # of a limit; SQLITE_FULL of a disk
    opened: Database = open_database(tmp_path / "orrery.db")
    with closing(opened):
        with room_for(4096), pytest.raises(DiskFull, match="The database cannot be copied for the export"):
            backup_of(opened, MediaStore(tmp_path), DataFolder(tmp_path), tmp_path / "incoming")
        assert not list((tmp_path / "incoming").iterdir())

        assert b"".join(
            backup_of(opened, MediaStore(tmp_path), DataFolder(tmp_path), tmp_path / "incoming")
        ).startswith(b"PK")


def test_an_import_that_does_not_fit_is_not_blamed_on_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with closing(open_database(tmp_path / "orrery.db")) as opened:
        (tmp_path / "export.zip").write_bytes(
            b"".join(backup_of(opened, MediaStore(tmp_path), DataFolder(tmp_path), tmp_path))
        )

    def full(_: Path) -> Database:
        raise FULL

    monkeypatch.setattr(backup, "open_database", full)
    (tmp_path / "incoming").mkdir()
    with (
        pytest.raises(DiskFull),
        backup.open_backup(tmp_path / "export.zip", tmp_path / "incoming", 10**9),
    ):
        pass


def test_what_a_killed_process_left_half_written_makes_room_for_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = DataFolder(tmp_path)
    left = folder.media / "ab" / "x.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")

    def open_if_there_is_room(path: Path) -> Database:
        if left.exists():
            raise FULL
        return open_database(path)

    monkeypatch.setattr(serve, "open_database", open_if_there_is_room)
    serve._open_database(folder, MediaStore(folder.media), DiskReserve(folder.reserve)).close()

    assert not left.exists()


def test_a_server_begins_on_a_full_disk_with_what_was_kept_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = DataFolder(tmp_path)
    media, reserve = MediaStore(folder.media), DiskReserve(folder.reserve, 4096)
    reserve.fill()
    kept = folder.reserve.read_bytes()

    def open_if_there_is_room(path: Path) -> Database:
        if folder.reserve.exists():
            raise FULL
        return open_database(path)

    monkeypatch.setattr(serve, "open_database", open_if_there_is_room)
    serve._open_database(folder, media, reserve).close()

    assert len(folder.reserve.read_bytes()) == 4096
    assert folder.reserve.read_bytes() != kept


def test_without_a_reserve_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(_: Path) -> Database:
        raise FULL

    monkeypatch.setattr(serve, "open_database", full)
    folder = DataFolder(tmp_path)
    with pytest.raises(DiskFull):
        serve._open_database(folder, MediaStore(folder.media), DiskReserve(folder.reserve, 4096))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        # What safetensors 0.7 says of a full disk, word by word.
        (SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"), "disk_full"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "disk_full"),
        (OSError(errno.EACCES, os.strerror(errno.EACCES)), "storage_failed"),
    ],
)
def test_a_checkpoint_that_cannot_be_built_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
):
    def build(_: Path) -> None:
        raise error

    monkeypatch.setattr(engine_slot, "build_speck", build)
    pipe: Any = type("Deaf", (), {"report": lambda *_: None})()

    with pytest.raises(StudioError) as refused:
        engine_slot.EngineSlot(pipe, load=lambda *_, **__: None).load(
            LoadCheckpoint(tmp_path, build=True, device="cpu")
        )  # type: ignore[arg-type]

    assert refused.value.code == code


def test_a_log_on_a_full_disk_loses_lines_and_nothing_else(monkeypatch: pytest.MonkeyPatch):
    full = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115 - closing it fails as well
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", full)
        logs.let_lines_be_lost()
        logger = structlog.WriteLoggerFactory(sys.stderr)()

        for _ in range(1000):
            logger.error("The disk is full. " * 10)
        sys.stderr.write("still here\n")
        sys.stderr.flush()

        assert sys.stderr.fileno() == full.fileno()
        sys.stderr.detach()  # type: ignore[attr-defined]
    with suppress(OSError):
        full.close()


def test_a_checkpoint_that_is_lost_for_want_of_room_has_not_failed_and_keeps_its_jobs():
    async def run() -> bool:
        dispatcher = dispatcher_over(None, Process(), [], [])
        dispatcher._storage(dispatcher.status, FULL)
        group = EngineGroup(SPECK, [dispatcher], 0.0)
        assert group.status.error is not None
        assert group.status.state == "lost"
        fleet: Any = SimpleNamespace(_catalogue=SimpleNamespace(active=SimpleNamespace(id="another")))
        return await Fleet._has_failed(fleet, group)

    assert not asyncio.run(run())
