"""A PNG of several threads is one that everybody reads, with every pixel as it was."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.png import write_png


def drawn(height: int, width: int) -> np.ndarray:
    across, down = np.meshgrid(np.arange(width), np.arange(height))
    smooth = np.stack([across % 256, down % 256, (across + down) % 256], -1)
    noise = np.random.default_rng(0).integers(0, 8, (height, width, 3))
    return ((smooth + noise) % 256).astype(np.uint8)


@pytest.mark.parametrize("size", [(1, 1), (3, 500), (192, 320), (720, 1280)])
@pytest.mark.parametrize("num_cores", [1, 2, 16])
def test_every_pixel_comes_back(tmp_path: Path, monkeypatch, size, num_cores):
    monkeypatch.setattr(os, "cpu_count", lambda: num_cores)
    write_png(tmp_path / "made.png", drawn(*size))
    with Image.open(tmp_path / "made.png") as image:
        image.load()
        assert image.mode == "RGB"
        assert np.array_equal(np.asarray(image), drawn(*size))


def test_texts_stand_before_the_pixels(tmp_path: Path):
    write_png(tmp_path / "made.png", drawn(8, 8), [(b"tEXt", b"orrery\0{}")])
    with Image.open(tmp_path / "made.png") as image:
        assert image.info == {"orrery": "{}"}


def test_it_is_about_as_small_as_by_one_thread(tmp_path: Path):
    pixels = drawn(720, 1280)
    write_png(tmp_path / "made.png", pixels)
    Image.fromarray(pixels).save(tmp_path / "theirs.png", "PNG", compress_level=1, compress_type=3)
    assert (tmp_path / "made.png").stat().st_size < 1.15 * (tmp_path / "theirs.png").stat().st_size
