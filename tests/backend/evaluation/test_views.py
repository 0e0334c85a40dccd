"""Depth and masks as metrics of what was made: asked of whoever looks, noted where a model is missing."""

import asyncio
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from backend.evaluation import ResultMeasuring
from backend.media import MediaStore
from backend.messages import CompareViews
from studio.errors import CheckpointNotFound
from studio.evaluation import Benchmark
from studio.evaluation.generations import Figures, GenerationResult
from studio.requests import parse_request

FOUND = {"depth_si_rmse": 0.25, "mask_miou": 0.75, "mask_recall": 0.5}
BY_HINT = {"depth": ("depth_si_rmse",), "seg": ("mask_miou", "mask_recall")}


class Sight:
    """Answers `FOUND`; without a model says so."""

    def __init__(self) -> None:
        self.asked: list[CompareViews] = []
        self.pulled = True

    async def see(self, work: CompareViews) -> dict[str, float]:
        self.asked.append(work)
        if not self.pulled:
            raise CheckpointNotFound("It is not on this machine.", hint="Download it.")
        return {name: FOUND[name] for name in BY_HINT[work.hint]}


@pytest.fixture
def store(tmp_path: Path) -> MediaStore:
    return MediaStore(tmp_path)


@pytest.fixture
def video(store: MediaStore, make_clip: Callable[..., bytes]) -> str:
    return store.put_upload(io.BytesIO(make_clip(5, 64, 48, 12))).id


def measured(store: MediaStore, sight: Sight, video: str, known: Figures | None = None, **request: Any) -> Any:
    asked = {"kind": "transfer_video", "prompt": "x", "controls": [{"hint": "depth"}, {"hint": "seg"}], **request}
    item = {"id": "one", "request": asked, "media": [video]}
    benchmark = Benchmark.model_validate({"name": "made", "form": "generation", "items": [item]})
    result = GenerationResult(media=(video,), figures=known)
    measuring = ResultMeasuring(store, cast(Any, sight))
    return asyncio.run(measuring.measure(benchmark, benchmark.items[0], parse_request(asked), result))


def test_depth_and_masks_are_compared_with_the_source(store: MediaStore, video: str):
    sight = Sight()
    figures = measured(store, sight, video, source_video=video)
    assert figures.values == FOUND
    assert [(each.hint, each.path, each.against) for each in sight.asked] == [
        (hint, store.file(video), store.file(video)) for hint in ("depth", "seg")
    ]
    assert measured(store, sight, video, figures, source_video=video) is None


def test_a_missing_model_is_noted_and_asked_again_once_it_is_there(store: MediaStore, video: str):
    sight = Sight()
    sight.pulled = False
    noted = measured(store, sight, video, source_video=video)
    assert noted.values == {}
    assert noted.notes == dict.fromkeys(FOUND, "It is not on this machine. Download it.")
    sight.pulled = True
    found = noted.with_these(measured(store, sight, video, noted, source_video=video))
    assert (found.values, found.notes) == (FOUND, {})


def test_painted_controls_alone_are_not_compared(store: MediaStore, video: str):
    sight = Sight()
    controls = [{"hint": "depth", "video": video}]
    assert measured(store, sight, video, controls=controls) is None
    assert sight.asked == []
