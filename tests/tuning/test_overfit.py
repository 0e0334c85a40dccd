"""One video learnt by heart: what the checkpoint makes of its caption comes to look like it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backend.media import write_clip
from engine import Engine
from studio.requests import parse_request
from studio.tuning import Lora, TuningWork
from tuning.commands import Commands
from tuning.training import run
from tuning_data import Silence, line_of, moving_square, recipe_of, write_lines

NUM_FRAMES = 17
CAPTION = "A square moves to the right."
STEPS = 160


def made(engine: Engine) -> np.ndarray:
    """A video of the caption, uint8 [T, height, width, 3]."""
    request = {
        "kind": "generate_video",
        "prompt": CAPTION,
        "resolution": "256",
        "aspect_ratio": "1:1",
        "num_frames": NUM_FRAMES,
        "fps": 10,
        "sampling": {"num_inference_steps": 20, "guidance_scale": 1.0, "flow_shift": 3.0, "seed": 0},
    }
    trajectory = engine.begin(parse_request(request))
    while not trajectory.done:
        engine.step([trajectory])
    return np.concatenate([*engine.finish(trajectory).frames])


def psnr(frames: np.ndarray, truth: np.ndarray) -> float:
    return float(10 * np.log10(255**2 / np.square(frames.astype(float) - truth).mean()))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_one_video_is_learnt_by_heart(pocket: Path, tmp_path: Path, record_property):
    truth = moving_square(NUM_FRAMES, seed=4, size=(256, 256))
    write_clip(tmp_path / "0.mp4", truth, fps=10)
    write_lines(tmp_path, [line_of("0.mp4", NUM_FRAMES, caption_json=None, caption=CAPTION)])
    recipe = recipe_of(
        num_frames=NUM_FRAMES,
        min_window_frames=NUM_FRAMES,
        modes={"t2v": 1},
        text_dropout=0.0,
        lora=Lora(rank=16, layers="all"),
        steps=STEPS,
        save_every=STEPS,
        batch_size=2,
        learning_rate=2e-3,
        warmup_steps=20,
    )
    work = TuningWork(
        recipe=recipe, checkpoint=pocket, data={"squares": tmp_path}, out=tmp_path / "out", cache=tmp_path / "cache"
    )
    run(work, lambda event: None, Commands(Silence()))
    engine = Engine.load(pocket, device="cpu")
    before = psnr(made(engine), truth)
    engine.use_adapter(tmp_path / "out" / "saves" / f"squares@{STEPS}")
    after = psnr(made(engine), truth)
    record_property("psnr_db", f"{before:.1f} to {after:.1f}")
    assert after > before + 10
