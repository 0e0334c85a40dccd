"""What a checkpoint folder of the released layout has beside its weights, the same for every small checkpoint."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import PreTrainedTokenizerFast
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.speck.shape import ROPE_THETA
from studio.checkpoints import shard_header


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """A folder to write in, which takes the place of `folder` at the end.

    What is cut short leaves nothing that looks like a checkpoint.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        built = Path(scratch) / folder.name
        built.mkdir()
        yield built
        if folder.exists():
            shutil.rmtree(folder)
        built.rename(folder)


def root_config(
    tokenizer: PreTrainedTokenizerFast,
    vision: Qwen3VLVisionConfig,
    text: Mapping[str, Any],
    *,
    vocabulary: int,
    rope_scaling: Mapping[str, Any],
    context_tokens: int,
) -> dict[str, Any]:
    """What transformers reads of the reasoner.

    Args:
        text: the fields that diffusers' transformer and transformers' reasoner give the same names.
    """
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
            "vocab_size": vocabulary,
            "rope_theta": ROPE_THETA,
            "rope_scaling": rope_scaling,
            "max_position_embeddings": context_tokens,
            "hidden_act": "silu",
            **text,
        },
        "vision_config": vision.to_dict(),
    }


def write_processors(folder: Path, still_pixels: tuple[int, int], clip_pixels: tuple[int, int]) -> None:
    """How pictures and clips are looked at: the two small files that transformers and the engine read.

    Args:
        still_pixels: fewest and most that are looked at of a picture.
        clip_pixels: the same of all frames of a clip together.
    """
    for name, kind, processor, pixels in (
        ("preprocessor_config", "image", "Qwen2VLImageProcessorFast", still_pixels),
        ("video_preprocessor_config", "video", "Qwen3VLVideoProcessor", clip_pixels),
    ):
        config = {
            f"{kind}_processor_type": processor,
            "processor_class": "Qwen3VLProcessor",
            "image_mean": [0.5, 0.5, 0.5],
            "image_std": [0.5, 0.5, 0.5],
            "patch_size": 16,
            "temporal_patch_size": 2,
            "merge_size": 2,
            "size": {"shortest_edge": pixels[0], "longest_edge": pixels[1]},
        }
        write_json(folder / f"{name}.json", config)


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


def write_json(path: Path, value: dict[str, Any]) -> None:
    """A small file of the layout."""
    path.write_text(json.dumps(value, indent=2) + "\n")
