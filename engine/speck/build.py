"""Building speck: the pipeline folder, the vision encoder, and the files by which transformers finds both."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from safetensors.torch import save_file
from transformers import PreTrainedTokenizerFast
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.speck import shape
from engine.speck.random_weights import random_sound_tokenizer, random_transformer, random_vae, random_vision
from engine.speck.tokenizer import build_tokenizer
from studio.checkpoints import shard_header

SHARD_SIZE = "1MB"
"""Several shards, as a released transformer has."""


def build_speck(folder: Path, seed: int = 0) -> None:
    """Build speck at `folder`, replacing what is there; one seed is one checkpoint.

    It is written beside its place and moved there whole, so that a build that is cut short leaves nothing that looks
    like a checkpoint.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        built = Path(scratch) / "speck"
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            _write(built)
        if folder.exists():
            shutil.rmtree(folder)
        built.rename(folder)


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
    _write_json(folder / "vision_encoder" / "config.json", vision.to_dict())
    tokenizer.save_pretrained(folder)
    _write_json(folder / "config.json", _reasoner_config(tokenizer, vision))
    for name, kind in (("preprocessor_config", "image"), ("video_preprocessor_config", "video")):
        _write_json(folder / f"{name}.json", _processor_config(kind))
    _write_json(folder / "model.safetensors.index.json", root_index(folder))


def _reasoner_config(tokenizer: PreTrainedTokenizerFast, vision: Qwen3VLVisionConfig) -> dict[str, Any]:
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
            "vocab_size": shape.VOCABULARY,
            "rope_theta": shape.ROPE_THETA,
            "rope_scaling": shape.ROPE_SCALING,
            "max_position_embeddings": 262_144,
            "hidden_act": "silu",
            **shape.TEXT,
        },
        "vision_config": vision.to_dict(),
    }


def _processor_config(kind: str) -> dict[str, Any]:
    names = {"image": "Qwen2VLImageProcessorFast", "video": "Qwen3VLVideoProcessor"}
    return {
        f"{kind}_processor_type": names[kind],
        "processor_class": "Qwen3VLProcessor",
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "patch_size": shape.VISION["patch_size"],
        "temporal_patch_size": shape.VISION["temporal_patch_size"],
        "merge_size": shape.VISION["spatial_merge_size"],
        "size": {"shortest_edge": 4096, "longest_edge": 65_536},
    }


def root_index(folder: Path) -> dict[str, Any]:
    """The flat keys of the transformer and of the vision encoder in one map, as transformers reads them."""
    weight_map: dict[str, str] = {}
    size_bytes = 0
    for part in ("transformer", "vision_encoder"):
        for shard in sorted((folder / part).glob("*.safetensors")):
            header = shard_header(shard)
            for name in header.keys() - {"__metadata__", "__bytes__"}:
                weight_map[name] = f"{part}/{shard.name}"
                start, end = header[name]["data_offsets"]
                size_bytes += end - start
    return {"metadata": {"total_size": size_bytes}, "weight_map": dict(sorted(weight_map.items()))}


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")
