"""Depth and objects in the worker's loop: a frame a turn, beside jobs, and never without their model."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.checkpoints.adapters import AdapterFolder
from backend.media import ControlOrigin, MediaStore, inspect_upload, stream_clip
from backend.messages import (
    Act,
    Acted,
    CompareViews,
    JobFinished,
    LoadCheckpoint,
    PaintControl,
    PaintFrame,
    Perceive,
    Perceived,
    PerceptionFailed,
    RunJob,
    StopPerceiving,
)
from backend.worker import perceiving
from backend.worker.loop import Worker
from engine_fakes import FakeEngine, FakeServerPipe, Over
from studio.media import MediaReference
from studio.requests import RunPolicy, parse_request

LOAD = LoadCheckpoint(Path("nowhere"), build=False, device="auto")
FRAME = np.full((4, 6, 3), 40, np.uint8)


class Negative:
    """Paints a frame's negative."""

    def paint(self, place: np.ndarray, frame: np.ndarray) -> None:
        place[:] = 255 - frame

    def finish(self, room: np.ndarray) -> None:
        pass


class Brightness:
    """Takes the red of a pixel for its depth."""

    @classmethod
    def load(cls, folder: Path, device: object) -> "Brightness":
        return cls()

    def estimate(self, frame: np.ndarray) -> np.ndarray:
        return frame[..., 0].astype(np.float32)


@pytest.fixture
def pulled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(perceiving, "pulled_painter", lambda hint, engine: Negative())
    monkeypatch.setattr(perceiving, "perception_folder", lambda hint: tmp_path)
    monkeypatch.setattr(perceiving, "DepthModel", Brightness)


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


@pytest.fixture
def work(store: MediaStore, tmp_path: Path) -> Callable[..., FakeServerPipe]:
    """Run a worker over a script until it has nothing left to do."""

    def run(*script: Any) -> FakeServerPipe:
        pipe, engine = FakeServerPipe([LOAD], *script), FakeEngine()
        worker = Worker(pipe, store, AdapterFolder(tmp_path), "speck", engine.load)  # type: ignore[arg-type]
        with pytest.raises(Over):
            worker.run()
        return pipe

    return run


@pytest.mark.usefixtures("pulled")
def test_a_frame_is_painted(work: Callable[..., FakeServerPipe]):
    (seen,) = work([Perceive("a", PaintFrame("depth", FRAME))]).of(Perceived)
    assert np.array_equal(seen.seen, 255 - FRAME)


@pytest.mark.usefixtures("pulled")
def test_a_whole_control_is_kept_with_where_it_came_from(
    work: Callable[..., FakeServerPipe], store: MediaStore, make_clip: Callable[..., bytes]
):
    source = store.put_upload(io.BytesIO(make_clip(5, 64, 48, 12))).id
    origin = ControlOrigin(
        hint="seg",
        strength="medium",
        source_video=source,
        source_size=(64, 48),
        resolution="256",
        aspect_ratio="4:3",
    )
    (seen,) = work([Perceive("a", PaintControl("seg", store.file(source), 5, 12, origin))]).of(Perceived)
    assert isinstance(seen.seen, MediaReference)
    assert inspect_upload(store.file(seen.seen.id)).num_frames == 5


@pytest.mark.usefixtures("pulled")
def test_two_videos_are_compared_frame_by_frame(
    work: Callable[..., FakeServerPipe], store: MediaStore, make_clip: Callable[..., bytes]
):
    source = store.file(store.put_upload(io.BytesIO(make_clip(5, 64, 48, 12))).id)
    (seen,) = work([Perceive("a", CompareViews("depth", source, source, 3))]).of(Perceived)
    assert seen.seen == {"depth_si_rmse": 0.0}
    assert len(list(stream_clip(source, width=64, height=48, fps=12, num_frames=5))) == 5


def test_without_the_model_it_is_said_what_to_pull(work: Callable[..., FakeServerPipe]):
    (failed,) = work([Perceive("a", PaintFrame("depth", FRAME))]).of(PerceptionFailed)
    assert failed.failure.code == "checkpoint_not_found"
    assert "orrery checkpoints pull depth-anything-v2-small" in failed.failure.hint


@pytest.mark.usefixtures("pulled")
def test_what_nobody_waits_for_is_dropped_and_jobs_go_on(work: Callable[..., FakeServerPipe]):
    sampling = {"num_inference_steps": 3, "seed": 1}
    job = RunJob("0123456789ab", parse_request({"kind": "generate_image", "prompt": "x", "sampling": sampling}), False)
    pipe = work([job, Perceive("a", PaintFrame("depth", FRAME)), StopPerceiving("a")])
    assert pipe.of(Perceived) == []


@pytest.mark.usefixtures("pulled")
def test_an_arm_is_answered_first(work: Callable[..., FakeServerPipe]):
    request = parse_request(
        {
            "kind": "run_policy",
            "prompt": "lift it",
            "embodiment": "droid_joint_position",
            "start_image": "u0000000000000000",
            "state": [0.0] * 8,
            "num_actions": 32,
            "sampling": {"num_inference_steps": 2, "seed": 1},
        }
    )
    assert isinstance(request, RunPolicy)
    pipe = work([Perceive("a", PaintFrame("depth", FRAME)), Act("arm", request, np.zeros((540, 640, 3), np.uint8))])
    assert pipe.of(Acted)
    assert pipe.of(Perceived) == []  # the device is kept free until the server says that the arm rests
    assert pipe.of(JobFinished) == []
