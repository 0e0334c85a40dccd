"""The cache of latents."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine.vae import ClipCoder, read_vae
from studio.errors import BadInput, DiskFull
from tuning.generator.clips import Clip
from tuning.generator.records import Window
from tuning.latents import LatentCache
from tuning.sources import Sources

HERE = torch.device("cpu")


@pytest.fixture
def clip(clips: Path) -> Clip:
    window = Window("0", clips / "0.mp4", 0, 8, 1, None, "A square.", is_structured=False, is_image=False)
    return Clip(window, tuple(range(5)), 10.0, (64, 64))


@pytest.fixture
def cache(speck: Path, tmp_path: Path) -> LatentCache:
    return LatentCache(tmp_path / "cache", speck / "vae", HERE, torch.float32, Sources())


def ignore(done: int) -> None:
    del done


def test_latents_are_the_engines_and_are_encoded_once(cache, clip, speck, monkeypatch):
    told: list[int] = []
    cache.fill([clip], told.append)
    assert told == [0, 1]
    coder = ClipCoder(read_vae(speck / "vae", HERE, torch.float32).vae)
    with torch.inference_mode():
        wanted = coder.encode(clip.frames())
    assert torch.equal(cache.read(clip), wanted)
    monkeypatch.setattr(Clip, "frames", None)
    cache.fill([clip], ignore)


def test_another_canvas_rate_window_file_or_vae_is_another_entry(cache, clip, clips, speck, tmp_path):
    other_file = replace(clip.window, path=clips / "1.mp4")
    other_dtype = LatentCache(tmp_path / "cache", speck / "vae", HERE, torch.bfloat16, Sources())
    keys = {
        cache.key(clip),
        cache.key(replace(clip, canvas=(96, 64))),
        cache.key(replace(clip, fps=20.0)),
        cache.key(replace(clip, indexes=(0, 1, 2, 3, 5))),
        cache.key(replace(clip, window=other_file)),
        other_dtype.key(clip),
    }
    assert len(keys) == 6
    assert cache.key(replace(clip, window=replace(clip.window, text="Another text."))) == cache.key(clip)


def test_a_file_that_changed_is_noticed(clips):
    sources = Sources()
    sources.hash(clips / "0.mp4")
    sources.check()
    os.utime(clips / "0.mp4", ns=(1, 1))
    with pytest.raises(BadInput, match=r"0\.mp4 has changed while it was trained on"):
        sources.check()


def test_a_full_disk_leaves_no_half_entry(cache, clip, tmp_path, monkeypatch):
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DiskFull):
        cache.fill([clip], ignore)
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
