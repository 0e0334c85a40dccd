"""Cover and centre crop give what torch's antialiased bilinear filter gives."""

import math
import time

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.nn import functional

from backend.media.pictures import Cover


def by_torch(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    picture = torch.from_numpy(pixels.copy()).permute(2, 0, 1)[None].float()
    source_height, source_width = picture.shape[-2:]
    scale = max(width / source_width, height / source_height)
    size = math.ceil(scale * source_height), math.ceil(scale * source_width)
    picture = functional.interpolate(picture, size=size, mode="bilinear", align_corners=False, antialias=True)
    top, left = round((size[0] - height) / 2), round((size[1] - width) / 2)
    cropped = picture[0, :, top : top + height, left : left + width]
    return cropped.round().clamp(0, 255).permute(1, 2, 0).numpy().astype(np.uint8)


@pytest.mark.parametrize(
    ("source", "canvas"),
    [
        ((192, 108), (96, 64)),
        ((640, 480), (320, 192)),
        ((33, 57), (64, 64)),
        ((57, 33), (64, 64)),
        ((300, 533), (320, 192)),
        ((1001, 777), (256, 320)),
        ((1, 1), (16, 16)),
        ((3, 200), (32, 32)),
        ((256, 256), (256, 256)),
    ],
)
def test_every_level_is_torch_s_but_for_ties_in_rounding(source: tuple[int, int], canvas: tuple[int, int]):
    pixels = np.random.default_rng(1).integers(0, 256, (source[1], source[0], 3), dtype=np.uint8)

    ours = Cover(*source, *canvas)(pixels)

    theirs = by_torch(pixels, *canvas)
    difference = np.abs(ours.astype(int) - theirs)
    assert ours.shape == theirs.shape
    assert difference.max() <= 1
    assert (difference > 0).mean() < 2e-3


def test_a_strip_costs_no_more_than_its_crop():
    started = time.process_time()

    filled = Cover(8192, 1, 320, 192)(np.full((1, 8192, 3), 7, np.uint8))

    assert filled.shape == (192, 320, 3)
    assert (filled == 7).all()
    assert time.process_time() - started < 5
