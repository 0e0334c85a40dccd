"""How like its reference a result is: the textbook's numbers, on pictures and on clips that do not fit each other."""

import asyncio
import io
import math
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import cv2
import numpy as np
import pytest
from PIL import Image

from backend.comparisons.likeness import (
    EQUAL_DB,
    Followed,
    compare,
    explained,
    explained_control,
    fidelity,
    followed_by,
    outline_f1,
    psnr_db,
    ssim,
)
from backend.comparisons.measuring import Measuring
from backend.comparisons.service import ComparisonService
from backend.media import MediaStore, compute_control, write_clip
from studio.comparisons import Cell, Column, Likeness
from studio.errors import BadInput
from studio.library import LibraryItem
from studio.requests import TransferVideo

NOW = datetime(2026, 1, 2, tzinfo=UTC)
RANDOM = np.random.default_rng(0)


def moving(num_frames: int, width: int = 64, height: int = 48, speed: float = 1) -> list[np.ndarray]:
    """A bright square that moves to the right, `speed` pixels a frame."""
    frames = np.full((num_frames, height, width, 3), 40, np.uint8)
    for index, frame in enumerate(frames):
        left = round(4 + speed * index)
        frame[12:36, left : left + 24] = (200, 120, 60)
    return list(frames)


def clip(path: Path, frames: list[np.ndarray], fps: float = 12) -> Path:
    write_clip(path, frames, fps=fps)
    return path


def test_psnr_is_that_of_the_mean_squared_error():
    dark = np.zeros((16, 16, 3), np.uint8)
    assert psnr_db(dark, dark) == EQUAL_DB
    assert psnr_db(dark, dark + 10) == pytest.approx(10 * math.log10(255**2 / 100))


def test_ssim_is_one_of_the_same_symmetric_and_falls_with_noise():
    picture = cv2.GaussianBlur(RANDOM.integers(0, 256, (64, 64, 3), np.uint8), (9, 9), 3)
    noisy = np.clip(picture + RANDOM.normal(0, 25, picture.shape), 0, 255).astype(np.uint8)
    assert ssim(picture, picture) == pytest.approx(1)
    assert ssim(picture, noisy) == pytest.approx(ssim(noisy, picture))
    assert ssim(picture, noisy) < 0.8


def test_of_two_flat_pictures_ssim_compares_brightness_alone():
    low, high = np.full((32, 32, 3), 100, np.uint8), np.full((32, 32, 3), 150, np.uint8)
    constant = (0.01 * 255) ** 2
    assert ssim(low, high) == pytest.approx((2 * 100 * 150 + constant) / (100**2 + 150**2 + constant))


def test_clips_of_other_rates_and_lengths_are_aligned_by_time_and_that_is_said(tmp_path: Path):
    slow = clip(tmp_path / "slow.mp4", moving(12, speed=2), fps=12)
    fast = clip(tmp_path / "fast.mp4", moving(36, speed=1), fps=24)

    found = compare(fast, slow)

    assert found.note == "aligned by time: 12 frames at 12 fps"
    assert found.figure("psnr_db") is not None
    assert found.figure("psnr_db") > 30
    late = clip(tmp_path / "late.mp4", moving(12, speed=0), fps=12)
    assert compare(late, slow).figure("psnr_db") < found.figure("psnr_db") - 5  # type: ignore[operator]


def test_other_sizes_are_fitted_and_a_picture_is_no_clip(tmp_path: Path):
    Image.fromarray(moving(1)[0]).save(tmp_path / "small.png")
    Image.fromarray(moving(1)[0]).resize((128, 96)).save(tmp_path / "large.png")

    assert compare(tmp_path / "large.png", tmp_path / "small.png").note == "fitted from 128×96"
    with pytest.raises(BadInput, match="Cannot measure video against image"):
        compare(clip(tmp_path / "clip.mp4", moving(2)), tmp_path / "small.png")


