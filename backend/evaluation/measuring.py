"""Measuring what was made: one result at a time, in the decoder processes, and each metric once."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.evaluation.fidelity import (
    MAX_CONTROL_FRAMES,
    blur_likeness,
    edge_counts,
    frame_likeness,
    heard_onsets,
    pooled_f1,
)
from backend.media import DECODERS, MediaStore
from backend.messages import CompareViews
from backend.perceiving import PerceptionService
from studio.errors import BadInput, CheckpointNotFound, MediaNotFound
from studio.evaluation import Benchmark, Item
from studio.evaluation.action_figures import POSE_METRICS, is_pose, pose_figures, squared_errors
from studio.evaluation.forms import metrics_of
from studio.evaluation.forms.generation import truth_of
from studio.evaluation.generations import Figures, GenerationResult, GenerationTruth
from studio.evaluation.onsets import matched_f1
from studio.requests import (
    ActionRequest,
    Control,
    GenerateVideo,
    PredictVideo,
    Request,
    RunPolicy,
    TransferVideo,
    made_by,
)
from studio.requests.transfer_video import PerceivedHint

Actions = NDArray[np.float64]

VIEW_METRICS: dict[PerceivedHint, tuple[str, ...]] = {
    "depth": ("depth_si_rmse",),
    "seg": ("mask_miou", "mask_recall"),
}
"""What is measured of a result that follows a control of this type."""


class ResultMeasuring:
    """Measures results. Lives on the event loop's thread."""

    def __init__(self, store: MediaStore, perception: PerceptionService) -> None:
        self._store = store
        self._perception = perception
        self._turn = asyncio.Lock()

    async def measure(
        self, benchmark: Benchmark, item: Item, request: Request, result: GenerationResult
    ) -> Figures | None:
        """What the benchmark's metrics say of a result and is not known yet; none where nothing is missing.

        A file that is gone or cannot be read is noted under the metric, which is not tried again. So is a model that
        was not pulled: that metric is tried again whenever the run goes on.

        Raises:
            StudioError: a model of depth or objects cannot be asked now.
        """
        known = result.figures or Figures()
        measured = _MadeResult(self._store, request, truth_of(item), result)
        wanted = set(metrics_of(benchmark)) - known.looked_at
        missing = {names: act for names, act in measured.measures() if wanted & set(names)}
        unseen = set(metrics_of(benchmark)) - set(known.values)
        views = {names: find for names, find in measured.views() if unseen & set(names)}
        if not missing and not views:
            return None
        found = Figures()
        async with self._turn:  # others that want a decoder get one in between
            for names, act in missing.items():
                found = found.with_these(await DECODERS.beside(partial(_tried, names, act)))
            for names, find in views.items():
                found = found.with_these(await self._compared(names, find))
        return found

    async def _compared(self, names: tuple[str, ...], find: Callable[[], CompareViews]) -> Figures:
        try:
            figures = await self._perception.see(find())
        except (BadInput, MediaNotFound, CheckpointNotFound) as error:
            said = f"{error.message} {error.hint}" if isinstance(error, CheckpointNotFound) else error.message
            return Figures(notes=dict.fromkeys(names, said))
        assert isinstance(figures, Mapping)
        return Figures(values=dict(figures))


def _tried(names: tuple[str, ...], act: Callable[[], Figures]) -> Figures:
    try:
        return act()
    except (BadInput, MediaNotFound) as error:
        return Figures(notes=dict.fromkeys(names, error.message))


