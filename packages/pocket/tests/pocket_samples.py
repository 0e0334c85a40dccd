"""Samples as the generator's stages learn from them, of random latents."""

from __future__ import annotations

import torch

from pocket.train.flow.samples import Sample
from pocket.train.shape import TOY

WORDS = (("a red cube", '{"context": "a red cube"}'),)

STILL = Sample(
    "still",
    torch.randn(TOY.latent_channels, 1, 16, 16),
    0.0,
    (256, 256),
    WORDS,
    controls={"edge": torch.randn(TOY.latent_channels, 1, 16, 16)},
    squares=torch.randint(0, 3, (64, 4, 2), dtype=torch.uint8),
)

CLIP = Sample(
    "clip",
    torch.randn(TOY.latent_channels, 5, 16, 16),
    10.0,
    (256, 256),
    WORDS,
    controls={"depth": torch.randn(TOY.latent_channels, 5, 16, 16)},
    sound=torch.randn(64, 43),
    actions=torch.randn(16, 10),
)

MOMENT = Sample(
    "policy",
    torch.randn(TOY.latent_channels, 9, 13, 16),
    15.0,
    (320, 256),
    (("Pick up the red cube.", ""),),
    actions=torch.randn(32, 8),
    state=torch.randn(1, 8),
    places=torch.zeros(7, 3),
)
