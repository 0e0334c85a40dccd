"""Whatever is stepped together comes out as it does alone: any kinds of request, any sizes, any number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Engine, Trajectory
from engine.planning import Media
from engine.planning.transfer import transfer_plan
from engine.planning.video import video_plan
from studio.requests.actions import PredictActions, PredictVideo, RunPolicy
from studio.requests.generate_video import GenerateVideo
from studio.requests.transfer_video import TransferVideo

MEDIA = "u0123456789abcdef"

Begin = Callable[[Engine], Trajectory]

sizes = st.tuples(st.integers(2, 6), st.integers(2, 6)).map(lambda cells: (16 * cells[0], 16 * cells[1]))
lengths = st.integers(1, 3).map(lambda groups: 4 * groups + 1)
samplings = st.fixed_dictionaries(
    {
        "num_inference_steps": st.integers(1, 3),
        "guidance_scale": st.sampled_from([1.0, 3.0]),
        "flow_shift": st.sampled_from([3.0, 10.0]),
        "seed": st.integers(0, 2**32),
    }
)
words = st.text(min_size=1, max_size=60).filter(str.strip)


@st.composite
def clips(draw, frames) -> Begin:
    """From words, a picture or a clip, with sound or without."""
    size, length = draw(sizes), draw(lengths)
    source = draw(st.sampled_from([None, "start_image", "source_video"]))
    asked = {"prompt": draw(words), "num_frames": length, "fps": draw(st.sampled_from([10.0, 15.0, 24.0]))}
    asked |= {"sound": draw(st.booleans()), "sampling": draw(samplings)}
    media = {} if source is None else {source: frames(1 if source == "start_image" else length, *size)}
    if source == "source_video":
        asked |= {"condition_frames": (0,)}
    request = GenerateVideo.model_validate(asked | ({} if source is None else {source: MEDIA}))
    return _planned(lambda engine: video_plan(request, size, engine.setting, Media(media, engine.coder.encode)))


@st.composite
def transfers(draw, frames) -> Begin:
    """After one or two controls, averaged or joint."""
    size, length = draw(sizes), draw(lengths)
    hints = draw(st.sampled_from([("edge",), ("edge", "depth")]))
    asked: dict[str, Any] = {"prompt": draw(words), "sampling": draw(samplings), "num_chunk_frames": length}
    asked |= {"controls": [{"hint": hint, "video": MEDIA} for hint in hints]}
    request = TransferVideo.model_validate(asked | {"control_attention": draw(st.sampled_from(["averaged", "joint"]))})
    media = {hint: frames(length, *size, seed=index) for index, hint in enumerate(hints)}
    return _planned(lambda engine: transfer_plan(request, size, engine.setting, Media(media, engine.coder.encode)))


@st.composite
def actions(draw, frames) -> Begin:
    """What was done, what will be seen, what to do."""
    size, kind = draw(sizes), draw(st.sampled_from([PredictVideo, PredictActions, RunPolicy]))
    num_actions = draw(st.sampled_from([4, 8]))
    asked: dict[str, Any] = {"prompt": draw(words), "embodiment": "pusht", "sampling": draw(samplings)}
    if kind is PredictVideo:
        asked |= {"start_image": MEDIA, "actions": [[0.1, -0.2]] * num_actions}
    else:
        asked |= {"num_actions": num_actions}
        asked |= {"source_video" if kind is PredictActions else "start_image": MEDIA}
    if kind is RunPolicy and draw(st.booleans()):
        asked |= {"embodiment": "droid_joint_position", "state": [0.5] * 8}
    request = kind.model_validate(asked)
    name, length = ("source_video", num_actions + 1) if kind is PredictActions else ("start_image", 1)
    return lambda engine: engine.begin(request, {name: frames(length, *size)})


def _planned(plan: Callable[[Engine], Any]) -> Begin:
    def begin(engine: Engine) -> Trajectory:
        with torch.inference_mode():
            made = plan(engine)
        return engine.start(made)

    return begin


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_set_of_requests_is_what_each_of_them_is_alone(engine, frames, data):
    kinds = st.one_of(clips(frames), transfers(frames), actions(frames))
    begun = data.draw(st.lists(kinds, min_size=2, max_size=4))
    packed = [begin(engine) for begin in begun]
    while running := [trajectory for trajectory in packed if not trajectory.done]:
        engine.step(running)
    for begin, together in zip(begun, packed, strict=True):
        alone = begin(engine)
        while not alone.done:
            engine.step([alone])
        for ours, theirs in zip(together.latents, alone.latents, strict=True):
            assert float((ours - theirs).abs().max()) < 1e-5 * max(float(theirs.abs().max()), 1)
