"""How a result's frames, edges and blur agree with a reference's, in decoder processes.

Edge F1 and blur SSIM are those of PAIBench-C (Zhou et al., PAI-Bench, arXiv 2512.01989; SHI-Labs/physical-ai-bench,
`conditional_generation/`): the control is extracted again from result and reference, at most from 121 frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from backend.comparisons.likeness import psnr_db, ssim
from backend.media import compute_control, read_sound
from backend.media.alignment import aligned
from backend.media.apart import draw_apart, stream_apart
from studio.evaluation.onsets import onsets
from studio.requests.transfer_video import Strength

MAX_CONTROL_FRAMES = 121
"""As in PAIBench-C (`compute_metrics.py`, `max_frames`)."""

SOUND_RATE = 48_000

WINDOW_PX = 7
"""Side of the window in which scikit-image's `structural_similarity` takes means unless it is told otherwise."""

Frame = NDArray[np.uint8]


class EdgeCounts(NamedTuple):
    """Pixels of one frame that are edges in both, in the result alone, and in the reference alone."""

    both: int
    result: int
    reference: int


@stream_apart
def frame_likeness(path: Path, against: Path) -> Iterator[tuple[float, float]]:
    """PSNR in dB and SSIM of each pair of `aligned`. Raises as it does."""
    for one, other in aligned(path, against):
        yield psnr_db(one, other), ssim(one, other)


@stream_apart
def edge_counts(path: Path, against: Path, strength: Strength, *, is_control: bool) -> Iterator[EdgeCounts]:
    """Edges of each pair of `aligned`. Raises as it does.

    Args:
        path: the result.
        against: a video whose edges are to be found in it, or a control that shows edges already.
        strength: of Canny's thresholds.
        is_control: which of them.
    """
    for one, other in aligned(path, against, MAX_CONTROL_FRAMES):
        found = compute_control(one, "edge", strength)[..., 0] > 0
        wanted = other.max(axis=2) > 127 if is_control else compute_control(other, "edge", strength)[..., 0] > 0
        yield EdgeCounts(int((found & wanted).sum()), int((found & ~wanted).sum()), int((wanted & ~found).sum()))


@stream_apart
def blur_likeness(path: Path, against: Path, strength: Strength, *, is_control: bool) -> Iterator[float]:
    """SSIM of each pair of `aligned` after both were blurred; a control is blurred already. Raises as `aligned`."""
    for one, other in aligned(path, against, MAX_CONTROL_FRAMES):
        blurred = compute_control(one, "blur", strength)
        yield channel_ssim(blurred, other if is_control else compute_control(other, "blur", strength))


@draw_apart
def heard_onsets(path: Path) -> list[float]:
    """Seconds of the onsets in a video's sound. Raises BadInput where it has none."""
    return onsets(read_sound(path, SOUND_RATE), SOUND_RATE)


def pooled_f1(counts: list[EdgeCounts]) -> float:
    """F1 of all frames' edges together: 2 · both / (2 · both + result alone + reference alone); 0 without any."""
    both, alone = sum(each.both for each in counts), sum(each.result + each.reference for each in counts)
    return 2 * both / (2 * both + alone) if both else 0.0


def channel_ssim(made: Frame, wanted: Frame) -> float:
    """Mean over channels and pixels of SSIM in uniform windows, -1 to 1, of two uint8 [h, w, 3].

    As PAIBench-C has it from scikit-image (`structural_similarity(wanted, made, full=True, channel_axis=2)`): windows
    of 7 pixels, sample covariances, a data range that is the wanted frame's own, borders mirrored and counted.
    """
    data_range = max(1.0, float(wanted.max()) - float(wanted.min()))
    c1, c2 = (0.01 * data_range) ** 2, (0.03 * data_range) ** 2
    x, y = wanted.astype(np.float64), made.astype(np.float64)
    sample = WINDOW_PX**2 / (WINDOW_PX**2 - 1)
    mean_x, mean_y = _mean(x), _mean(y)
    variances = sample * (_mean(x * x) - mean_x**2 + _mean(y * y) - mean_y**2)
    covariance = sample * (_mean(x * y) - mean_x * mean_y)
    top = (2 * mean_x * mean_y + c1) * (2 * covariance + c2)
    return float(np.mean(top / ((mean_x**2 + mean_y**2 + c1) * (variances + c2))))


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(cv2.blur(values, (WINDOW_PX, WINDOW_PX), borderType=cv2.BORDER_REFLECT), np.float64)
