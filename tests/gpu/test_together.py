"""A training on two GPUs: a continued one is the uninterrupted one to the bit, with weights on the host too."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from backend.media import write_clip
from engine.speck import build_speck
from studio.tuning import Ended, Stepped, TuningEvent, TuningWork
from tuning.state import read_state
from tuning_data import NUM_FRAMES, line_of, moving_square, recipe_of, write_lines
from tuning_process import train

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
    told: list[TuningEvent] = []

    def trained(out: str, steps: int) -> dict[str, torch.Tensor]:
        work = TuningWork(
            recipe=recipe_of(data="own", num_gpus=2, steps=steps, offloads_weights=offloads, **HOW),
            checkpoint=tmp_path / "speck",
            data={"own": data},
            out=tmp_path / out,
            cache=tmp_path / "cache",
            device="cuda:0",
            beside=("cuda:1",),
        )
        train(work, told.append)
        state = read_state(tmp_path / out / "state" / "training.pt")
        assert state is not None
        return state.weights

    whole = trained("whole", 4)
    trained("cut", 2)
    cut = trained("cut", 4)
    assert told[-1] == Ended(step=4, is_whole=True)
    assert all(event.memory for event in told if isinstance(event, Stepped))
    assert whole.keys() == cut.keys()
    for name, value in whole.items():
        assert torch.equal(value, cut[name]), name
