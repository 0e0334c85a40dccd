from __future__ import annotations

import torch
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import get_3d_mrope_ids_vae_tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.segments import line_positions, vision_positions
from engine.weights import ModelConfig

SHAPE = {
    "hidden_size": 64,
    "intermediate_size": 160,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": 512,
}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    num_prompt_tokens=st.integers(1, 4096),
    grid=st.tuples(st.integers(1, 12), st.integers(1, 24), st.integers(1, 24)),
    fps=st.none() | st.floats(5, 60),
    resets=st.booleans(),
    modulates=st.booleans(),
)
def test_positions_are_the_reference_s(num_prompt_tokens, grid, fps, resets, modulates):
    config = ModelConfig(**SHAPE, unified_3d_mrope_reset_spatial_ids=resets, enable_fps_modulation=modulates)
    theirs, _ = get_3d_mrope_ids_vae_tokens(
        *grid,
        temporal_offset=num_prompt_tokens + 15000,
        reset_spatial_indices=resets,
        fps=fps if modulates else None,
        base_fps=24.0,
    )
    ours = vision_positions(config, grid, num_prompt_tokens, fps)
    assert ours.dtype == torch.float32
    assert torch.equal(ours, theirs.float())


def test_frames_at_twelve_a_second_stand_two_apart():
    positions = vision_positions(ModelConfig(**SHAPE), (3, 1, 1), 100, fps=12.0)
    assert positions.tolist() == [[15100, 15102, 15104], [0, 0, 0], [0, 0, 0]]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    num_prompt_tokens=st.integers(1, 4096),
    length=st.integers(1, 300),
    rate=st.floats(5, 60),
    resets=st.booleans(),
    modulates=st.booleans(),
)
def test_positions_of_sound_are_the_reference_s(num_prompt_tokens, length, rate, resets, modulates):
    config = ModelConfig(**SHAPE, unified_3d_mrope_reset_spatial_ids=resets, enable_fps_modulation=modulates)
    theirs, _ = get_3d_mrope_ids_vae_tokens(
        grid_t=length,
        grid_h=1,
        grid_w=1,
        temporal_offset=num_prompt_tokens + 15000,
        reset_spatial_indices=resets,
        fps=rate if modulates else None,
        base_fps=24.0,
        temporal_compression_factor=1,
    )
    ours = line_positions(config, length, num_prompt_tokens, rate, config.base_fps)
    assert ours.dtype == torch.float32
    assert torch.equal(ours, theirs.float())