def test_what_cannot_be_measured_says_why_and_is_not_kept(tmp_path: Path):
    store = MediaStore(tmp_path / "media")
    made, truth = (
        store.put_upload(io.BytesIO(clip(tmp_path / f"{speed}.mp4", moving(3, speed=speed)).read_bytes())).id
        for speed in (1, 2)
    )
    kept: list[object] = []
    grid = SimpleNamespace(
        columns=(Column(label="truth", role="reference"), Column(label="b", role="made")),
        cells=[cell_of(0, truth), cell_of(1, made)],
    )

    async def get(_: str) -> object:
        return grid

    async def write(act: object) -> None:
        kept.append(act)

    service = cast("ComparisonService", SimpleNamespace(get=get, write=write))
    measuring = Measuring(service, store)
    store.file(truth).unlink()
    asyncio.run(measuring.measure("x"))  # it has gone since it was looked at
    assert kept == []
    grid.cells[0] = cell_of(0, truth, missing=True)
    asyncio.run(measuring.measure("x"))
    assert kept == []
    measuring.close()

    note = explained(None, grid.cells[0].item)
    assert note is not None
    assert note.note == "not measured: the file of the ground truth was deleted"
    assert explained(None, grid.cells[1].item) is None
    assert explained(Likeness.of({"psnr_db": 30}), None) == Likeness.of({"psnr_db": 30})


def cell_of(column: int, name: str, *, missing: bool = False) -> Cell:
    said = {"id": name, "job_id": None, "kind": "upload", "type": "video", "mime": "video/mp4", "size_bytes": 1}
    item = LibraryItem.model_validate({**said, "created_at": NOW, "url": f"/v1/media/{name}", "missing": missing})
    return Cell(row=0, column=column, item=item)


def test_a_control_whose_clip_is_gone_is_said_beside_what_was_measured(tmp_path: Path):
    store = MediaStore(tmp_path / "media")
    source = store.put_upload(io.BytesIO(clip(tmp_path / "a.mp4", moving(3)).read_bytes())).id
    asked = {"prompt": "x", "source_video": source, "controls": [{"hint": "edge"}], "num_frames": 5}
    request = TransferVideo.model_validate(asked)

    assert explained_control(None, request, store) is None
    assert [followed.source for followed in followed_by(request, store)] == [store.file(source)]
    store.file(source).unlink()

    found = explained_control(Likeness.of({"psnr_db": 20.0}, "fitted"), request, store)
    assert found is not None
    assert found.note == "fitted; control not measured: the file of a control video was deleted"
    whole = Likeness.of({"fidelity": 0.5})
    assert explained_control(whole, request, store) is whole
    assert explained_control(None, None, store) is None


def test_outlines_count_within_a_pixel():
    wanted = np.zeros((32, 32, 3), np.uint8)
    wanted[:, 10] = 255
    beside, away = np.roll(wanted, 1, axis=1), np.roll(wanted, 6, axis=1)
    assert outline_f1(beside, wanted) == 1
    assert outline_f1(away, wanted) == 0
    assert outline_f1(np.zeros_like(wanted), np.zeros_like(wanted)) == 1
    assert outline_f1(np.zeros_like(wanted), wanted) == 0


def test_a_clip_that_follows_its_outlines_is_more_faithful_than_one_that_does_not(tmp_path: Path):
    frames = moving(6)
    control = clip(tmp_path / "edge.mp4", [compute_control(frame, "edge", "medium") for frame in frames])
    follows = clip(tmp_path / "follows.mp4", frames)
    elsewhere = clip(tmp_path / "elsewhere.mp4", [np.roll(frame, 14, axis=0) for frame in frames])

    given = Followed("edge", control, None)
    assert fidelity(follows, given) > 0.9 > 0.6 > fidelity(elsewhere, given)
    assert fidelity(follows, Followed("edge", None, follows)) == pytest.approx(1)
