"""Building speck: the pipeline folder, the vision encoder, and the files by which transformers finds both."""

from __future__ import annotations

from pathlib import Path

import torch
from diffusers.pipelines.cosmos.pipeline_cosmos3_omni import Cosmos3OmniPipeline
from diffusers.schedulers.scheduling_unipc_multistep import UniPCMultistepScheduler
from safetensors.torch import save_file

from engine.speck import shape
from engine.speck.layout import root_config, root_index, write_json, write_processors, written_whole
from engine.speck.random_weights import random_sound_tokenizer, random_transformer, random_vae, random_vision
from engine.speck.tokenizer import build_tokenizer

SHARD_SIZE = "1MB"
"""Several shards, as a released transformer has."""


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
