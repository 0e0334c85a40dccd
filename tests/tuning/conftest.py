"""speck, a small data set of captioned videos, and trainings of it in this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from PIL import Image

import presets
from backend.media import write_clip
from engine.speck import build_speck
from studio.tuning import GeneratorRecipe, TuningEvent, TuningWork
from tuning.commands import Commands
from tuning.training import run
from tuning_data import NUM_FRAMES, Silence, Train, line_of, moving_square, write_lines


@pytest.fixture(scope="session", autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "speck"
    build_speck(folder)
    return folder


@pytest.fixture(scope="session")
def made_clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two videos of 9 frames, a wide one of 13, and an image."""
    folder = tmp_path_factory.mktemp("data")
    for index, (count, size) in enumerate([(NUM_FRAMES, (96, 96)), (NUM_FRAMES, (96, 96)), (13, (160, 96))]):
        write_clip(folder / f"{index}.mp4", moving_square(count, index, size), fps=10)
    Image.fromarray(moving_square(1, 9)[0]).save(folder / "still.png")
    lines = [line_of(f"{index}.mp4", count) for index, count in enumerate([NUM_FRAMES, NUM_FRAMES, 13])]
    plain = {"caption_json": None, "caption": "A square."}
    write_lines(folder, [*lines[:2], line_of("2.mp4", 13, **plain), line_of("still.png", 1, end_frame=0)])
    return folder


@pytest.fixture
def clips(made_clips: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made_clips, tmp_path / "data"))


@pytest.fixture
def train(speck: Path, clips: Path, tmp_path: Path) -> Train:
    """Train in this process; returns what was told. `says` is what the server says, word by word."""

    def train(
        recipe: GeneratorRecipe,
        out: str = "out",
        *,
        only_checks: bool = False,
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
            checkpoint=speck,
            data={"squares": clips},
            out=tmp_path / out,
            cache=tmp_path / "cache",
        )
        run(work, tell, Commands(Silence()))
        return told

    return train


@pytest.fixture(scope="session")
def pocket() -> Path:
    """The checkpoint that ships."""
    return Path(presets.__file__).parent / "pocket"
