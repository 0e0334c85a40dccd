"""Random weights that draw something: default initialisation leaves both the towers and the VAE next to silent."""

from __future__ import annotations

import warnings

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from diffusers.models.transformers.transformer_cosmos3 import Cosmos3OmniTransformer
from torch import nn
from transformers import Qwen3VLVisionModel
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.speck import shape

MATRIX_GAIN = 2.0
"""On every matrix of the towers."""

ATTENTION_GAIN = 3.0
"""On what the generator takes from attention, and 1.5 on its query and key norms: prompts change the picture."""

PIXEL_GAIN = 5.0
"""On the VAE's last convolution: normal latents reach most of the range and cut off little of it."""

GRID_GAIN = 0.2
"""On how the four pixels that share a feature differ, which otherwise covers the picture with a fine grid."""

SIGHT_GAIN = 20.0
"""On what the vision encoder hands over: what is seen is then as loud as a quarter of a word, and DeepStack too."""


def random_transformer() -> Cosmos3OmniTransformer:
    """Both towers and all heads, from the global random state."""
    transformer = Cosmos3OmniTransformer(**shape.TEXT, **shape.GENERATOR)
    with torch.no_grad():
        for name, parameter in transformer.named_parameters():
            if "modality_embed" in name:
                parameter.normal_(std=0.02)
            elif parameter.ndim == 1 and "norm" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
            elif parameter.ndim == 2:
                parameter.mul_(MATRIX_GAIN)
            if "norm_added" in name:
                parameter.mul_(1.5)
            if "to_add_out" in name:
                parameter.mul_(ATTENTION_GAIN)
        for head in (transformer.action_proj_in, transformer.action_proj_out):
            head.fc.weight.mul_(0.05)
            head.bias.weight.mul_(0.05)
    return transformer


def random_vae() -> AutoencoderKLWan:
    """A VAE whose decoder answers normal latents with pixels all over the range."""
    vae = AutoencoderKLWan(**shape.VAE)
    last = vae.decoder.conv_out
    with torch.no_grad():
        for module in vae.decoder.modules():
            if isinstance(module, nn.Conv2d | nn.Conv3d) and module is not last:
                module.weight.mul_(1.5)
        pixels = last.weight.unflatten(0, (3, -1))  # [3 colours, 4 pixels, ...]
        shared = pixels.mean(1, keepdim=True)
        last.weight.copy_((PIXEL_GAIN * shared + GRID_GAIN * (pixels - shared)).flatten(0, 1))
        assert last.bias is not None
        last.bias.zero_()
    return vae


def random_sound_tokenizer() -> Cosmos3AVAEAudioTokenizer:
    """As initialised."""
    with warnings.catch_warnings():
        # diffusers 0.42 builds this codec with a function that PyTorch 2.13 deprecates.
        warnings.filterwarnings("ignore", "`torch.nn.utils.weight_norm` is deprecated", FutureWarning)
        return Cosmos3AVAEAudioTokenizer(**shape.SOUND)


def random_vision() -> Qwen3VLVisionModel:
    """A vision encoder whose tokens differ from picture to picture as words do from one another."""
    vision = Qwen3VLVisionModel(Qwen3VLVisionConfig(**shape.VISION))
    with torch.no_grad():
        for name, parameter in vision.named_parameters():
            if "merger" in name and name.endswith("linear_fc2.weight"):
                parameter.mul_(SIGHT_GAIN)
    return vision
