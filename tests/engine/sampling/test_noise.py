from __future__ import annotations

import torch
from diffusers.utils.torch_utils import randn_tensor

from engine.sampling.trajectory import Noise


def test_vision_then_sound_then_action_come_from_one_generator_as_in_diffusers():
    shapes = [(1, 48, 3, 5, 7), (64, 9), (16, 10)]
    generator = torch.Generator().manual_seed(42)
    theirs = [
        randn_tensor(shape, generator=generator, device=torch.device("cpu"), dtype=torch.float32) for shape in shapes
    ]
    noise = Noise(42)
    ours = [noise.draw(shape) for shape in [(48, 3, 5, 7), (64, 9), (16, 10)]]
    assert all(torch.equal(own, other.view(own.shape)) for own, other in zip(ours, theirs, strict=True))


def test_every_seed_up_to_the_largest_is_taken():
    assert Noise(2**53 - 1).draw((4,)).isfinite().all()
