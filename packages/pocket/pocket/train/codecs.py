"""The codecs that are trained, as diffusers has them, and from them the folders of the released layout."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TypeVar

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan, WanCausalConv3d
from torch import Tensor, nn
from transformers import Qwen3VLVisionModel
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.vae.kernels import OneDnnConvolution
from pocket.train.shape import Shape


def fresh_vae(shape: Shape, mean: list[float] | None = None, std: list[float] | None = None) -> AutoencoderKLWan:
    """A VAE from the global random state, with what its latents' mean and deviation are known to be."""
    return AutoencoderKLWan(
        **shape.vae(),
        latents_mean=mean or [0.0] * shape.latent_channels,
        latents_std=std or [1.0] * shape.latent_channels,
    )


def hasten_on_processor(vae: AutoencoderKLWan) -> None:
    """Let a VAE that learns on a processor use oneDNN's convolutions, in place: several times quicker for few channels.

    Of the engine's kernels these alone have gradients. Names and weights stay what they are.
    """
    for name, module in list(vae.named_modules()):
        if isinstance(module, WanCausalConv3d):
            vae.set_submodule(name, OneDnnConvolution(module))


def fresh_sound(shape: Shape) -> Cosmos3AVAEAudioTokenizer:
    """A sound codec with its encoder, from the global random state."""
    with warnings.catch_warnings():
        # diffusers 0.42 builds this codec with a function that PyTorch 2.13 deprecates.
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        return Cosmos3AVAEAudioTokenizer(**shape.sound())


def fresh_sight(shape: Shape) -> Qwen3VLVisionModel:
    """A vision encoder from the global random state."""
    return Qwen3VLVisionModel(Qwen3VLVisionConfig(**shape.sight()))


Codec = TypeVar("Codec", bound=nn.Module)


def _rounded(codec: Codec) -> Codec:
    """In bfloat16. By PyTorch's own method: diffusers' warns of modules that neither codec has."""
    nn.Module.to(codec, torch.bfloat16)
    return codec


def save_vae(vae: AutoencoderKLWan, folder: Path) -> None:
    """`vae/` in bfloat16; the module given stays what it is."""
    copy = AutoencoderKLWan.from_config(vae.config)
    assert isinstance(copy, AutoencoderKLWan)
    copy.load_state_dict(vae.state_dict())
    _rounded(copy).save_pretrained(folder)


def save_sound(codec: Cosmos3AVAEAudioTokenizer, shape: Shape, folder: Path) -> None:
    """`sound_tokenizer/` in bfloat16, the decoder alone: nothing that is asked of a checkpoint encodes sound."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        copy = Cosmos3AVAEAudioTokenizer(**shape.sound(), encoder_enabled=False)
    own: dict[str, Tensor] = {name: value for name, value in codec.state_dict().items() if name.startswith("decoder.")}
    copy.load_state_dict(own)
    _rounded(copy).save_pretrained(folder)
