from __future__ import annotations

import numpy as np
import pytest

from engine.bench.measuring import NO_DIFFERENCE_DB, psnr_db, ssim


@pytest.fixture
def frames() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (2, 32, 48, 3), dtype=np.uint8)


def test_frames_are_the_same_as_themselves(frames):
    assert psnr_db(frames, frames) == NO_DIFFERENCE_DB
    assert ssim(frames, frames) == pytest.approx(1)


def test_one_level_everywhere_is_48_decibels(frames):
    shifted = np.where(frames < 255, frames + 1, frames - 1).astype(np.uint8)
    assert psnr_db(shifted, frames) == pytest.approx(48.13, abs=0.01)


def test_noise_is_nothing_like_other_noise(frames):
    assert ssim(frames, frames[::-1]) < 0.2
