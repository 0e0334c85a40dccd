from __future__ import annotations

import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from engine import Engine
from engine.vae import read_sound
from studio.errors import BrokenCheckpoint, NotAllowed

CPU = torch.device("cpu")


def test_a_sound_latent_is_1920_samples_of_two_channels(engine):
    with torch.inference_mode():
        sound = engine.sound.decode(torch.randn(64, 10, generator=torch.Generator().manual_seed(0)))
    assert sound.shape == (2, 19200)
    assert sound.dtype == torch.float32


def test_a_codec_that_is_not_whole_is_broken(speck, tmp_path):
    folder = shutil.copytree(speck / "sound_tokenizer", tmp_path / "sound_tokenizer")
    [file] = folder.glob("*.safetensors")
    tensors = load_file(file)
    del tensors["decoder.conv2.weight_v"]
    save_file(tensors, file)
    with pytest.raises(BrokenCheckpoint, match="conv2"):
        read_sound(folder, CPU, torch.float32)


def test_a_checkpoint_without_a_codec_loads_and_makes_no_sound(speck, tmp_path, ask_video):
    folder = shutil.copytree(speck, tmp_path / "mute", ignore=shutil.ignore_patterns("sound_tokenizer"))
    mute = Engine.load(folder, device="cpu")
    assert mute.sound is None
    with pytest.raises(NotAllowed, match="does not generate sound") as raised:
        mute.begin(ask_video(resolution="256", sound=True))
    assert raised.value.param == "sound"
