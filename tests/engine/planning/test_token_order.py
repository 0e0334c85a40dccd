"""Which token stands where, and which of them are told the timestep, for segments of every kind together."""

from __future__ import annotations

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.planning import ActionSegment, Branch, Given, Segment, SoundSegment, VisionSegment
from engine.sampling.trajectory import pins

CPU = torch.device("cpu")


def kept(draw, length: int) -> tuple[int, ...]:
    return tuple(sorted(draw(st.sets(st.integers(0, length - 1), max_size=length))))


@st.composite
def sequences(draw):
    """Vision, then sound and actions or neither, with any steps given."""
    fps = draw(st.floats(5, 60))
    shape = (48, draw(st.integers(1, 6)), draw(st.integers(1, 9)), draw(st.integers(1, 9)))
    frames = kept(draw, shape[1])
    segments: list[Segment] = [
        VisionSegment(shape=shape, patch=2, fps=fps, given=Given(frames, torch.zeros(shape)[:, list(frames)]))
    ]
    if draw(st.booleans()):
        segments.append(SoundSegment(shape=(64, draw(st.integers(1, 40))), latents_per_second=25.0))
    if draw(st.booleans()):
        length = draw(st.integers(1, 40))
        rows = kept(draw, length)
        segments.append(
            ActionSegment(
                shape=(length, 64), width=10, domain=8, per_second=fps, given=Given(rows, torch.zeros(len(rows), 64))
            )
        )
    return draw(st.integers(1, 4096)), segments


def theirs(pipeline, num_prompt_tokens: int, segments: list[Segment]) -> tuple[torch.Tensor, list[int]]:
    """Positions of diffusers' packed sequence and the indexes that are denoised, the prompt left out."""
    start, offset = num_prompt_tokens, num_prompt_tokens + 15000
    positions: list[torch.Tensor] = []
    noisy: list[int] = []
    for segment in segments:
        steps = list(segment.given.steps) if segment.given is not None else []
        place = {"mrope_offset": offset, "curr": start, "device": CPU}
        match segment:
            case VisionSegment():
                name = "vision"
                built = pipeline._prepare_vision_segment(
                    torch.zeros(1, *segment.shape),
                    False,
                    vision_fps=segment.fps,
                    condition_frame_indexes=steps,
                    **place,
                )
            case SoundSegment():
                name = "sound"
                built = pipeline._prepare_sound_segment(torch.zeros(segment.shape), sound_fps=25.0, **place)
            case ActionSegment():
                name = "action"
                built = pipeline._prepare_action_segment(
                    torch.zeros(segment.shape), steps, action_fps=segment.per_second, **place
                )
        positions.append(built[f"{name}_mrope_ids"].float())
        noisy += (built[f"{name}_mse_loss_indexes"] - num_prompt_tokens).tolist()
        start += len(built[f"{name}_sequence_indexes"])
    return torch.cat(positions, 1), noisy


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=sequences())
def test_tokens_stand_and_are_denoised_where_diffusers_has_them(engine, reference, drawn):
    num_prompt_tokens, segments = drawn
    positions, noisy = theirs(reference.pipeline, num_prompt_tokens, segments)
    ours = Branch.over(segments, (0,) * num_prompt_tokens, engine.model.config)
    assert torch.equal(ours.positions, positions)
    flags: list[float] = []
    for segment in segments:
        mask = pins(segment, CPU, torch.float32).noisy
        flags += [1.0] * segment.num_tokens if mask is None else mask[:, 0].tolist()
    assert [index for index, flag in enumerate(flags) if flag] == noisy
