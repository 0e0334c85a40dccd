"""What several ranks make is what one makes: every mode, every layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine import Engine, Trajectory
from engine.parallel import Layout
from engine.planning import Media, plan
from engine.planning.transfer import transfer_plan
from engine.planning.video import video_plan
from engine.vae import to_levels
from studio.requests import parse_request

MEDIA = "u0123456789abcdef"
SIZE = (96, 64)
LAYOUTS = [Layout(2, 1), Layout(1, 2), Layout(2, 2), Layout(1, 4)]
CLOSE = 2e-5
"""Of the largest value: float32, summed in another order."""

ROWS = np.linspace(-1, 1, 8 * 10).reshape(8, 10).tolist()
ACTING = {"embodiment": "droid_lerobot", "resolution": "256"}
CONTROLS = [{"hint": hint, "video": MEDIA} for hint in ("edge", "depth")]
CASES: dict[str, dict[str, Any]] = {
    "picture": {"kind": "generate_image"},
    "words to clip": {"kind": "generate_video"},
    "picture to clip": {"kind": "generate_video", "start_image": MEDIA},
    "clip to clip": {"kind": "generate_video", "source_video": MEDIA},
    "clip with sound": {"kind": "generate_video", "sound": True},
    "without guidance": {"kind": "generate_video", "guidance_scale": 1.0},
    "guided at first": {"kind": "generate_video", "guidance_interval": (960, 1001)},
    "transfer": {"kind": "transfer_video", "controls": CONTROLS[:1], "num_chunk_frames": 5, "num_overlap_frames": 1},
    "averaged transfer": {"kind": "transfer_video", "controls": CONTROLS, "num_chunk_frames": 9},
    "forward dynamics": {"kind": "predict_video", "start_image": MEDIA, "actions": ROWS, **ACTING},
    "inverse dynamics": {"kind": "predict_actions", "source_video": MEDIA, "num_actions": 8, **ACTING},
    "policy": {"kind": "run_policy", "start_image": MEDIA, "num_actions": 8, **ACTING},
}


def begun(engine: Engine, frames: Any, fields: dict[str, Any]) -> Trajectory:
    sampling = {"num_inference_steps": 3, "guidance_scale": 3.0, "seed": 5, "flow_shift": 5.0}
    for name in ("guidance_scale", "guidance_interval", "num_inference_steps", "step_cache"):
        if name in fields:
            sampling[name] = fields[name]
    asked = {name: value for name, value in fields.items() if name not in sampling}
    if asked["kind"] == "generate_video":
        asked["num_frames"] = 9
    request = parse_request({"prompt": "a red cube.", "sampling": sampling, **asked})
    media = {"start_image": frames(1), "source_video": frames(9), "edge": frames(9, seed=1), "depth": frames(9, seed=2)}
    given = Media(media, engine.coder.encode)
    with torch.inference_mode():
        if request.kind == "generate_video":
            return engine.start(video_plan(request, SIZE, engine.setting, given))
        if request.kind == "transfer_video":
            return engine.start(transfer_plan(request, SIZE, engine.setting, given))
        return engine.start(plan(request, engine.setting, given))


def finished(engine: Engine, *trajectories: Trajectory) -> list[torch.Tensor]:
    while running := [trajectory for trajectory in trajectories if not trajectory.done]:
        engine.step(running)
    return [
        latents
        for trajectory in trajectories
        for latents in (*(chunk.latents for chunk in trajectory.finished), *trajectory.latents)
    ]


def worst(ours: list[torch.Tensor], alone: list[torch.Tensor]) -> float:
    assert len(ours) == len(alone)
    pairs = zip(ours, alone, strict=True)
    return max(float((one - other).abs().max() / other.abs().max().clamp(min=1)) for one, other in pairs)


# Four processes that import the engine take most of it.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", CASES)
def test_what_ranks_share_is_what_one_makes(engine, lead, frames, record_property, name):
    alone = finished(engine, begun(engine, frames, CASES[name]))
    for layout in LAYOUTS:
        lead(layout)
        found = worst(finished(engine, begun(engine, frames, CASES[name])), alone)
        record_property(f"{layout.groups}x{layout.shards}", f"{found:.1e}")
        assert found < CLOSE, layout
        engine.leader = None


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_ranks_keep_the_steps_that_one_keeps(engine, lead, frames, layout):
    """Beside a clip that keeps none and ends earlier: passes of both, of either, and steps without any."""
    cached = CASES["clip with sound"] | {"num_inference_steps": 16, "step_cache": 0.3}
    plain = CASES["without guidance"] | {"num_inference_steps": 10}
    both = [begun(engine, frames, cached), begun(engine, frames, plain)]
    alone, kept = finished(engine, *both), both[0].num_kept
    lead(layout)
    both = [begun(engine, frames, cached), begun(engine, frames, plain)]
    together = finished(engine, *both)
    assert both[0].num_kept == kept > 2
    assert both[1].num_kept == 0
    assert worst(together, alone) < CLOSE


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_two_at_a_time_in_an_adapter_are_what_each_is_alone(engine, lead, frames, adapter, layout):
    """Two clips of 18 tokens, one of them without guidance, are 54: on four ranks 14, 14, 14 and 12."""
    engine.use_adapter(adapter, 0.5)
    alone = [
        latents
        for name in ("words to clip", "without guidance")
        for latents in finished(engine, begun(engine, frames, CASES[name]))
    ]
    engine.use_adapter(None)
    lead(layout)
    engine.use_adapter(adapter, 0.5)
    pair = [begun(engine, frames, CASES[name]) for name in ("words to clip", "without guidance")]
    together = finished(engine, *pair)
    engine.use_adapter(None)
    assert worst(together, alone) < CLOSE


def test_what_is_given_up_half_way_disturbs_nothing(engine, lead, frames):
    alone = finished(engine, begun(engine, frames, CASES["clip with sound"]))
    leader = lead(Layout(2, 2))
    given_up = begun(engine, frames, CASES["words to clip"])
    engine.step([given_up])
    del given_up
    assert worst(finished(engine, begun(engine, frames, CASES["clip with sound"])), alone) < CLOSE
    assert leader.is_whole


CLIPS = ["words to clip", "clip to clip", "transfer"]


def pixels(engine: Engine, trajectory: Trajectory) -> list[list[torch.Tensor]]:
    """Pieces of each chunk."""
    with torch.inference_mode():
        return [list(engine.codecs.pieces(trajectory.plan, chunk, engine.leader)) for chunk in trajectory.chunks()]


@pytest.mark.parametrize("name", CLIPS)
def test_frames_that_ranks_divide_are_what_one_decodes(engine, lead, frames, name, record_property):
    trajectory = begun(engine, frames, CASES[name])
    finished(engine, trajectory)
    alone = pixels(engine, trajectory)
    shown = np.concatenate(list(engine.finish(trajectory).frames)).astype(int)
    for size in (2, 4):  # six cells on four ranks are 1, 2, 1 and 2
        lead(Layout(1, size))
        ours = pixels(engine, trajectory)
        assert [len(pieces) for pieces in ours] == [len(pieces) for pieces in alone]
        found = max(
            float((one - other).abs().max())
            for pair in zip(ours, alone, strict=True)
            for one, other in zip(*pair, strict=True)
        )
        record_property(str(size), f"{found:.1e}")
        assert found < 1e-5
        # A value in the middle between two levels may be rounded to either.
        assert np.abs(np.concatenate(list(engine.finish(trajectory).frames)) - shown).max() <= 1


def test_a_decode_that_is_given_up_disturbs_neither_steps_nor_other_clips(engine, lead, frames):
    given_up, other = (begun(engine, frames, CASES[name]) for name in ("words to clip", "clip to clip"))
    finished(engine, given_up, other)
    (alone,) = pixels(engine, other)
    latents = finished(engine, begun(engine, frames, CASES["words to clip"]))
    leader = lead(Layout(2, 2))
    shown, pieces = engine.finish(given_up).frames, iter(engine.finish(other).frames)
    next(shown)
    next(pieces)
    running = begun(engine, frames, CASES["words to clip"])
    engine.step([running])
    next(shown)
    del shown  # in the middle of the clip, as a cancelled job lets go of it
    assert worst(finished(engine, running), latents) < CLOSE
    rest = np.concatenate(list(pieces)).astype(int)
    expected = to_levels(torch.cat(alone[1:], 1)).numpy()
    assert np.abs(rest - expected).max() <= 1
    assert leader.is_whole
