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
from transformers import Qwen3VLVisionModel

from engine.speck.layout import write_processors
from engine.towers import OmniModel
from engine.weights import ModelConfig
from pocket.train.assemble import CLIP_PIXELS, STILL_PIXELS
from pocket.train.codecs import fresh_sound
from pocket.train.generator import PICTURES, Pupil
from pocket.train.lessons.error import Student
from pocket.train.loop import Options, State, write_state
from pocket.train.reasoner import STAGE as REASONER
from pocket.train.reasoner import fresh_reasoner
from pocket.train.shape import SHAPES
from pocket.train.sound_codec import STAGE as SOUND
from pocket.train.tokenizing import tokenizer_folder
from pocket.train.video_vae import DECODER, VAE
from tuning.weights import read_model


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


WRITERS = (
    "embed_tokens.weight",
    "timesteps.second.weight",
    "patch_in.weight",
    "patch_in.bias",
    "out.weight",
    "down.weight",
    "sound.embedding.weight",
    "sound.embedding.bias",
    "modality",
    "action.embedding",
    "action.embedding_bias",
)
"""Of parameters' names the ends of those that write to the residual stream."""


@torch.no_grad()
def grow(model: OmniModel, fresh: OmniModel) -> None:
    """Put a model into a fresh one of as many layers that is as wide or wider, with as many heads or more.

    It computes what it computed. New channels of the residual stream are written by nothing yet and read by weights
    that were just drawn; new heads and new inner channels compute something and nothing reads it yet. So texts,
    pictures and actions are what they were, and every new weight gets a gradient within two steps.
    """
    own, config = model.state_dict(), fresh.config
    # A norm divides by the root of a mean over more channels, of which the new ones are 0.
    louder = (model.config.hidden_size / config.hidden_size) ** 0.5
    grown: dict[str, Tensor] = {}
    for name, wide in fresh.state_dict().items():
        if name.endswith("qk_norm.weight"):
            # One row for all query heads and one for all key heads.
            rows = own[name][[0] * config.num_attention_heads + [-1] * config.num_key_value_heads]
            grown[name] = rows.clone()
        elif name.endswith("norm.weight"):
            grown[name] = _placed(own[name], wide) * louder
        else:
            before, after = (_parts(name, value, of.config) for value, of in ((own[name], model), (wide, fresh)))
            start = [torch.zeros_like(part) for part in after] if name.endswith(WRITERS) else after
            parts = [_placed(part, room) for part, room in zip(before, start, strict=True)]
            grown[name] = torch.cat(parts).reshape(wide.shape)
    fresh.load_state_dict(grown)


@torch.no_grad()
def grow_sight(own: dict[str, Tensor], sight: Qwen3VLVisionModel) -> None:
    """Put a vision encoder's weights into a fresh one whose features are wider: new channels of them are 0."""
    wide = sight.state_dict()
    sight.load_state_dict({name: _placed(own[name], torch.zeros_like(wide[name])) for name in wide})


def _parts(name: str, value: Tensor, config: ModelConfig) -> list[Tensor]:
    """What is stacked in a tensor, each to be widened by itself, its last two dimensions being all it has."""
    if name.endswith("qkv.weight"):
        heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
        return list(value.split([count * config.head_dim for count in (heads, kv_heads, kv_heads)]))
    if name.endswith("up.weight"):
        return list(value.split(config.intermediate_size))
    if name.endswith("action.embedding"):
        return [value.unflatten(1, (-1, config.hidden_size))]
    if name.endswith("action.reading"):
        return [value.unflatten(1, (config.hidden_size, -1))]
    return [value]


def _placed(own: Tensor, wide: Tensor) -> Tensor:
    """A wide tensor whose first rows, columns and so on are those of a smaller one."""
    placed = wide.clone()
    placed[tuple(slice(size) for size in own.shape)] = own
    return placed