@dataclass(frozen=True)
class _MadeResult:
    """A result with its request and its truth."""

    store: MediaStore
    request: Request
    truth: GenerationTruth
    result: GenerationResult

    def measures(self) -> list[tuple[tuple[str, ...], Callable[[], Figures]]]:
        """What can be measured at all: names of metrics, and what measures them."""
        request, truth, makes = self.request, self.truth, made_by(self.request)
        found: list[tuple[tuple[str, ...], Callable[[], Figures]]] = []
        if truth.media is not None and {"image", "video"} & set(makes):
            found.append((("psnr_db", "ssim"), partial(self.frames, truth.media)))
        for control in request.controls if isinstance(request, TransferVideo) else ():
            if control.hint == "edge":
                found.append((("edge_f1",), partial(self.edges, control)))
            elif control.hint == "blur":
                found.append((("blur_ssim",), partial(self.blur, control)))
        if truth.actions is not None and "actions" in makes:
            found.append((("action_mse",), self.actions))
            if isinstance(request, ActionRequest) and is_pose(request.embodiment):
                found.append((POSE_METRICS, self.poses))
        if self.result.round_trip is not None:
            found.append((("round_trip_mse",), self.round_trip))
        if "sound" in makes and (truth.onsets_s is not None or truth.media is not None):
            found.append((("onset_f1",), self.sound))
        return found

    def views(self) -> list[tuple[tuple[str, ...], Callable[[], CompareViews]]]:
        """What a model of depth or objects can measure: names of metrics, and what is compared."""
        request = self.request
        # A control alone that somebody else has painted has no scale, and no list of its objects.
        if not isinstance(request, TransferVideo) or not (self.truth.media or request.source_video):
            return []
        return [
            (VIEW_METRICS[control.hint], partial(self.view, control.hint))
            for control in request.controls
            if control.hint in ("depth", "seg")
        ]

    def view(self, hint: PerceivedHint) -> CompareViews:
        """The result against the reference, or the video that the controls were computed from. Raises MediaNotFound."""
        assert isinstance(self.request, TransferVideo)
        against = self.truth.media or self.request.source_video
        assert against is not None
        return CompareViews(hint, self.picture(), self.store.file(against), MAX_CONTROL_FRAMES)

    def frames(self, against: str) -> Figures:
        """PSNR and SSIM over the frames that were not given, and PSNR of each."""
        path, truth = self.picture(), self.store.file(against)
        measured = list(frame_likeness(path, truth))
        facts, other = self.store.facts(self.result.media[0]), self.store.facts(against)
        if facts.type == "image":
            (psnr, ssim), *_ = measured
            return Figures(values={"psnr_db": psnr, "ssim": ssim})
        own = facts.fps or 24.0
        rate = min(own, other.fps or 24.0)
        compared = measured[math.ceil(num_given_frames(self.request) * rate / own) :]
        if not compared:
            raise BadInput("The reference ends with the frames that were given, so nothing is left to compare.")
        psnrs, ssims = zip(*compared, strict=True)
        return Figures(values={"psnr_db": _mean(psnrs), "ssim": _mean(ssims)}, series={"psnr_db": tuple(psnrs)})

    def edges(self, control: Control) -> Figures:
        """Edge F1, of all frames together."""
        path, against, is_control = self.controlled(control)
        counts = list(edge_counts(path, against, control.strength or "medium", is_control=is_control))
        return Figures(values={"edge_f1": pooled_f1(counts)})

    def blur(self, control: Control) -> Figures:
        """Blur SSIM."""
        path, against, is_control = self.controlled(control)
        values = list(blur_likeness(path, against, control.strength or "medium", is_control=is_control))
        return Figures(values={"blur_ssim": _mean(values)})

    def actions(self) -> Figures:
        """Squared errors against the truth."""
        return squared_errors("action_mse", self.found_actions(), np.asarray(self.truth.actions, np.float64))

    def poses(self) -> Figures:
        """RRE, RTE and ATE."""
        return pose_figures(self.found_actions(), self.truth)

    def round_trip(self) -> Figures:
        """Squared errors of the actions that were estimated from the predicted video."""
        assert isinstance(self.request, PredictVideo)
        assert self.result.round_trip is not None
        given = np.asarray(self.request.actions, np.float64)
        return squared_errors("round_trip_mse", read_actions(self.store.file(self.result.round_trip)), given)

    def sound(self) -> Figures:
        """F1 of the onsets."""
        wanted = self.truth.onsets_s
        if wanted is None:
            assert self.truth.media is not None
            wanted = heard_onsets(self.store.file(self.truth.media))
        return Figures(values={"onset_f1": matched_f1(heard_onsets(self.picture()), wanted)})

    def controlled(self, control: Control) -> tuple[Path, Path, bool]:
        """The result, what its control is extracted from or is, and which of them.

        That is the reference where it is a video, as in PAIBench-C; else what the control was, or was computed from.
        """
        request = self.request
        assert isinstance(request, TransferVideo)
        source = self.truth.media or (None if control.video else request.source_video)
        name = source or control.video
        assert name is not None, "a control is given or computed from a source"
        return self.picture(), self.store.file(name), source is None

    def picture(self) -> Path:
        """The image or video that was made. Raises MediaNotFound."""
        return self.store.file(self.result.media[0])

    def found_actions(self) -> Actions:
        """The actions that were made, float64 [T, C]. Raises MediaNotFound."""
        return read_actions(self.store.file(self.result.media[-1]))


def num_given_frames(request: Request) -> int:
    """Frames at the beginning of a result that the request gave it, which are not predicted.

    Those from the end of a source video are the first of the result too.
    """
    match request:
        case GenerateVideo(source_video=str()):
            return request.num_condition_frames
        case GenerateVideo(start_image=str()) | PredictVideo() | RunPolicy():
            return 1
        case TransferVideo():
            return request.num_source_frames
        case _:
            return 0


def read_actions(path: Path) -> Actions:
    """Rows of a file of actions, float64 [T, C]."""
    return np.asarray(json.loads(path.read_text("ascii"))["actions"], np.float64)


def _mean(values: tuple[float, ...] | list[float]) -> float:
    return float(np.mean(values))
