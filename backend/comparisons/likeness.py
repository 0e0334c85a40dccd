"""How like its reference a result is, and how well it follows its controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from backend.media import MediaFacts, MediaStore, compute_control, frame_rate, inspect_upload, read_timeline
from backend.media.alignment import aligned, first_frames
from studio.comparisons import Likeness
from studio.errors import BadInput, MediaNotFound
from studio.library import LibraryItem
from studio.requests import KINDS, Request, TransferVideo
from studio.requests.transfer_video import FilteredHint, Strength

Frame = NDArray[np.uint8]

EQUAL_DB = 100.0
"""Of two pictures that are the same: there is no noise to divide by."""

SSIM_WINDOW, SSIM_SIGMA = (11, 11), 1.5
SSIM_C1, SSIM_C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
"""Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment (2004), section III.C."""


@dataclass(frozen=True)
class Followed:
    """One control of a transfer.

    Attributes:
        clip: the control, where it was given; else it is computed from `source`.
        strength: of its outlines or blur.
    """

    hint: FilteredHint
    clip: Path | None
    source: Path | None
    strength: Strength = "medium"


def likeness(path: Path, against: Path | None, followed: Sequence[Followed] = ()) -> Likeness:
    """Measure one result. Raises BadInput when a file cannot be decoded; of a control that cannot, the note says so."""
    compared = None if against is None else compare(path, against)
    try:
        faithful = [fidelity(path, control) for control in followed]
    except BadInput as error:
        if compared is None:
            raise
        return compared.model_copy(update={"note": error.message})
    found = compared or Likeness()
    return found.model_copy(update={"fidelity": round(float(np.mean(faithful)), 4)}) if faithful else found


def compare(path: Path, against: Path) -> Likeness:
    """What `MEASURES` say, means over the frames of `aligned`. Raises as it does."""
    ours, theirs = inspect_upload(path), inspect_upload(against)
    measured = [[measure(one, other) for measure in MEASURES.values()] for one, other in aligned(path, against)]
    means = (round(float(np.mean(values)), 4) for values in zip(*measured, strict=True))
    return Likeness.of(dict(zip(MEASURES, means, strict=True)), _note(ours, theirs, len(measured)))


def psnr_db(one: Frame, other: Frame) -> float:
    """Peak signal to noise of two uint8 [h, w, 3], in decibels: 10 log10(255² / mean squared error)."""
    error = float(np.mean((one.astype(np.float32) - other.astype(np.float32)) ** 2))
    return EQUAL_DB if error == 0 else min(EQUAL_DB, 10 * math.log10(255**2 / error))


def ssim(one: Frame, other: Frame) -> float:
    """Structural similarity of the luma of two uint8 [h, w, 3], -1 to 1; windows are whole, edges are left out."""
    x, y = (np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY), np.float64) for frame in (one, other))
    if min(x.shape) < SSIM_WINDOW[0]:
        raise BadInput(f"Images of {x.shape[1]}x{x.shape[0]} are too small to measure; the minimum is 11x11.")

    def blurred(values: NDArray[np.float64]) -> NDArray[np.float64]:
        margin = SSIM_WINDOW[0] // 2
        return np.asarray(cv2.GaussianBlur(values, SSIM_WINDOW, SSIM_SIGMA), np.float64)[margin:-margin, margin:-margin]

    mean_x, mean_y = blurred(x), blurred(y)
    variance_x, variance_y = blurred(x * x) - mean_x**2, blurred(y * y) - mean_y**2
    covariance = blurred(x * y) - mean_x * mean_y
    top = (2 * mean_x * mean_y + SSIM_C1) * (2 * covariance + SSIM_C2)
    bottom = (mean_x**2 + mean_y**2 + SSIM_C1) * (variance_x + variance_y + SSIM_C2)
    return float(np.mean(top / bottom))


MEASURES: dict[str, Callable[[Frame, Frame], float]] = {"psnr_db": psnr_db, "ssim": ssim}
"""By the metric's name, what is measured of two frames that belong together, each uint8 [h, w, 3]."""


