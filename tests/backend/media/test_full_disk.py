"""A disk that becomes full while a file is written: it is said, nothing half-written is kept, and work goes on."""

import asyncio
import errno
import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from fastapi import FastAPI, UploadFile
from numpy.typing import NDArray
from PIL import Image

from backend import errors
from backend.checkpoints.adapters import AdapterFolder
from backend.media import ControlOrigin, MediaStore, scratch
from backend.media.clip_frames import read_frame
from backend.media.clip_writer import write_clip
from backend.messages import JobFailed, JobFinished, LoadCheckpoint, RunJob
from backend.worker.loop import Worker
from engine_fakes import FakeEngine, FakeServerPipe, Over
from room_on_disk import room_for
from studio.errors import DiskFull
from studio.media import MediaReference
from studio.requests import GenerateImage, RunPolicy, parse_request

JOB, NEXT = "0123456789ab", "0123456789ac"
CUBE = GenerateImage.model_validate({"prompt": "a red cube"})
NOISE = np.random.default_rng(0).integers(0, 255, (9, 48, 64, 3), dtype=np.uint8)
SOUND = np.random.default_rng(1).normal(0, 0.1, (2, 18_000)).astype(np.float32)
POLICY = RunPolicy.model_validate(
    {
        "prompt": "lift the cube",
        "embodiment": "droid_joint_position",
        "start_image": "u0123456789abcdef",
        "state": [0.0] * 8,
        "num_actions": 128,
    }
)
ORIGIN = ControlOrigin(
    hint="edge",
    strength="low",
    source_video="u0123456789abcdef",
    source_size=(64, 48),
    resolution="256",
    aspect_ratio="4:3",
)
ROWS = np.random.default_rng(2).normal(size=(125, 8)).astype(np.float32)
"""4000 bytes, and 128 of a header: the last of them wait in the C library's buffer of 4096 until the file is closed."""


@pytest.fixture(autouse=True)
def too_large_is_full(monkeypatch: pytest.MonkeyPatch):
    """What `room_for` refuses."""
    for module in (scratch, errors):
        monkeypatch.setattr(module, "FULL", (*module.FULL, errno.EFBIG))


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def open_files() -> set[tuple[str, str]]:
    """What this process has open: number and place."""
    found: set[tuple[str, str]] = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # of this very listing
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


def png() -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(NOISE[0]).save(buffer, "PNG")
    return buffer.getvalue()


PUTS: dict[str, Callable[[MediaStore], Any]] = {
    "picture": lambda store: store.put_image(JOB, 0, NOISE[0], CUBE, "speck"),
    "clip": lambda store: store.put_clip(JOB, 0, NOISE, CUBE, "speck", fps=24),
    "clip with sound": lambda store: store.put_clip(JOB, 0, NOISE, CUBE, "speck", fps=24, sound=SOUND),
    "actions": lambda store: store.put_actions(JOB, 0, ROWS, POLICY, "speck"),
    "latents": lambda store: store.put_latents(JOB, 0, {"vision": NOISE}),
    "spritesheet": lambda store: store.put_sheet(f"{JOB}-0", Image.fromarray(NOISE[0])),
    "upload": lambda store: store.put_upload(io.BytesIO(png())),
    "control": lambda store: store.put_control(NOISE, fps=24, origin=ORIGIN),
}


