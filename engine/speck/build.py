"""Building speck: the pipeline folder, the vision encoder, and the files by which transformers finds both.

Its random weights draw something: default initialisation leaves both the towers and the VAE next to silent.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from diffusers.models.transformers.transformer_cosmos3 import Cosmos3OmniTransformer
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from safetensors.torch import save_file
from torch import nn
from transformers import Qwen3VLVisionModel
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.speck import shape
from engine.speck.layout import root_config, root_index, write_json, write_processors, written_whole
from engine.speck.tokenizer import build_tokenizer

SHARD_SIZE = "1MB"
"""Several shards, as a released transformer has."""

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


def build_speck(folder: Path, seed: int = 0) -> None:
    """Build speck at `folder`, replacing what is there; one seed is one checkpoint, and it is put there whole."""
    with written_whole(folder) as built, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        _write(built)


def _write(folder: Path) -> None:
    tokenizer = build_tokenizer()
    pipeline = Cosmos3OmniPipeline(
        transformer=random_transformer(),
        text_tokenizer=tokenizer,  # type: ignore[arg-type]
        vae=random_vae(),
        scheduler=UniPCMultistepScheduler(**shape.SCHEDULER),
        sound_tokenizer=random_sound_tokenizer(),
        enable_safety_checker=False,
    )
    pipeline.save_pretrained(folder, safe_serialization=True, max_shard_size=SHARD_SIZE)
    encoder = random_vision()
    vision = encoder.config
    (folder / "vision_encoder").mkdir()
    save_file(encoder.state_dict(), folder / "vision_encoder" / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "vision_encoder" / "config.json", vision.to_dict())
    tokenizer.save_pretrained(folder)
    config = root_config(
        tokenizer,
        vision,
        shape.TEXT,
        vocabulary=shape.VOCABULARY,
        rope_scaling=shape.ROPE_SCALING,
        context_tokens=shape.CONTEXT_TOKENS,
    )
    write_json(folder / "config.json", config)
    write_processors(folder, shape.SEEN_PIXELS, shape.SEEN_PIXELS)
    write_json(folder / "model.safetensors.index.json", root_index(folder))


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
