"""Pictures come in upright, opaque and on the canvas; what is none is refused in words."""

from pathlib import Path

import numpy as np
import pytest
from PIL import ExifTags, Image

from backend.media import inspect_upload, read_picture
from studio.errors import BadInput

RED, GREEN, BLACK = (200, 0, 0), (0, 200, 0), (0, 0, 0)
HALVES = np.zeros((40, 60, 3), np.uint8)
HALVES[:, :30], HALVES[:, 30:] = RED, GREEN


@pytest.mark.parametrize(("kind", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")])
def test_a_picture_is_known_by_its_content_not_by_its_name(tmp_path: Path, kind: str, mime: str):
    path = tmp_path / "clip.mp4"
    Image.fromarray(HALVES).save(path, kind)

    facts = inspect_upload(path)

    assert (facts.type, facts.mime, facts.width, facts.height) == ("image", mime, 60, 40)
    assert facts.num_frames is None


def test_a_picture_at_the_size_of_the_canvas_is_unchanged(tmp_path: Path):
    path = tmp_path / "a.png"
    Image.fromarray(HALVES).save(path)

    assert np.array_equal(read_picture(path, 60, 40), HALVES)


def test_a_picture_fills_the_canvas_from_its_middle(tmp_path: Path):
    path = tmp_path / "a.png"
    Image.fromarray(HALVES).save(path)

    filled = read_picture(path, 32, 64)

    assert filled.shape == (64, 32, 3)
    assert tuple(filled[32, 0]) == RED
    assert tuple(filled[32, -1]) == GREEN


def test_the_orientation_of_a_telephone_is_honoured(tmp_path: Path):
    path = tmp_path / "a.jpg"
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6  # turn clockwise to show: the left half comes to the top
    Image.fromarray(HALVES).save(path, "JPEG", exif=exif, quality=95, subsampling=0)

    facts, pixels = inspect_upload(path), read_picture(path, 40, 60)

    assert (facts.width, facts.height, facts.rotation) == (40, 60, 90)
    assert np.abs(pixels[5, 20].astype(int) - RED).max() < 8
    assert np.abs(pixels[-5, 20].astype(int) - GREEN).max() < 8


def test_transparency_is_laid_over_black(tmp_path: Path):
    path = tmp_path / "a.png"
    pixels = np.full((4, 4, 4), 200, np.uint8)
    pixels[:, :2, 3], pixels[:, 2:, 3] = 0, 128
    Image.fromarray(pixels).save(path)

    opaque = read_picture(path, 4, 4)

    assert tuple(opaque[0, 0]) == BLACK
    assert tuple(opaque[0, 3]) == (100, 100, 100)


def test_sixteen_bit_grey_keeps_its_range(tmp_path: Path):
    path = tmp_path / "depth.png"
    Image.fromarray(np.array([[0, 0x8000], [0xFFFF, 0x1234]], np.uint16)).save(path)

    assert read_picture(path, 2, 2)[..., 0].tolist() == [[0, 0x80], [0xFF, 0x12]]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK", "RGBA"])
def test_every_mode_becomes_rgb(tmp_path: Path, mode: str):
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    Image.fromarray(HALVES).convert(mode).save(path)

    assert read_picture(path, 32, 32).shape == (32, 32, 3)


@pytest.mark.parametrize("size", [(8200, 10), (10, 20_000), (8191, 8191)])
def test_a_picture_that_is_too_large_is_refused_before_it_is_decoded(tmp_path: Path, size: tuple[int, int]):
    path = tmp_path / "a.png"
    Image.new("1", size).save(path)

    with pytest.raises(BadInput, match="8192 a side and 64 megapixels"):
        inspect_upload(path)


def test_a_decompression_bomb_is_refused(tmp_path: Path):
    path = tmp_path / "a.png"
    Image.new("1", (20_000, 20_000)).save(path)

    with pytest.raises(BadInput, match="megapixels"):
        inspect_upload(path)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_that_breaks_off_is_refused(tmp_path: Path, kind: str):
    path = tmp_path / "a"
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)).save(path, kind)
    path.write_bytes(path.read_bytes()[:-500])

    with pytest.raises(BadInput, match="to its end"):
        inspect_upload(path)


def test_a_webp_that_moves_is_refused(tmp_path: Path):
    path = tmp_path / "a.webp"
    others = [Image.new("RGB", (16, 16), GREEN)]
    Image.new("RGB", (16, 16), RED).save(path, save_all=True, append_images=others, duration=100)

    with pytest.raises(BadInput, match="animated"):
        inspect_upload(path)
