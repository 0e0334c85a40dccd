"""How results agree with references: against scikit-image, and worked by hand."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from backend.comparisons.likeness import psnr_db, ssim
from backend.evaluation.fidelity import (
    EdgeCounts,
    blur_likeness,
    channel_ssim,
    edge_counts,
    frame_likeness,
    heard_onsets,
    pooled_f1,
)
from backend.media import compute_control, write_clip
from studio.errors import BadInput


def noisy(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture, uint8 [48, 64, 3], and the same with noise."""
    random = np.random.default_rng(seed)
    wanted = cv2.GaussianBlur(random.integers(0, 256, (48, 64, 3), dtype=np.uint8), (9, 9), 3)
    made = np.clip(wanted.astype(int) + random.integers(-12, 13, wanted.shape), 0, 255).astype(np.uint8)
    return made, wanted


def moving(num_frames: int, speed: int = 2) -> list[np.ndarray]:
    frames = np.full((num_frames, 96, 128, 3), 40, np.uint8)
    for index, frame in enumerate(frames):
        left = 8 + speed * index
        frame[24:72, left : left + 48] = (200, 120, 60)
    return list(frames)


def clip(path: Path, frames: list[np.ndarray], **more: object) -> Path:
    write_clip(path, frames, fps=12, **more)  # pyright: ignore[reportArgumentType]
    return path


# scikit-image 0.26: peak_signal_noise_ratio(data_range=255); structural_similarity of the grey pictures with
# gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=255; and that which PAIBench-C calls.
@pytest.mark.parametrize(
    ("seed", "psnr", "gaussian", "by_channel"),
    [
        (0, 30.910839721041196, 0.7751615115255108, 0.5318063246417231),
        (1, 30.941309098539573, 0.7784273984872428, 0.5276419190802554),
    ],
)
def test_psnr_and_both_kinds_of_ssim_are_those_of_scikit_image(
    seed: int, psnr: float, gaussian: float, by_channel: float
):
    made, wanted = noisy(seed)
    assert psnr_db(made, wanted) == pytest.approx(psnr, abs=1e-5)
    assert ssim(made, wanted) == pytest.approx(gaussian, abs=1e-9)
    assert channel_ssim(made, wanted) == pytest.approx(by_channel, abs=1e-9)


def test_edge_f1_is_of_all_frames_together():
    assert pooled_f1([EdgeCounts(3, 1, 0), EdgeCounts(1, 0, 3)]) == pytest.approx(8 / 12)
    assert pooled_f1([EdgeCounts(0, 5, 5)]) == 0


def test_a_video_keeps_its_own_edges_and_blur_and_another_loses_them(tmp_path: Path):
    own, other = clip(tmp_path / "own.mp4", moving(6)), clip(tmp_path / "other.mp4", moving(6, speed=6))
    assert pooled_f1(list(edge_counts(own, own, "medium", is_control=False))) == 1
    assert list(blur_likeness(own, own, "medium", is_control=False)) == pytest.approx([1.0] * 6)
    assert pooled_f1(list(edge_counts(own, other, "medium", is_control=False))) < 0.8
    assert np.mean(list(blur_likeness(own, other, "medium", is_control=False))) < 0.99
    likeness = list(frame_likeness(own, other))
    assert likeness[0][0] > likeness[-1][0]


def test_a_given_control_is_not_extracted_again(tmp_path: Path):
    own = clip(tmp_path / "own.mp4", moving(4))
    edges = [compute_control(frame, "edge", "medium") for frame in moving(4)]
    control = clip(tmp_path / "control.mp4", edges)
    assert pooled_f1(list(edge_counts(own, control, "medium", is_control=True))) > 0.5


def test_onsets_are_heard_in_a_video_and_one_without_sound_is_refused(tmp_path: Path):
    random = np.random.default_rng(0)
    sound = np.zeros((2, 24_000), np.float32)
    sound[:, 12_000:12_200] = 0.5 * random.standard_normal(200)
    struck = clip(tmp_path / "struck.mp4", moving(6), sound=sound)
    assert heard_onsets(struck) == pytest.approx([0.25], abs=0.02)
    with pytest.raises(BadInput, match="no sound"):
        heard_onsets(clip(tmp_path / "silent.mp4", moving(6)))
