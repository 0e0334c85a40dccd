"""From what the stages have made to an ordinary checkpoint folder: the released layout in bfloat16, in shards."""

from __future__ import annotations

import json
import shutil
import tempfile
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
from engine.speck.build import root_index
from pocket.train.acting import EMBODIMENTS_OF_POCKET
from pocket.train.codecs import save_sound, save_vae
from pocket.train.shape import CONTEXT_TOKENS, MAX_BYTES, ROPE_THETA, SCHEDULER, Shape
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
        transformer: by official names, see `pocket.train.weights.released_tensors`.

    Returns:
        Its size in bytes.

    Raises:
        BadInput: it came to more than `max_bytes`; nothing is left.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        built = Path(scratch) / folder.name
        built.mkdir()
        _write_transformer(built / "transformer", transformer, shape)
        save_vae(vae, built / "vae")
        save_sound(sound, shape, built / "sound_tokenizer")
        UniPCMultistepScheduler(**SCHEDULER).save_pretrained(built / "scheduler")
        for place in (built, built / "text_tokenizer"):
            tokenizer.save_pretrained(place)
        _write_sight(built / "vision_encoder", sight)
        _write_json(built / "config.json", _root_config(tokenizer, sight, shape))
        write_processors(built)
        (built / FILE).write_text(EMBODIMENTS_OF_POCKET.model_dump_json(indent=2, exclude_none=True) + "\n")
        _write_json(built / "model_index.json", _model_index())
        _write_json(built / "model.safetensors.index.json", root_index(built))
        size_bytes = sum(path.stat().st_size for path in built.rglob("*") if path.is_file())
        if size_bytes > max_bytes:
            raise BadInput(
                f"The checkpoint has {size_bytes:,} bytes; at most {max_bytes:,} are allowed.",
                hint="Train a smaller shape.",
            )
        if folder.exists():
            shutil.rmtree(folder)
        built.rename(folder)
    return size_bytes


def write_processors(folder: Path) -> None:
    """How pictures and clips are looked at: the two small files that transformers and the engine read."""
    _write_json(folder / "preprocessor_config.json", _processor_config("image", STILL_PIXELS))
    _write_json(folder / "video_preprocessor_config.json", _processor_config("video", CLIP_PIXELS))


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
    _write_json(index_file, {"metadata": {"total_size": total}, "weight_map": weight_map})
    _write_json(folder / "config.json", {"_class_name": "Cosmos3OmniTransformer", **shape.transformer()})


def _write_sight(folder: Path, sight: Qwen3VLVisionModel) -> None:
    folder.mkdir()
    tensors = {name: value.detach().cpu().to(torch.bfloat16).contiguous() for name, value in sight.state_dict().items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    _write_json(folder / "config.json", sight.config.to_dict())


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


def _root_config(tokenizer: PreTrainedTokenizerFast, sight: Qwen3VLVisionModel, shape: Shape) -> dict[str, Any]:
    """What transformers reads of the reasoner."""
    tokens = {
        "image_token_id": "<|image_pad|>",
        "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>",
        "vision_end_token_id": "<|vision_end|>",
    }
    return {
        "architectures": ["Cosmos3ForConditionalGeneration"],
        "model_type": "cosmos3_omni",
        "allow_patterns_overrides": ["*/*.safetensors"],
        "tie_word_embeddings": False,
        **{name: tokenizer.convert_tokens_to_ids(token) for name, token in tokens.items()},
        "text_config": {
            "model_type": "qwen3_vl_text",
            "vocab_size": shape.vocabulary,
            "rope_theta": ROPE_THETA,
            "rope_scaling": shape.rope_scaling(),
            "max_position_embeddings": CONTEXT_TOKENS,
            "hidden_act": "silu",
            **shape.text(),
        },
        "vision_config": sight.config.to_dict(),
    }


def _processor_config(kind: str, pixels: tuple[int, int]) -> dict[str, Any]:
    names = {"image": "Qwen2VLImageProcessorFast", "video": "Qwen3VLVideoProcessor"}
    return {
        f"{kind}_processor_type": names[kind],
        "processor_class": "Qwen3VLProcessor",
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "patch_size": 16,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "size": {"shortest_edge": pixels[0], "longest_edge": pixels[1]},
    }


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")
