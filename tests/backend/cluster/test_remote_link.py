"""A worker on another host, as the dispatcher's process has it: told, heard, lost, and replaced."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from backend.cluster import seat as seat_module
from backend.cluster import worker_host
from backend.cluster.cluster import Cluster, join
from backend.engine_process import EngineProcess, WorkerLost
from backend.media import MediaStore
from backend.messages import CancelJob, CheckpointMoved, JobFailed, JobFinished, JobProgressed, RunJob
from cluster_hosts import LocalHosts
from studio.data_folder import DataFolder
from studio.errors import BadInput
from studio.requests import GenerateImage, GenerateVideo
from studio.settings import ServerSettings

JOB = "abcdef012345"
LIMIT_S = 240


class FakeLink:
    """A worker that says how far each job is, and makes an image of it."""

    made: ClassVar[list["FakeLink"]] = []

    def __init__(self, arguments: Sequence[str], on_report: Callable[[Any], None], on_end: Callable[[Any], None]):
        self.pid = 4000 + len(self.made)
        self.told: list[Any] = []
        self.say, self._on_end = on_report, on_end
        media = [said.removeprefix("--media=") for said in arguments if said.startswith("--media=")]
        self.store = MediaStore(Path(media[-1]))
        self.made.append(self)

    def send(self, command: Any) -> None:
        self.told.append(command)
        if isinstance(command, RunJob):
            for step in range(3):
                self.say(JobProgressed(command.job_id, "denoising", step, 3))
            pixels = np.full((32, 32, 3), 7, np.uint8)
            request = GenerateImage(prompt="a cube")
            result = self.store.put_image(command.job_id, 0, pixels, request, "speck")
            self.say(JobFinished(command.job_id, (result,), None, 3))

    def kill(self) -> None:
        self._on_end(-9)


class Studio:
    """A server's process for a worker, without the rest of the server."""

    def __init__(self, cluster: Cluster, data: DataFolder) -> None:
        self.heard: list[Any] = []
        self._changed = asyncio.Event()
        connect = cluster.connect("ray:0", "speck")
        self.process = EngineProcess(data.media, data.adapters, "speck", self._hear, connect=connect)

    def _hear(self, event: Any) -> None:
        self.heard.append(event)
        self._changed.set()

    async def until(self, holds: Callable[[], Any]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                await asyncio.sleep(0.01)

    async def until_heard(self, kind: type, count: int = 1) -> Any:
        await self.until(lambda: len(self.of(kind)) >= count)
        return self.of(kind)[count - 1]

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.heard if isinstance(event, kind)]


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeLink, "made", [])
    monkeypatch.setattr(worker_host, "Link", FakeLink)
    monkeypatch.setattr(seat_module, "PLACE_AGAIN_S", 0.02)
    monkeypatch.setattr(seat_module, "LOOK_EVERY_S", 0.05)


def run(
    tmp_path: Path, act: Callable[[Studio, LocalHosts, Cluster], Coroutine[Any, Any, None]], *, shares: bool = False
) -> None:
    async def inside() -> None:
        here = DataFolder(tmp_path / "here")
        here.prepare()
        hosts = LocalHosts(here.root if shares else tmp_path / "there")
        cluster = Cluster(ServerSettings(device="cpu", data=here.root), here, hosts)
        async with asyncio.timeout(LIMIT_S), cluster.living():
            studio = Studio(cluster, here)
            await act(studio, hosts, cluster)
            studio.process.stop()

    asyncio.run(inside())


def a_job(**changes: Any) -> RunJob:
    return replace(RunJob(JOB, GenerateImage(prompt="a cube"), previewed=False), **changes)


