from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch


@pytest.fixture
def clip() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (17, 64, 96, 3), dtype=np.uint8)


def whole(pipeline, clip: np.ndarray) -> torch.Tensor:
    pixels = torch.from_numpy(clip).permute(3, 0, 1, 2)[None].float() / 127.5 - 1
    return pipeline._encode_video(pixels)[0]


@pytest.mark.parametrize("num_frames", [1, 5, 17])
def test_a_clip_has_the_latents_of_the_library_s_encoder(engine, reference, clip, num_frames):
    with torch.inference_mode():
        ours = engine.coder.encode(clip[:num_frames])
        theirs = whole(reference.pipeline, clip[:num_frames])
    assert ours.shape == (48, (num_frames - 1) // 4 + 1, 4, 6)
    assert float((ours - theirs).abs().max()) < 1e-5


def test_the_latents_of_its_first_frames_are_the_first_latents_of_a_clip(engine, clip):
    with torch.inference_mode():
        assert torch.equal(engine.coder.encode(clip[:5]), engine.coder.encode(clip)[:, :2])


def test_pieces_add_up_to_what_the_library_decodes_at_once(engine, reference):
    latents = torch.randn((48, 5, 4, 7), generator=torch.Generator().manual_seed(0))
    pipeline = reference.pipeline
    raw = latents[None] / pipeline._vae_latents_inv_std.view(1, -1, 1, 1, 1) + pipeline._vae_latents_mean.view(
        1, -1, 1, 1, 1
    )
    with torch.inference_mode():
        pieces = list(engine.coder.decode(latents))
        theirs = pipeline.vae.decode(raw).sample[0]
    assert [piece.shape[1] for piece in pieces] == [1, 4, 4, 4, 4]
    assert float((torch.cat(pieces, 1) - theirs).abs().max()) < 1e-4


def test_a_gpu_s_pieces_are_as_long_as_there_is_room_for(engine):
    def lengths(at_once: int | None, num_ranks: int = 1) -> list[int]:
        latents: Any = SimpleNamespace(shape=(48, 8, 30, 52), is_cuda=True)
        return engine.coder.piece_lengths(latents, at_once, num_ranks)

    assert lengths(None) == [1, 2, 2, 2, 1]
    assert lengths(1) == [1] * 8
    assert lengths(9, num_ranks=2) == [1, 4, 3]
    assert lengths(3, num_ranks=2) == [1, 3, 3, 1]


def test_never_more_than_four_frames_are_in_hand(engine, clip):
    seen: list[int] = []
    hooks = [
        part.register_forward_pre_hook(lambda _, args: seen.append(args[0].shape[2]))
        for part in (engine.coder.vae.encoder, engine.coder.vae.decoder)
    ]
    with torch.inference_mode():
        latents = engine.coder.encode(clip)
        assert seen == [1, 4, 4, 4, 4]
        seen.clear()
        pieces = engine.coder.decode(latents)
        assert seen == []
        next(pieces)
        assert seen == [1]
        next(pieces)
        assert seen == [1, 1]
    for hook in hooks:
        hook.remove()


def test_two_clips_may_be_decoded_by_turns(engine):
    first, second = torch.randn(2, 48, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        alone = [torch.cat(list(engine.coder.decode(latents)), 1) for latents in (first, second)]
        turns = list(zip(engine.coder.decode(first), engine.coder.decode(second), strict=True))
    for index, own in enumerate(alone):
        assert torch.equal(torch.cat([pieces[index] for pieces in turns], 1), own)
