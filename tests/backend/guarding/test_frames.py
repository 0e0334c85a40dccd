"""What was made is looked at before it is written: a face is never a file, and nor is what does not pass."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from backend.checkpoints.adapters import AdapterFolder
from backend.guarding import FrameGuard
from backend.media import MediaStore
from backend.messages import JobFailed, JobFinished, LoadCheckpoint, RunJob
from backend.worker.loop import Worker
from backend.worker.outputs import store_result
from backend.worker.running_job import RunningJob, Sample
from engine_fakes import FakeEngine, FakeServerPipe, FakeTrajectory, Over
from guardrail_fake import BLUR, BROKEN, FACE, UNSAFE, WordReader, guarding
from studio.errors import GuardrailBlocked, GuardrailLost
from studio.requests import parse_request

JOB = "0123456789ab"


def frames(count: int, level: int = 0) -> np.ndarray:
    return np.full((count, 16, 16, 3), level, np.uint8)


@pytest.fixture
def reader() -> WordReader:
    return WordReader()


@pytest.fixture
def url(reader: WordReader) -> Iterator[str]:
    with guarding(reader) as address:
        yield address


def test_frames_go_by_in_order_a_few_at_a_time_and_faces_come_back_blurred(reader: WordReader, url: str):
    seen = FrameGuard(url).begin([frames(1), frames(10), frames(2, FACE)], fps=24.0)

    pieces = list(seen)

    assert reader.looks == [(0, 1, 24.0), (1, 8, 24.0), (9, 2, 24.0), (11, 2, 24.0)]
    assert sum(len(piece) for piece in pieces) == 13
    assert seen.is_changed
    assert (pieces[-1] == BLUR).all()
    assert not pieces[0].any()


def test_what_is_not_safe_or_cannot_be_told_does_not_come_back(url: str):
    with pytest.raises(GuardrailBlocked, match="frame 0 shows it"):
        list(FrameGuard(url).begin([frames(1, UNSAFE)], 0.0))
    with pytest.raises(GuardrailLost):
        list(FrameGuard(url).begin([frames(1, BROKEN)], 0.0))
    with pytest.raises(GuardrailLost, match="no longer running"):
        list(FrameGuard(None).begin([frames(1)], 0.0))
    with guarding(WordReader()) as dead:
        pass
    with pytest.raises(GuardrailLost):
        list(FrameGuard(dead).begin([frames(1)], 0.0))


@pytest.mark.parametrize(
    "query", ["", "count=1", "count=1&height=4&width=-4&first=0&fps=0", "count=1&height=9&width=9"]
)
def test_the_program_answers_frames_that_are_none_in_words(url: str, query: str):
    assert httpx.post(f"{url}/frames?{query}", content=b"x" * 48).status_code == 422


def test_a_program_that_still_loads_lets_no_frame_through():
    with guarding(WordReader(), loaded=False) as url, pytest.raises(GuardrailLost):
        list(FrameGuard(url).begin([frames(1)], 0.0))


def worked(folder: Path, level: int, url: str | None, *, guarded: bool = True) -> FakeServerPipe:
    """A worker's reports after one job for a picture of one level, which somebody looks at."""
    engine = FakeEngine()
    engine.finish = lambda _: SimpleNamespace(frames=iter([frames(1, level)]), actions=None)  # type: ignore[method-assign]
    engine.preview = lambda _: frames(1, level)[0]  # type: ignore[attr-defined]
    request = parse_request(
        {"kind": "generate_image", "prompt": "x", "sampling": {"num_inference_steps": 3, "seed": 1}}
    )
    load = LoadCheckpoint(Path("nowhere"), build=False, device="auto")
    pipe = FakeServerPipe([load], [RunJob(JOB, request, previewed=True, guarded=guarded)])
    worker = Worker(
        pipe,  # type: ignore[arg-type]
        MediaStore(folder),
        AdapterFolder(folder),
        "speck",
        engine.load,  # type: ignore[arg-type]
        FrameGuard(url),
    )
    with pytest.raises(Over):
        worker.run()
    return pipe


@pytest.mark.parametrize(("level", "code"), [(UNSAFE, "guardrail_blocked"), (BROKEN, "guardrail_lost")])
def test_a_job_whose_picture_does_not_pass_fails_and_leaves_nothing(tmp_path: Path, url: str, level: int, code: str):
    pipe = worked(tmp_path, level, url)

    (failed,) = pipe.of(JobFailed)
    assert failed.failure.code == code
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_face_is_blurred_in_the_file_and_never_previewed(tmp_path: Path, url: str):
    pipe = worked(tmp_path, FACE, url)

    (finished,) = pipe.of(JobFinished)
    assert (np.asarray(Image.open(MediaStore(tmp_path).file(finished.results[0].id))) == BLUR).all()
    assert "JobPreviewed" not in {type(report).__name__ for report in pipe.reports}


def test_a_job_that_is_not_guarded_is_seen_by_nobody_and_previewed(tmp_path: Path, reader: WordReader, url: str):
    pipe = worked(tmp_path, FACE, url, guarded=False)

    assert pipe.of(JobFinished)
    assert not reader.looks
    assert "JobPreviewed" in {type(report).__name__ for report in pipe.reports}


@pytest.mark.parametrize(("level", "num_kept"), [(0, 2), (FACE, 1)])
def test_latents_are_kept_only_where_no_face_is_in_them(tmp_path: Path, url: str, level: int, num_kept: int):
    said: dict[str, Any] = {"kind": "generate_video", "prompt": "x", "num_frames": 5, "save_latents": True}
    request = parse_request({**said, "sampling": {"num_inference_steps": 1, "seed": 1}})
    result = SimpleNamespace(sound=None, actions=None, latents={"vision": np.zeros((1, 1), np.float32)})
    seen = FrameGuard(url).begin([frames(5, level)], request.fps)  # type: ignore[union-attr]
    job = RunningJob(JOB, request, previewed=False, guarded=True)
    sample = Sample(0, request, FakeTrajectory(1))  # type: ignore[arg-type]

    kept = store_result(MediaStore(tmp_path), job, sample, result, seen, "speck")  # type: ignore[arg-type]

    assert len(kept) == num_kept
