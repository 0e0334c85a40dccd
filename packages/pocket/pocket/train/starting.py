"""`start`: from a checkpoint back to what the stages go on with, so that training never begins at nothing again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from safetensors.torch import load_file
from torch import Tensor, nn

from engine.speck.layout import write_processors
from pocket.train.assemble import CLIP_PIXELS, STILL_PIXELS
from pocket.train.codecs import fresh_sound
from pocket.train.generator import PICTURES, Pupil
from pocket.train.growing import grow, grow_sight
from pocket.train.loop import Options, State, write_state
from pocket.train.reasoner import STAGE as REASONER
from pocket.train.reasoner import fresh_reasoner
from pocket.train.shape import SHAPES
from pocket.train.sound_codec import STAGE as SOUND
from pocket.train.student import Student
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.video_vae import DECODER, VAE
from pocket.train.weights import read_model


def start(options: Options, checkpoint: Path) -> None:
    """Write the state of every stage as a checkpoint has it, of the same shape or narrower.

    What a checkpoint does not hold begins anew: the heads that are asked beside a loss, and the sound codec's encoder,
    which stage `sound` teaches to the decoder that is there.

    Raises:
        NotACheckpoint, BrokenCheckpoint: see `engine.weights.open_folder`.
    """
    torch.manual_seed(options.seed)
    vae = AutoencoderKLWan.from_pretrained(checkpoint / "vae", local_files_only=True)
    assert isinstance(vae, AutoencoderKLWan)
    notes = {"mean": list(vae.config["latents_mean"]), "std": list(vae.config["latents_std"])}
    for stage in (VAE, DECODER):
        _write(options, stage, vae, notes)
    _write(options, SOUND, _sound(options, checkpoint))
    tokenizer = tokenizer_folder(options.out)
    shutil.copytree(checkpoint / "text_tokenizer", tokenizer, dirs_exist_ok=True)
    write_processors(tokenizer, STILL_PIXELS, CLIP_PIXELS)
    model, sight = fresh_reasoner(options)
    grow(read_model(checkpoint), model)
    grow_sight(_float(load_file(checkpoint / "vision_encoder" / "model.safetensors")), sight)
    _write(options, REASONER, Student(model, sight))
    _write(options, PICTURES, Pupil(model, None), {"learns_along": False})


def _sound(options: Options, checkpoint: Path) -> Cosmos3AVAEAudioTokenizer:
    codec = fresh_sound(SHAPES[options.shape])
    decoder = load_file(checkpoint / "sound_tokenizer" / "diffusion_pytorch_model.safetensors")
    codec.load_state_dict(_float(decoder), strict=False)
    return codec


def _write(options: Options, stage: str, module: nn.Module, notes: dict[str, Any] | None = None) -> None:
    weights = {name: value.detach().float().clone() for name, value in module.state_dict().items()}
    average = {name: value.clone() for name, value in weights.items()}
    write_state(
        options.out, stage, State(step=1, seed=options.seed, weights=weights, average=average, notes=notes or {})
    )


def _float(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.float() for name, value in tensors.items()}