def test_a_job_runs_there_and_its_result_lies_here(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        studio.process.start()
        studio.process.send(a_job())
        finished = await studio.until_heard(JobFinished)
        assert [event.step for event in studio.of(JobProgressed)] == [0, 1, 2]
        assert MediaStore(tmp_path / "here/media").file(finished.results[0].id).is_file()
        assert not list((tmp_path / "there").rglob("*.png"))
        assert studio.process.pid == FakeLink.made[0].pid

    run(tmp_path, act)


def test_a_host_that_shares_the_folder_gets_and_gives_no_files(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        studio.process.start()
        studio.process.send(a_job())
        finished = await studio.until_heard(JobFinished)
        assert MediaStore(tmp_path / "here/media").file(finished.results[0].id).is_file()
        assert not {"missing", "write", "made", "read"} & set(hosts.calls)

    run(tmp_path, act, shares=True)


def test_what_a_job_names_is_there_before_it_begins(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        pixels = np.zeros((32, 32, 3), np.uint8)
        start = MediaStore(tmp_path / "here/media").put_image("0" * 12, 0, pixels, GenerateImage(prompt="x"), "speck")
        studio.process.start()
        studio.process.send(a_job(request=GenerateVideo(prompt="go", start_image=start.id)))
        await studio.until_heard(JobFinished)
        assert FakeLink.made[0].store.file(start.id).is_file()
        assert hosts.calls.index("seal") < hosts.calls.index("tell")

    run(tmp_path, act)


def test_a_cut_loses_nothing_and_repeats_nothing(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        studio.process.start()
        await studio.until(lambda: studio.process.pid)
        hosts.deaf = {"tell", "hear"}
        job, cancel = a_job(), CancelJob("1" * 12)
        studio.process.send(job)
        studio.process.send(cancel)
        await studio.until(lambda: FakeLink.made[0].told)
        hosts.cut = True
        await asyncio.sleep(0.2)
        assert not studio.of(WorkerLost)
        hosts.cut = False
        hosts.deaf.clear()
        await studio.until(lambda: len(FakeLink.made[0].told) == 2)
        await studio.until_heard(JobFinished)
        await asyncio.sleep(0.1)
        assert FakeLink.made[0].told == [job, cancel]
        assert len(studio.of(JobFinished)) == 1
        assert len(FakeLink.made) == 1

    run(tmp_path, act)


def test_a_worker_that_ends_is_lost_with_its_exit_code_and_starts_again_there(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        studio.process.start()
        await studio.until(lambda: studio.process.pid)
        studio.process.kill()
        assert await studio.until_heard(WorkerLost) == WorkerLost(-9)
        studio.process.start()
        await studio.until(lambda: len(FakeLink.made) == 2)
        assert hosts.num_placed == 1

    run(tmp_path, act)


def test_a_host_that_dies_is_a_lost_worker_and_the_next_one_takes_its_place(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        studio.process.start()
        await studio.until(lambda: studio.process.pid)
        hosts.room.clear()
        hosts.die()
        assert await studio.until_heard(WorkerLost) == WorkerLost(None)
        assert cluster.hosts([])[0].waits_for.startswith("a host with 1 free processor")

        studio.process.start()
        waits = await studio.until_heard(CheckpointMoved)
        assert waits.state == "waiting"
        assert waits.detail.startswith("a host with 1 free processor")
        studio.process.send(a_job())
        hosts.room.set()
        await studio.until_heard(JobFinished)
        assert hosts.num_placed == 2
        assert cluster.hosts([])[0].name

    run(tmp_path, act)


def test_a_worker_that_still_waits_for_a_host_can_be_stopped(tmp_path: Path):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        hosts.room.clear()
        studio.process.start()
        await studio.until_heard(CheckpointMoved)
        studio.process.stop()
        await asyncio.sleep(0.05)
        assert studio.process.pid is None
        assert not FakeLink.made
        assert not studio.of(WorkerLost)

    run(tmp_path, act)


def test_a_result_that_the_disk_here_does_not_take_fails_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        monkeypatch.setattr("backend.cluster.host_files.HostFiles.read", lambda self, name, offset: b"")
        studio.process.start()
        studio.process.send(a_job())
        failed = await studio.until_heard(JobFailed)
        assert (failed.job_id, failed.failure.code) == (JOB, "storage_failed")
        assert not list((tmp_path / "here/media").rglob("*.png"))

    run(tmp_path, act)


def test_a_host_with_another_version_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker_host, "VERSION", "0.0.9")

    async def act(studio: Studio, hosts: LocalHosts, cluster: Cluster) -> None:
        studio.process.start()
        await studio.until(lambda: "0.0.9" in cluster.hosts([])[0].waits_for)
        assert not FakeLink.made

    run(tmp_path, act)


def test_without_ray_there_is_no_cluster(tmp_path: Path):
    assert join(ServerSettings(data=tmp_path), DataFolder(tmp_path)) is None


def test_a_server_without_the_extra_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "backend.cluster.ray_hosts", raising=False)
    with pytest.raises(BadInput, match="not installed") as refused:
        join(ServerSettings(data=tmp_path, ray="auto"), DataFolder(tmp_path))
    assert "orrery[cluster]" in refused.value.hint


@pytest.mark.parametrize("told", [{"device": "cuda:1"}, {"guardrail_url": "http://127.0.0.1:7861"}])
def test_what_does_not_go_with_a_cluster_is_refused_by_name(tmp_path: Path, told: dict[str, Any]):
    with pytest.raises(BadInput, match="with --ray") as refused:
        join(ServerSettings(data=tmp_path, ray="auto", **told), DataFolder(tmp_path))
    assert refused.value.param == next(iter(told))
