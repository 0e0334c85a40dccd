"""Transfers as they are learnt: the sequence that the engine plans for the same clip and control."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from backend.media import compute_control
from engine.planning import Media, read_setting
from engine.planning.transfer import transfer_plan
from engine.vae import ClipCoder, read_vae
from engine.weights import open_folder
from studio.requests import TransferVideo
from tuning.flow.error import FlowError, pose
from tuning.flow.levels import Levels
from tuning.generator.clips import Clip, Control
from tuning.generator.drawing import Drawer
from tuning.generator.records import Window
from tuning.generator.sequences import Draw, Sequences
from tuning.latents import LatentCache
from tuning.sources import Sources
from tuning.weights import read_model

HERE, CANVAS, FPS = torch.device("cpu"), (64, 64), 10.0


@pytest.fixture
def clip(clips: Path) -> Clip:
    window = Window("0", clips / "0.mp4", 0, 8, 1, None, "A square.", is_structured=False, is_image=False)
    return Clip(window, tuple(range(5)), FPS, CANVAS)


@pytest.mark.parametrize("hint", ["edge", "blur"])
def test_a_transfer_is_learnt_as_the_engine_plans_it(speck: Path, clip: Clip, tmp_path: Path, hint):
    cache = LatentCache(tmp_path, speck / "vae", HERE, torch.float32, Sources())
    cache.fill([clip, Control(clip, hint)], lambda done: None)
    setting = read_setting(open_folder(speck))
    sequences = Sequences(setting)
    draws = [Draw(clip, hint, dropped=False, control=hint)]
    [(_, batch)] = sequences.batches(draws, [cache.read(clip)], [cache.read(Control(clip, hint))])

    frames = np.stack([compute_control(frame, hint, "medium") for frame in clip.frames()])
    coder = ClipCoder(read_vae(speck / "vae", HERE, torch.float32).vae)
    media = Media({hint: frames}, coder.encode)
    request = TransferVideo.model_validate(
        {"prompt": "A square.", "controls": [{"hint": hint, "video": "u" + "0" * 16}], "resolution": "256", "fps": FPS}
    )
    with torch.inference_mode():
        plan = transfer_plan(request, CANVAS, setting, media)

    assert batch.prompts[0].tolist() == list(plan.branches[0].tokens)
    assert [run.segment.is_control for run in batch.runs] == [True, False]
    for run, segment in zip(batch.runs, plan.segments, strict=True):
        assert run.segment.shape == segment.shape
        assert torch.equal(run.segment.positions(setting.config, 0), segment.positions(setting.config, 0))
    given = plan.segments[0].given
    assert given is not None
    torch.testing.assert_close(batch.runs[0].values[0], given.values.float())
    assert batch.runs[0].given.all()
    assert not batch.runs[1].given.any()
    assert sequences.num_generated(clip, hint) == sum(run.segment.num_tokens for run in batch.runs)


def test_only_the_target_of_a_transfer_has_a_loss(speck: Path, clip: Clip, tmp_path: Path):
    cache = LatentCache(tmp_path, speck / "vae", HERE, torch.float32, Sources())
    cache.fill([clip, Control(clip, "edge")], lambda done: None)
    sequences, model = Sequences(read_setting(open_folder(speck))), read_model(speck).eval()
    draws = [Draw(clip, "edge", dropped=False, control="edge"), Draw(clip, "edge", dropped=False)]
    made = sequences.batches(draws, [cache.read(clip)] * 2, [cache.read(Control(clip, "edge")), None])

    assert [(places, len(batch.runs)) for places, batch in made] == [([0], 2), ([1], 1)]
    levels = Levels(3.0)
    measured = [FlowError(model, batch, levels).measure(*pose(batch, model)) for _, batch in made]
    assert [list(one.errors) for one in measured] == [[1], [0]]
    assert all(torch.isfinite(one.loss) for one in measured)


def test_controls_are_left_out_in_their_share_and_of_transfers_alone(clip: Clip):
    drawer = Drawer([clip], {"t2v": 1, "edge": 1, "blur": 1}, 0.1, 40, seed=0)
    draws = [draw for step in range(50) for draw in drawer.draw(step)]
    counts = Counter((draw.mode, draw.control) for draw in draws)

    assert set(counts) == {("t2v", None), ("edge", "edge"), ("edge", None), ("blur", "blur"), ("blur", None)}
    assert 0.05 < counts["edge", None] / (counts["edge", None] + counts["edge", "edge"]) < 0.15