@pytest.mark.parametrize("put", PUTS.values(), ids=PUTS.keys())
def test_what_does_not_fit_to_its_last_byte_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Callable[[MediaStore], Any]
):
    # The text of the actions is the longer file, and would not fit before the array does not.
    monkeypatch.setattr("backend.media.store.actions_text", lambda *_: "{}")
    roomy, tight = tmp_path / "roomy", tmp_path / "tight"
    put(MediaStore(roomy))
    made = {path.relative_to(roomy): path.read_bytes() for path in files(roomy)}
    longest = max(map(len, made.values()))
    open_before = open_files()

    for limit in (0, 1, longest // 4, longest // 2, longest - 700, longest - 1):
        with room_for(limit), pytest.raises(DiskFull, match=r"did not fit into .*, where .* are free"):
            put(MediaStore(tight))
        assert not files(tight), limit

    assert open_files() <= open_before  # others of this process may have been closed meanwhile
    with room_for(longest):
        put(MediaStore(tight))
    assert {path.relative_to(tight): path.read_bytes() for path in files(tight)} == made


def test_a_clip_ends_as_soon_as_the_disk_is_full(tmp_path: Path):
    given = 0

    def frames() -> Iterator[NDArray[np.uint8]]:
        nonlocal given
        for _ in range(50):
            given += 1
            yield NOISE

    with room_for(200_000), pytest.raises(DiskFull):
        MediaStore(tmp_path).put_clip(JOB, 0, frames(), CUBE, "speck", fps=24)

    assert 1 < given < 50
    assert not files(tmp_path)


def test_what_was_there_before_stays_as_it_was(tmp_path: Path):
    store = MediaStore(tmp_path)
    uploaded = store.put_upload(io.BytesIO(png()))
    kept = {path: path.read_bytes() for path in files(tmp_path)}

    with room_for(1000), pytest.raises(DiskFull):
        store.put_upload(io.BytesIO(png()))

    assert {path: path.read_bytes() for path in files(tmp_path)} == kept
    assert store.facts(uploaded.id).width == NOISE.shape[2]


def test_the_error_says_what_was_needed_and_what_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=7_000_000))

    with room_for(2_500_000), pytest.raises(DiskFull) as known:
        MediaStore(tmp_path / "media").frame_array((10, 1000, 1000, 3), on_disk=True)
    with room_for(1000), pytest.raises(DiskFull) as unknown:
        MediaStore(tmp_path / "media").put_latents(JOB, 0, {"vision": NOISE})

    place = tmp_path / "media"
    assert known.value.message == f"The disk is full: 30.0 MB did not fit into {place}, where 7.0 MB are free."
    # What was written of it goes, and is free again.
    assert unknown.value.message == f"The disk is full: more than 1 kB did not fit into {place}, where 7.0 MB are free."
    assert "trash" in unknown.value.hint


def test_a_clip_that_was_written_is_whole(tmp_path: Path):
    """The trial for room leaves no trace in a short file."""
    path = tmp_path / "short.mp4"

    write_clip(path, NOISE[:1] * 0, fps=24)

    assert path.stat().st_size < 4096
    assert read_frame(path, 0).shape == NOISE.shape[1:]


def test_a_worker_whose_result_does_not_fit_fails_the_job_and_makes_the_next(tmp_path: Path):
    request = parse_request({"kind": "generate_image", "prompt": "x", "sampling": {"num_inference_steps": 1}})
    pipe: FakeServerPipe
    limits = room_for(50)

    def fill() -> list[RunJob]:
        limits.__enter__()
        return [RunJob(JOB, request, previewed=False)]

    def make_room() -> list[RunJob]:
        if not pipe.of(JobFailed):
            return []
        limits.__exit__(None, None, None)
        assert not files(tmp_path)
        return [RunJob(NEXT, request, previewed=False)]

    pipe = FakeServerPipe([LoadCheckpoint(Path("nowhere"), build=False, device="auto")], fill, *[[]] * 5, make_room)
    load: Any = FakeEngine().load
    worker = Worker(pipe, MediaStore(tmp_path), AdapterFolder(tmp_path), "speck", load)  # type: ignore[arg-type]
    with pytest.raises(Over):
        worker.run()

    assert [(report.job_id, report.failure.code) for report in pipe.of(JobFailed)] == [(JOB, "disk_full")]
    made: tuple[MediaReference, ...] = pipe.of(JobFinished)[0].results
    assert {path.name for path in files(tmp_path)} == {f"{NEXT}-0.png", f"{NEXT}-0.webp"}
    assert made[0].id == f"{NEXT}-0"


@pytest.mark.parametrize("reads_by_itself", [False, True])
def test_a_form_that_does_not_fit_where_it_is_put_down_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads_by_itself: bool
):
    app = FastAPI()
    errors.register(app)

    if reads_by_itself:

        @app.post("/")
        async def read(request: errors.Request) -> None:
            await request.form()
    else:

        @app.post("/")
        async def take(file: UploadFile) -> None:
            """The framework reads it."""

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:
            return await client.post("/", files={"file": ("x", bytes(2 * 2**20))})

    with room_for(1000):
        answer = asyncio.run(send())

    assert answer.status_code == 507
    assert answer.json()["error"]["code"] == "disk_full"
