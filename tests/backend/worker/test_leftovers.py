"""What a worker has written of a job that comes to nothing is gone by the time that it says so."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from backend.checkpoints.adapters import AdapterFolder
from backend.media import MediaStore
from backend.messages import CancelJob, Command, JobCancelled, JobFailed, JobFinished, LoadCheckpoint, RunJob
from backend.worker.loop import Worker
from engine_fakes import FakeEngine, FakeServerPipe, Over
from studio.errors import DiskFull
from studio.requests import parse_request

LOAD = LoadCheckpoint(Path("nowhere"), build=False, device="auto")
JOB, OTHER = "0123456789ab", "0123456789ac"


def run_job(job_id: str, count: int) -> RunJob:
    sampling = {"num_inference_steps": 1, "seed": 1}
    request = parse_request({"kind": "generate_image", "prompt": "x", "count": count, "sampling": sampling})
    return RunJob(job_id, request, previewed=False)


class WatchedLifeline(FakeServerPipe):
    """Notes which results lie in the store when a job's end is told."""

    def __init__(self, folder: Path, *script: Any) -> None:
        super().__init__([LOAD], *script)
        self.folder = folder
        self.left: set[str] = set()

    def report(self, message: Any) -> None:
        super().report(message)
        if isinstance(message, JobCancelled | JobFailed):
            self.left = stored(self.folder)


def stored(folder: Path) -> set[str]:
    return {path.name.partition(".")[0] for path in folder.glob("*/*")}


@pytest.fixture
def work(tmp_path: Path) -> Callable[..., WatchedLifeline]:
    """Run a worker over a script until it has nothing left to do."""

    def run(*script: Any) -> WatchedLifeline:
        pipe, load = WatchedLifeline(tmp_path, *script), FakeEngine().load
        worker = Worker(pipe, MediaStore(tmp_path), AdapterFolder(tmp_path), "speck", load)  # type: ignore[arg-type]
        with pytest.raises(Over):
            worker.run()
        return pipe

    return run


def test_the_results_of_a_cancelled_job_are_removed(tmp_path: Path, work: Callable[..., WatchedLifeline]):
    seen: list[set[str]] = []

    def cancel_when_two_are_made() -> Sequence[Command]:
        seen.append(stored(tmp_path))
        return [CancelJob(JOB)] if f"{JOB}-1" in seen[-1] else []

    pipe = work([run_job(OTHER, 1)], *[[]] * 9, [run_job(JOB, 6)], *[cancel_when_two_are_made] * 30)

    assert {f"{JOB}-0", f"{JOB}-1"} < set().union(*seen)
    assert len(pipe.of(JobCancelled)) == len(pipe.of(JobFinished)) == 1
    assert pipe.left == stored(tmp_path) == {f"{OTHER}-0"}


def test_the_results_of_a_failed_job_are_removed(
    tmp_path: Path, work: Callable[..., WatchedLifeline], monkeypatch: pytest.MonkeyPatch
):
    put_image = MediaStore.put_image

    def put(store: MediaStore, job_id: str, index: int, pixels: NDArray[np.uint8], *rest: Any) -> Any:
        if index == 5:
            assert f"{JOB}-4" in stored(tmp_path)
            raise DiskFull("The disk is full.")
        return put_image(store, job_id, index, pixels, *rest)

    monkeypatch.setattr(MediaStore, "put_image", put)

    pipe = work([run_job(JOB, 6)])

    assert [report.failure.code for report in pipe.of(JobFailed)] == ["disk_full"]
    assert pipe.left == stored(tmp_path) == set()
