"""A small data set of captioned videos, and recipes for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from studio.tuning import GeneratorRecipe, Lora, Optimisation, TuningEvent

Train = Callable[..., list[TuningEvent]]
"""Trains in this process; see the fixture."""

NUM_FRAMES = 9
CAPTION = {"temporal_caption": "A square moves to the right.", "fps": 10, "duration": "1s"}


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


class Silence:
    """An input on which nothing is said."""

    def __iter__(self) -> Iterator[str]:
        threading.Event().wait()
        yield ""
