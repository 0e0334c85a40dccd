"""From what the stages have made to an ordinary checkpoint folder: the released layout in bfloat16, in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from diffusers.models.autoencoders.autoencoder_cosmos3_audio import Cosmos3AVAEAudioTokenizer
from diffusers.models.autoencoders.autoencoder_kl_wan import AutoencoderKLWan
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from safetensors.torch import save_file
from torch import Tensor
from transformers import PreTrainedTokenizerFast, Qwen3VLVisionModel

from engine.planning.embodiments import FILE
from engine.speck.layout import root_config, root_index, write_json, write_processors, written_whole
from engine.speck.shape import SCHEDULER
from pocket.train.acting import EMBODIMENTS_OF_POCKET
from pocket.train.codecs import save_sound, save_vae
from pocket.train.shape import CONTEXT_TOKENS, MAX_BYTES, Shape
from studio.errors import BadInput

SHARD_BYTES = 10_000_000
"""Of the transformer: several shards, as a released one has, and none too large for a git host."""

STILL_PIXELS = (32 * 32, 320 * 320)
"""Fewest and most that are looked at of a picture."""

CLIP_PIXELS = (4 * 64 * 64, 8 * 256 * 256)
"""The same of all frames of a clip together."""


def assemble(
    folder: Path,
    shape: Shape,
    *,
    transformer: dict[str, Tensor],
    sight: Qwen3VLVisionModel,
    vae: AutoencoderKLWan,
    sound: Cosmos3AVAEAudioTokenizer,
    tokenizer: PreTrainedTokenizerFast,
    max_bytes: int = MAX_BYTES,
) -> int:
    """Write a checkpoint at `folder`, replacing what is there; it is moved there whole.

    Args:
        transformer: by official names, see `tuning.weights.released_tensors`.

    Returns:
        Its size in bytes.

    Raises:
        BadInput: it came to more than `max_bytes`; nothing is left.
    """
    with written_whole(folder) as built:
        _write_transformer(built / "transformer", transformer, shape)
        save_vae(vae, built / "vae")
        save_sound(sound, shape, built / "sound_tokenizer")
        UniPCMultistepScheduler(**SCHEDULER).save_pretrained(built / "scheduler")
        for place in (built, built / "text_tokenizer"):
            tokenizer.save_pretrained(place)
        _write_sight(built / "vision_encoder", sight)
        config = root_config(
            tokenizer,
            sight.config,
            shape.text(),
            vocabulary=shape.vocabulary,
            rope_scaling=shape.rope_scaling(),
            context_tokens=CONTEXT_TOKENS,
        )
        write_json(built / "config.json", config)
        write_processors(built, STILL_PIXELS, CLIP_PIXELS)
        (built / FILE).write_text(EMBODIMENTS_OF_POCKET.model_dump_json(indent=2, exclude_none=True) + "\n")
        write_json(built / "model_index.json", _model_index())
        write_json(built / "model.safetensors.index.json", root_index(built))
        size_bytes = sum(path.stat().st_size for path in built.rglob("*") if path.is_file())
        if size_bytes > max_bytes:
            raise BadInput(
                f"The checkpoint has {size_bytes:,} bytes; at most {max_bytes:,} are allowed.",
                hint="Train a smaller shape.",
            )
    return size_bytes


def _write_transformer(folder: Path, tensors: dict[str, Tensor], shape: Shape) -> None:
    folder.mkdir()
    shards: list[dict[str, Tensor]] = [{}]
    size_bytes = 0
    for name in sorted(tensors):
        tensor = tensors[name].to(torch.bfloat16).contiguous()
        if size_bytes + tensor.nbytes > SHARD_BYTES and shards[-1]:
            shards.append({})
            size_bytes = 0
        shards[-1][name] = tensor
        size_bytes += tensor.nbytes
    weight_map: dict[str, str] = {}
    for index, shard in enumerate(shards, 1):
        file = f"diffusion_pytorch_model-{index:05}-of-{len(shards):05}.safetensors"
        save_file(shard, folder / file, metadata={"format": "pt"})
        weight_map |= dict.fromkeys(shard, file)
    total = sum(tensor.nbytes for shard in shards for tensor in shard.values())
    index_file = folder / "diffusion_pytorch_model.safetensors.index.json"
    write_json(index_file, {"metadata": {"total_size": total}, "weight_map": weight_map})
    write_json(folder / "config.json", {"_class_name": "Cosmos3OmniTransformer", **shape.transformer()})


def _write_sight(folder: Path, sight: Qwen3VLVisionModel) -> None:
    folder.mkdir()
    tensors = {name: value.detach().cpu().to(torch.bfloat16).contiguous() for name, value in sight.state_dict().items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "config.json", sight.config.to_dict())


def _model_index() -> dict[str, Any]:
    """Which class reads which folder; the native schedule is what the pocket was trained for."""
    return {
        "_class_name": "Cosmos3OmniPipeline",
        "_diffusers_version": "0.42.0",
        "enable_safety_checker": False,
        "use_native_flow_schedule": True,
        "scheduler": ["diffusers", "UniPCMultistepScheduler"],
        "sound_tokenizer": ["diffusers", "Cosmos3AVAEAudioTokenizer"],
        "text_tokenizer": ["transformers", "PreTrainedTokenizerFast"],
        "transformer": ["diffusers", "Cosmos3OmniTransformer"],
        "vae": ["diffusers", "AutoencoderKLWan"],
    }
