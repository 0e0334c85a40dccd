"""The engine's interface, for clips."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Engine
from engine.codecs import previewed
from engine.planning import Media, SoundSegment, plan
from studio.errors import BadInput
from studio.requests.actions import RunPolicy
from studio.requests.transfer_video import TransferVideo

quick = settings(
    max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

PICTURE = "u0123456789abcdef"


def test_a_clip_comes_in_pieces_with_sound_and_latents(engine, ask_video, run_video):
    result = engine.finish(run_video(engine, ask_video(sound=True)))
    pieces = list(result.frames)
    assert [piece.shape for piece in pieces] == [(1, 64, 96, 3), (4, 64, 96, 3), (4, 64, 96, 3)]
    assert {piece.dtype for piece in pieces} == {np.dtype(np.uint8)}
    assert result.sound.shape == (2, 10 * 1920)
    assert {name: array.shape for name, array in result.latents.items()} == {
        "vision": (48, 3, 4, 6),
        "sound": (64, 10),
    }
    assert {array.dtype for array in (result.sound, *result.latents.values())} == {np.dtype(np.float32)}
    assert result.stopped_at_step is None


def test_a_clip_without_sound_has_none(engine, ask_video, run_video):
    result = engine.finish(run_video(engine, ask_video()))
    assert result.sound is None
    assert set(result.latents) == {"vision"}


def test_a_clip_has_the_canvas_of_its_request(engine, ask_video):
    trajectory = engine.begin(ask_video(resolution="256", num_frames=5, num_inference_steps=1))
    engine.step([trajectory])
    assert [piece.shape for piece in engine.finish(trajectory).frames] == [(1, 192, 320, 3), (4, 192, 320, 3)]


def test_media_are_taken_by_the_name_of_their_field(engine, ask_video, frames):
    request = ask_video(resolution="256", num_frames=5, num_inference_steps=1, start_image=PICTURE)
    picture = frames(1, 320, 192)
    trajectory = engine.begin(request, {"start_image": picture})
    with torch.inference_mode():
        assert torch.equal(trajectory.latents[0][:, :1], engine.coder.encode(picture))


def test_kept_frames_are_kept_exactly_at_every_step(engine, ask_video, begin_video, frames):
    clip = frames(9)
    request = ask_video(num_frames=13, source_video=PICTURE, condition_frames=(0, 2), num_inference_steps=5)
    trajectory = begin_video(engine, request, media={"source_video": clip})
    with torch.inference_mode():
        given = engine.coder.encode(clip)[:, [0, 2]]
    before = trajectory.latents[0].clone()
    while not trajectory.done:
        assert torch.equal(trajectory.latents[0][:, [0, 2]], given)
        assert torch.equal(trajectory.estimates()[0][:, [0, 2]], given)
        engine.step([trajectory])
    assert torch.equal(trajectory.latents[0][:, [0, 2]], given)
    assert float((trajectory.latents[0] - before)[:, [1, 3]].abs().min(0).values.max()) > 0


def test_only_what_is_kept_is_encoded(engine, ask_video, begin_video, frames):
    seen: list[int] = []
    hook = engine.coder.vae.encoder.register_forward_pre_hook(lambda _, args: seen.append(args[0].shape[2]))
    request = ask_video(num_frames=13, source_video=PICTURE, condition_frames=(0, 1))
    begin_video(engine, request, media={"source_video": frames(13)})
    hook.remove()
    assert seen == [1, 4]


@pytest.mark.parametrize(
    ("num_latent_frames", "shown"), [(1, (0,)), (3, (1,)), (4, (0, 1, 2, 3)), (5, (0, 1, 3, 4)), (48, (0, 16, 31, 47))]
)
def test_a_preview_shows_four_frames_from_first_to_last_or_the_middle_of_fewer(num_latent_frames, shown):
    assert previewed(num_latent_frames) == shown


def test_a_preview_of_a_longer_clip_is_a_sheet_of_its_shape(engine, ask_video, begin_video):
    trajectory = begin_video(engine, ask_video(num_frames=13))
    sheet = engine.preview(trajectory)
    assert sheet.shape == (32, 48, 3)
    with torch.inference_mode():
        last = engine.sketch.draw(trajectory.estimates()[0][:, 3:4])
    levels = ((last.clamp(-1, 1) + 1) * 127.5).round().permute(1, 2, 0).numpy()
    assert np.array_equal(sheet[16:, 24:], levels.astype(np.uint8))


def test_a_preview_of_a_short_clip_is_its_middle_frame(engine, ask_video, begin_video):
    trajectory = begin_video(engine, ask_video(sound=True))
    for _ in range(2):
        preview = engine.preview(trajectory)
        assert preview.shape == (16, 24, 3)
        with torch.inference_mode():
            middle = engine.sketch.draw(trajectory.estimates()[0][:, 1:2])
        levels = ((middle.clamp(-1, 1) + 1) * 127.5).round().permute(1, 2, 0).numpy()
        assert np.array_equal(preview, levels.astype(np.uint8))
        engine.step([trajectory])


def test_a_clip_stopped_early_is_its_estimate_and_later_steps_leave_it_alone(engine, ask_video, begin_video):
    trajectory, again = (begin_video(engine, ask_video(sound=True)) for _ in range(2))
    for run in (trajectory, again):
        engine.step([run])
    result = engine.finish(trajectory)
    engine.step([trajectory])
    assert result.stopped_at_step == 1
    assert np.array_equal(result.latents["vision"], again.states[0].x0.numpy())
    assert np.array_equal(result.latents["sound"], again.states[1].x0.numpy())
    expected = engine.finish(again)
    for ours, theirs in zip(result.frames, expected.frames, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("num_frames", "fps", "length"), [(9, 24.0, 10), (189, 24.0, 197), (5, 30.0, 5), (25, 25.0, 25), (9, 10.0, 23)]
)
def test_sound_lasts_as_long_as_the_clip_or_a_latent_longer(engine, ask_video, begin_video, num_frames, fps, length):
    plan = begin_video(engine, ask_video(sound=True, num_frames=num_frames, fps=fps), (32, 32)).plan
    segment = plan.segments[1]
    assert isinstance(segment, SoundSegment)
    assert segment.shape == (64, length)
    assert 0 <= length / 25 - num_frames / fps < 0.04


def test_a_plan_of_189_frames_at_720p_is_small(engine, ask_video):
    request = ask_video(resolution="720", num_frames=189, sound=True, num_inference_steps=35)
    made = plan(request, engine.setting, Media({}, engine.coder.encode))
    assert made.segments[0].num_tokens == 48 * 23 * 40
    assert sum(branch.positions.nbytes for branch in made.branches) < 2_000_000


CLIP = st.fixed_dictionaries(
    {
        "size": st.sampled_from([(64, 64), (96, 64), (112, 32)]),
        "num_frames": st.sampled_from([5, 9, 13]),
        "fps": st.sampled_from([10.0, 12.5, 24.0, 30.0]),
        "sound": st.booleans(),
        "source": st.sampled_from([None, "start_image", "source_video"]),
        "condition_frames": st.sampled_from([(0,), (1,), (0, 1)]),
        "guidance_scale": st.sampled_from([1.0, 3.0]),
        "num_inference_steps": st.integers(1, 3),
        "seed": st.integers(0, 2**53 - 1),
    }
)


@quick
@given(wanted=st.lists(CLIP, min_size=1, max_size=3))
def test_clips_packed_with_one_another_and_with_pictures_are_what_they_are_alone(
    engine, ask, run, ask_video, begin_video, run_video, frames, wanted
):
    clips = []
    for fields in wanted:
        size, source = fields.pop("size"), fields.pop("source")
        media = {source: frames(1 if source == "start_image" else 5, *size)} if source else {}
        if source != "source_video":
            del fields["condition_frames"]
        clips.append((ask_video(**({source: PICTURE} if source else {}), **fields), size, media))
    packed = [begin_video(engine, *clip) for clip in clips] + [engine.begin(ask(num_inference_steps=2))]
    while running := [trajectory for trajectory in packed if not trajectory.done]:
        engine.step(running)
    alone = [run_video(engine, *clip) for clip in clips] + [run(engine, ask(num_inference_steps=2))]
    for together, own in zip(packed, alone, strict=True):
        for ours, theirs in zip(together.latents, own.latents, strict=True):
            assert float((ours - theirs).abs().max()) < 1e-5 * max(float(theirs.abs().max()), 1)


def test_half_precision_makes_clips_sound_and_actions_that_stay_near(speck, engine, ask_video, run_video, frames):
    half = Engine.load(speck, device="cpu", dtype=torch.bfloat16)
    request = ask_video(sound=True, start_image=PICTURE, guidance_scale=1.0)
    ours, exact = (run_video(made, request, media={"start_image": frames(1)}) for made in (half, engine))
    policy = RunPolicy.model_validate(
        {
            "prompt": "go",
            "start_image": PICTURE,
            "embodiment": "droid_joint_position",
            "state": [0.5] * 8,
            "num_actions": 4,
            "sampling": {"num_inference_steps": 3, "seed": 0},
        }
    )
    acted = [made.begin(policy, {"start_image": frames(1)}) for made in (half, engine)]
    for made, trajectory in zip((half, engine), acted, strict=True):
        while not trajectory.done:
            made.step([trajectory])
    assert torch.equal(acted[0].latents[1][0], acted[1].latents[1][0])
    for half_latents, latents in zip(
        [*ours.latents, *acted[0].latents], [*exact.latents, *acted[1].latents], strict=True
    ):
        assert half_latents.dtype == torch.float32
        assert float((half_latents - latents).norm() / latents.norm()) < 0.1
    result = half.finish(ours)
    assert result.sound.dtype == np.float32
    assert [piece.dtype for piece in result.frames] == [np.uint8] * 3


def test_a_clip_whose_frames_are_all_kept_is_refused_unless_there_is_sound_to_make(
    engine, ask_video, begin_video, frames
):
    asked = {"num_frames": 5, "source_video": PICTURE}
    media = {"source_video": frames(5)}
    with pytest.raises(BadInput, match="nothing is left to generate") as raised:
        begin_video(engine, ask_video(**asked), media=media)
    assert raised.value.param == "condition_frames"
    assert begin_video(engine, ask_video(sound=True, **asked), media=media)


def test_a_transfer_whose_frames_are_all_kept_is_refused(engine, frames):
    asked = {"prompt": "x", "controls": [{"hint": "edge", "video": PICTURE}], "source_video": PICTURE}
    request = TransferVideo.model_validate(asked | {"num_source_frames": 9, "resolution": "256", "aspect_ratio": "1:1"})
    clip = frames(9, 256, 256)
    with pytest.raises(BadInput, match="num_source_frames keeps every latent frame"):
        engine.begin(request, {"edge": clip, "source_video": clip})
