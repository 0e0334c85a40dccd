"""How two videos agree in depth and in objects.

Both formulas are those of PAIBench-C (Zhou et al., PAI-Bench, arXiv 2512.01989; SHI-Labs/physical-ai-bench,
`conditional_generation/benchmark_pipelines/scores/transfer_bench`). Its figures come from other models, Video Depth
Anything in metres and SAM 2 behind Grounding DINO, so that they are not to be compared with those found here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.evaluation.assignment import assign

MAX_RESIDUAL = 10.0
"""`per_pixel_error_cap` of `compute_depth_error_video_sirmse`."""

MIN_IOU = 0.1
"""`threshold` of `calculate_mask_iou_and_recall`: from there on an object counts as found."""


class MaskLikeness(NamedTuple):
    """How the objects of a result agree with a reference's.

    Attributes:
        iou: mean over the objects that were found, 0 to 1.
        recall: objects that were found among the reference's, 0 to 1.
    """

    iou: float
    recall: float


def si_rmse(depth: NDArray[np.float32], wanted: NDArray[np.float32]) -> float:
    """Scale-invariant RMSE of one frame, in the units of `wanted`.

    After Li and Snavely (MegaDepth, CVPR 2018, equation 2), with the medians as the scale: over the pixels where both
    are above 0, √mean((w − d · median(w) / median(d))²), differences no larger than 10. Depths [1, 2, 3] against
    [2, 4, 9] are scaled to [2, 4, 6]: √((0 + 0 + 9) / 3) = √3.

    Args:
        depth, wanted: float32 [height, width].

    Returns:
        0 where no pixel counts.
    """
    counted = (depth > 0) & (wanted > 0)
    if not counted.any():
        return 0.0
    found, true = depth[counted].astype(np.float64), wanted[counted].astype(np.float64)
    residual = true - found * (np.median(true) / np.median(found))
    return float(np.sqrt(np.mean(np.clip(residual, -MAX_RESIDUAL, MAX_RESIDUAL) ** 2)))


class MaskOverlaps:
    """Pixels that the objects of two videos share, added up frame by frame.

    Objects are paired one to one such that the sum of their IoU over all frames is largest; pairs above 0.1 are hits.
    Of two objects of 2 pixels each in the reference, one is found with 1 of its pixels and nothing else, IoU 1/2, and
    the other is missed: the mean IoU stays 1/2, the recall is 1/2. PAIBench-C divides the hits by the pairs, which an
    object that has no partner left does not lower.

    Args:
        num_found, num_wanted: objects of the result and of the reference.
    """

    def __init__(self, num_found: int, num_wanted: int) -> None:
        self._both = np.zeros((num_wanted, num_found))
        self._found, self._wanted = np.zeros(num_found), np.zeros(num_wanted)

    def add(self, found: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> None:
        """The next frame: bool [N, height, width] of the result, bool [M, height, width] of the reference."""
        height, width = wanted.shape[1:]
        one, other = (masks.reshape(len(masks), height * width).astype(np.float32) for masks in (wanted, found))
        self._both += one @ other.T
        self._found += other.sum(axis=1)
        self._wanted += one.sum(axis=1)

    @property
    def likeness(self) -> MaskLikeness:
        """So far."""
        union = self._wanted[:, None] + self._found[None, :] - self._both
        iou = np.divide(self._both, union, out=np.zeros_like(self._both), where=union > 0)
        paired = [float(iou[pair]) for pair in assign(iou)] if iou.size else []
        hits = [value for value in paired if value > MIN_IOU]
        num_wanted = int((self._wanted > 0).sum())
        return MaskLikeness(float(np.mean(hits)) if hits else 0.0, len(hits) / num_wanted if num_wanted else 0.0)
