"""What training a reasoner does to a fixed image: two ordinary jobs, and how alike what they made is."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.tuning.drifting import DriftMeasuring
from studio.tuning.presets import RECIPE
from studio.tuning.tunings import Tuning, TuningProgress, TuningSave

REASONER = {"task": "reasoner", "data": [{"data": "av"}], "lora": None}


class Jobs:
    """Every job makes a picture, of a save one that is 10 of 255 brighter."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: dict[str, Mapping[str, Any]] = {}

    async def succeeded(self, job_id: str, payload: Mapping[str, Any], **_: Any) -> Any:
        self.asked[job_id] = payload
        light = 110 if "@" in payload["checkpoint"] else 100
        Image.fromarray(np.full((32, 32, 3), light, np.uint8)).save(self.file(f"{job_id}-0"))
        return SimpleNamespace(results=[SimpleNamespace(id=f"{job_id}-0")])

    def file(self, media_id: str) -> Path:
        return self.folder / f"{media_id}.png"

    def measure(self, tuning: Tuning, save: TuningSave) -> TuningSave:
        own: Any = self
        return asyncio.run(DriftMeasuring(own, own).measure(tuning, save))


def tuning_of(recipe: dict[str, Any]) -> Tuning:
    return Tuning(
        id="4e7a00c3d2b1",
        recipe=RECIPE.validate_python({"name": "say", "checkpoint": "pocket", **recipe}),
        checkpoint_title="Pocket",
        version="0",
        state="running",
        created_at=datetime.now(UTC),
        progress=TuningProgress(state="running"),
    )


def save_at(step: int, makes: str) -> TuningSave:
    made = {"makes": makes, "size_bytes": 1, "created_at": datetime.now(UTC)}
    return TuningSave.model_validate({"step": step, "name": f"say@{step}", **made})


def test_the_image_of_each_save_is_held_against_that_of_the_untuned_checkpoint(tmp_path: Path):
    jobs = Jobs(tmp_path)
    first, second = (jobs.measure(tuning_of(REASONER), save_at(step, "checkpoint")).drift for step in (10, 20))

    assert first is not None
    assert second is not None
    # 10 log10(255^2 / 10^2)
    assert first.psnr_db == pytest.approx(28.13, abs=0.01)
    assert first.before == second.before != second.after != first.after
    assert [asked["checkpoint"] for asked in jobs.asked.values()] == ["pocket", "say@10", "say@20"]
    assert len({(asked["prompt"], asked["sampling"]["seed"]) for asked in jobs.asked.values()}) == 1


@pytest.mark.parametrize(
    ("recipe", "makes"),
    [
        ({**REASONER, "lora": {"rank": 4}}, "adapter"),
        ({"task": "generator", "data": "cups", "lora": None}, "checkpoint"),
    ],
)
def test_what_leaves_the_reasoner_as_it_was_for_images_is_not_measured(
    tmp_path: Path, recipe: dict[str, Any], makes: str
):
    jobs = Jobs(tmp_path)
    assert jobs.measure(tuning_of(recipe), save_at(10, makes)).drift is None
    assert jobs.asked == {}
