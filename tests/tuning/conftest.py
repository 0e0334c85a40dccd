"""speck, a small data set of captioned videos, and trainings of it in this process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from backend.media import write_clip
from engine.speck import build_speck
from studio.tuning import GeneratorRecipe, Lora, Optimisation, TuningEvent, TuningWork
from tuning.commands import Commands
from tuning.training import run

NUM_FRAMES = 9
CAPTION = {"temporal_caption": "A square moves to the right.", "fps": 10, "duration": "1s"}


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


def moving_square(num_frames: int, seed: int, size: tuple[int, int] = (96, 96)) -> np.ndarray:
    """uint8 [T, height, width, 3]."""
    dice = np.random.default_rng(seed)
    frames = np.full((num_frames, size[1], size[0], 3), dice.integers(0, 255, 3), np.uint8)
    colour = dice.integers(0, 255, 3)
    for index in range(num_frames):
        frames[index, 30:60, 4 * index : 4 * index + 30] = colour
    return frames


def line_of(path: str, num_frames: int, **window: Any) -> dict[str, Any]:
    """A line of the JSONL as `orrery captions-to-jsonl` writes it."""
    own = {"start_frame": 0, "end_frame": num_frames - 1, "temporal_interval": 1, "caption_json": CAPTION}
    return {
        "uuid": path,
        "duration": num_frames / 10,
        "width": 96,
        "height": 96,
        "vision_path": path,
        "t2w_windows": [own | window],
    }


def write_lines(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / "video_dataset_file.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


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


def recipe_of(**changes: Any) -> GeneratorRecipe:
    """A short training of an adapter; keywords of the recipe or of its optimisation change it."""
    how = {"steps": 4, "batch_size": 2, "learning_rate": 0.01, "warmup_steps": 2, "save_every": 2}
    how |= {name: changes.pop(name) for name in list(changes) if name in Optimisation.model_fields}
    fields: dict[str, Any] = {
        "name": "squares",
        "checkpoint": "speck",
        "data": "squares",
        "num_frames": NUM_FRAMES,
        "min_window_frames": NUM_FRAMES,
        "lora": Lora(rank=4),
        "optimisation": how,
    }
    return GeneratorRecipe.model_validate(fields | changes)


Train = Callable[..., list[TuningEvent]]


@pytest.fixture
def train(speck: Path, clips: Path, tmp_path: Path) -> Train:
    """Train in this process; returns what was told. `says` is what the server says, word by word."""

    def train(
        recipe: GeneratorRecipe, out: str = "out", *, only_checks: bool = False, on: Callable[[TuningEvent], None] | None = None
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
        run(work, tell, Commands(_Endless()))
        return told

    return train


class _Endless:
    """An input on which nothing is said."""

    def __iter__(self) -> Iterator[str]:
        import threading

        threading.Event().wait()
        yield ""
