"""A training on two GPUs: a continued one is the uninterrupted one to the bit, with weights on the host too."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from backend.media import write_clip
from engine.speck import build_speck
from studio.tuning import TuningWork
from tuning_data import NUM_FRAMES, line_of, moving_square, recipe_of, write_lines
from tuning_process import train_whole_and_cut

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.timeout(600),
    pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs"),
]

HOW = {"schedule": "constant", "warmup_steps": 1, "batch_size": 2, "learning_rate": 0.01, "save_every": 2}


@pytest.mark.parametrize("offloads", [False, True])
def test_a_continued_training_of_two_gpus_is_the_uninterrupted_one(tmp_path: Path, offloads: bool):
    build_speck(tmp_path / "speck")
    data = tmp_path / "data"
    data.mkdir()
    for index in range(4):
        write_clip(data / f"{index}.mp4", moving_square(NUM_FRAMES, index), fps=10)
    write_lines(data, [line_of(f"{index}.mp4", NUM_FRAMES) for index in range(4)])

    def work(out: str, steps: int) -> TuningWork:
        return TuningWork(
            recipe=recipe_of(data="own", num_gpus=2, steps=steps, offloads_weights=offloads, **HOW),
            checkpoint=tmp_path / "speck",
            data={"own": data},
            out=tmp_path / out,
            cache=tmp_path / "cache",
            device="cuda:0",
            beside=("cuda:1",),
        )

    assert all(event.memory for event in train_whole_and_cut(work))
