"""Trainings by the product's process on a GPU: a continued one is the uninterrupted one to the bit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from PIL import Image

from backend.media import write_clip
from engine.speck import build_speck
from studio.tuning import Lora, Optimisation, ReasonerRecipe, Recipe, TuningWork
from studio.tuning.recipes import Blend
from tuning_data import NUM_FRAMES, line_of, moving_square, recipe_of, write_lines
from tuning_process import train_whole_and_cut
from tuning_recordings import policy_recipe, record

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
]

HOW = {"schedule": "constant", "warmup_steps": 1, "batch_size": 2, "learning_rate": 0.01, "save_every": 2}


@pytest.fixture(scope="module")
def speck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "speck"
    build_speck(folder)
    return folder


def squares(folder: Path) -> Recipe:
    """Two videos and an image."""
    folder.mkdir()
    for index in range(2):
        write_clip(folder / f"{index}.mp4", moving_square(NUM_FRAMES, index), fps=10)
    Image.fromarray(moving_square(1, 9)[0]).save(folder / "still.png")
    write_lines(folder, [line_of(f"{index}.mp4", NUM_FRAMES) for index in range(2)])
    return recipe_of(data="own", checkpoints_activations=True, **HOW)


def questions(folder: Path) -> Recipe:
    """About two pictures."""
    folder.mkdir()
    lines: list[str] = []
    for index in range(2):
        Image.fromarray(moving_square(1, index)[0]).save(folder / f"{index}.png")
        shown = [{"type": "image", "image": f"{index}.png"}, {"type": "text", "text": "What is this?"}]
        turns = [{"role": "user", "content": shown}, {"role": "assistant", "content": "A square."}]
        lines.append(json.dumps({"messages": turns}))
    (folder / "train.jsonl").write_text("\n".join(lines) + "\n")
    how = Optimisation.model_validate(HOW | {"steps": 4, "checkpoints_activations": True})
    data = (Blend(data="own"),)
    return ReasonerRecipe(name="asked", checkpoint="speck", data=data, lora=Lora(rank=4), optimisation=how)


def lifts(folder: Path) -> Recipe:
    """Two recordings of an arm."""
    return policy_recipe(data=record(folder, 20, 20) and "own", **HOW)


@pytest.mark.parametrize("made_by", [squares, questions, lifts])
def test_a_continued_training_is_the_uninterrupted_one(speck: Path, tmp_path: Path, made_by):
    recipe = made_by(tmp_path / "data")

    def work(out: str, steps: int) -> TuningWork:
        how = recipe.optimisation.model_copy(update={"steps": steps})
        return TuningWork(
            recipe=recipe.model_copy(update={"optimisation": how}),
            checkpoint=speck,
            data={"own": tmp_path / "data"},
            out=tmp_path / out,
            cache=tmp_path / "cache",
            device="cuda",
        )

    assert all(event.memory for event in train_whole_and_cut(work))
