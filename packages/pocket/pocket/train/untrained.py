"""A checkpoint of a shape before anything has been learnt: for the sizes, and for the tests of the loaders."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from pocket.train.assemble import assemble
from pocket.train.codecs import fresh_sight, fresh_sound, fresh_vae
from pocket.train.shape import MAX_BYTES, Shape
from pocket.train.tokenizer import train_tokenizer
from pocket.train.weights import fresh_model, released_tensors

WORDS = [
    "A robot arm above a red cube on a wooden table, soft daylight from the left.",
    "The gripper picks up the green ball and places it in the blue bowl next to the yellow cylinder.",
]


def build_untrained(folder: Path, shape: Shape, seed: int = 0, *, max_bytes: int = MAX_BYTES) -> int:
    """Write it; one seed is one checkpoint.

    Returns:
        Its size in bytes.

    Raises:
        BadInput: see `pocket.train.assemble.assemble`.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = fresh_model(shape.model(), seed)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.ndim > 1 and not parameter.any():
                    nn.init.normal_(parameter, std=shape.width**-0.5)
        return assemble(
            folder,
            shape,
            transformer=released_tensors(model),
            sight=fresh_sight(shape),
            vae=fresh_vae(shape),
            sound=fresh_sound(shape),
            tokenizer=train_tokenizer(WORDS * 4, shape.vocabulary),
            max_bytes=max_bytes,
        )
