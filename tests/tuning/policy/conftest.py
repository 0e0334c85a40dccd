"""Trainings of a policy on small recordings, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.tuning import PolicyRecipe, TuningEvent, TuningWork
from tuning.commands import Commands
from tuning.training import run
from tuning_data import Silence, Train
from tuning_recordings import record


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two episodes of 20 and 24 frames, one that failed, and one that is too short."""
    return record(tmp_path_factory.mktemp("robot") / "recordings", 20, 24, 20, 5, success=[True, None, False])


@pytest.fixture
def train_policy(speck: Path, recordings: Path, tmp_path: Path) -> Train:
    """Train in this process; returns what was told."""

    def train(
        recipe: PolicyRecipe,
        out: str = "out",
        *,
        data: Path = recordings,
        only_checks: bool = False,
        checkpoint: Path = speck,
        on: Callable[[TuningEvent], None] | None = None,
    ) -> list[TuningEvent]:
        told: list[TuningEvent] = []

        def tell(event: TuningEvent) -> None:
            told.append(event)
            if on is not None:
                on(event)

        work = TuningWork(
            recipe=recipe,
            only_checks=only_checks,
            checkpoint=checkpoint,
            data={"recordings": data},
            out=tmp_path / out,
            cache=tmp_path / "cache",
        )
        run(work, tell, Commands(Silence()))
        return told

    return train
