"""Frames decoded in strips by ranks that are threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from torch import Tensor

from engine import Engine
from engine.vae import ClipCoder, DividedDecoder
from engine.vae.kernels import use_gpu_kernels

CLOSE = 1e-5
"""Of pixels in -1..1: float32, summed in another order."""


class Meeting:
    """Where threads leave what they collect."""

    def __init__(self, size: int) -> None:
        self.barrier = Barrier(size, timeout=60)
        self.left: dict[int, Tensor] = {}


class FakeRing:
    def __init__(self, meeting: Meeting, size: int, place: int) -> None:
        self.meeting, self.size, self.place = meeting, size, place

    def collect(self, own: Tensor) -> Tensor:
        self.meeting.left[self.place] = own
        self.meeting.barrier.wait()
        collected = torch.stack([self.meeting.left[place] for place in range(self.size)])
        self.meeting.barrier.wait()
        return collected


def divided(coder: ClipCoder, latents: Tensor, size: int, lengths: list[int]) -> list[list[Tensor]]:
    """Pieces of so many latent frames, on every rank."""
    meeting = Meeting(size)

    def one_rank(place: int) -> list[Tensor]:
        decoder = DividedDecoder(coder)
        memory, ring = decoder.memory(), FakeRing(meeting, size, place)
        with torch.inference_mode():
            return [decoder.decode(piece, memory, ring) for piece in latents.split(lengths, 1)]

    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(one_rank, range(size)))


def a_clip(*shape: int) -> Tensor:
    return torch.randn((48, *shape), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("size", "shape"),
    [(2, (3, 4, 6)), (2, (2, 7, 5)), (4, (2, 9, 6)), (4, (2, 4, 4)), (3, (2, 5, 11)), (2, (1, 1, 2))],
)
def test_strips_that_see_one_another_s_edges_are_the_whole(engine: Engine, size, shape, record_property):
    latents = a_clip(*shape)
    with torch.inference_mode():
        whole = list(engine.coder.decode(latents))
    ours = divided(engine.coder, latents, size, [1] * shape[0])
    assert all([piece.shape for piece in pieces] == [piece.shape for piece in whole] for pieces in ours)
    worst = max(float((torch.cat(pieces, 1) - torch.cat(whole, 1)).abs().max()) for pieces in ours)
    record_property("worst", f"{worst:.1e}")
    assert worst < CLOSE


def test_several_latent_frames_at_a_time_are_the_same_clip(engine):
    latents = a_clip(6, 5, 7)
    with torch.inference_mode():
        whole = torch.cat(list(engine.coder.decode(latents)), 1)
    for pieces in divided(engine.coder, latents, 2, [1, 2, 3]):
        assert [piece.shape[1] for piece in pieces] == [1, 8, 12]
        assert float((torch.cat(pieces, 1) - whole).abs().max()) < CLOSE


@pytest.mark.parametrize("shape", [(3, 4, 7), (3, 7, 4)])
def test_a_gpu_s_kernels_are_divided_too(speck: Path, shape):
    vae = AutoencoderKLWan.from_pretrained(speck / "vae").eval().requires_grad_(False)
    use_gpu_kernels(vae)
    coder, latents = ClipCoder(vae), a_clip(*shape)
    with torch.inference_mode():
        whole = torch.cat(list(coder.decode(latents)), 1)
    for pieces in divided(coder, latents, 2, [1, 2]):
        assert float((torch.cat(pieces, 1) - whole).abs().max()) < CLOSE


def test_its_weights_are_the_vae_s_own(engine):
    decoder = DividedDecoder(engine.coder)._decoder
    assert {id(weight) for weight in decoder.parameters()} == {
        id(weight) for weight in engine.coder.vae.decoder.parameters()
    }