def fidelity(path: Path, control: Followed) -> float:
    """How well a clip follows one control, 0 to 1: its own outlines or blur against those that it was given."""
    facts = inspect_upload(path)
    size, fps = (facts.width, facts.height), facts.fps or 24.0
    given = control.clip or control.source
    assert given is not None, "a control is given or computed from a source"
    times = min(read_timeline(file).num_frames_at(frame_rate(fps)) for file in (path, given))
    scores: list[float] = []
    for made, asked in zip(first_frames(path, size, fps, times), first_frames(given, size, fps, times), strict=True):
        follows = compute_control(made, control.hint, control.strength)
        wanted = asked if control.clip else compute_control(asked, control.hint, control.strength)
        scores.append(outline_f1(follows, wanted) if control.hint == "edge" else max(0.0, ssim(follows, wanted)))
    return float(np.mean(scores))


def outline_f1(made: Frame, wanted: Frame) -> float:
    """Of two pictures of outlines: the harmonic mean of what was drawn rightly and what was found, within a pixel."""
    one, other = (frame.max(axis=2) > 127 for frame in (made, wanted))
    if not one.any() or not other.any():
        return float(one.any() == other.any())
    kernel = np.ones((3, 3), np.uint8)
    near_one, near_other = (np.asarray(cv2.dilate(mask.astype(np.uint8), kernel)) > 0 for mask in (one, other))
    precision, recall = float(near_other[one].mean()), float(near_one[other].mean())
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def _note(ours: MediaFacts, theirs: MediaFacts, num_frames: int) -> str:
    """`17 frames at 12 fps; resized from 256×256`: what was done to measure at all."""
    said: list[str] = []
    if ours.type == "video" and (ours.num_frames, ours.fps) != (theirs.num_frames, theirs.fps):
        rate = min(ours.fps or 24.0, theirs.fps or 24.0)
        said.append(f"aligned by time: {num_frames} frames at {rate:g} fps")
    elif ours.type == "video" and num_frames < (ours.num_frames or 0):
        said.append(f"the first {num_frames} frames")
    if (ours.width, ours.height) != (theirs.width, theirs.height):
        said.append(f"fitted from {ours.width}×{ours.height}")
    return "; ".join(said)


TRUTH_GONE = "not measured: the file of the ground truth was deleted"
FOLLOWED_GONE = "control not measured: the file of a control video was deleted"


def follows(kind: str) -> bool:
    """Whether results of a kind follow controls."""
    return kind in KINDS and "controls.video" in KINDS[kind].takes


def followed_by(request: Request | None, store: MediaStore) -> tuple[Followed, ...]:
    """Controls that can be computed of a transfer's result too; depth and what is segmented cannot.

    Raises:
        MediaNotFound: the file of one is gone.
    """
    if not isinstance(request, TransferVideo):
        return ()
    return tuple(
        Followed(
            control.hint,
            store.file(control.video) if control.video else None,
            store.file(request.source_video) if request.source_video and not control.video else None,
            control.strength or "medium",
        )
        for control in request.controls
        if control.hint in ("edge", "blur")
    )


def explained(found: Likeness | None, truth: LibraryItem | None) -> Likeness | None:
    """What was measured against a ground truth, or that there is none any more; null is not measured yet."""
    return Likeness(note=TRUTH_GONE) if found is None and (truth is None or truth.missing) else found


def explained_control(found: Likeness | None, request: Request | None, store: MediaStore) -> Likeness | None:
    """What was measured, with why it is not said how well the result follows its controls."""
    if found is not None and found.has("controls"):
        return found
    try:
        followed_by(request, store)
    except MediaNotFound:
        found = found or Likeness()
        return found.model_copy(update={"note": "; ".join(filter(None, (found.note, FOLLOWED_GONE)))})
    return found
