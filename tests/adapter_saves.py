"""Saves of a training that is nowhere else: adapters that fit speck."""

from pathlib import Path

import numpy as np
import safetensors.numpy

QUERY = "transformer.layers.0.self_attn.to_q"


def write_saves(data: Path) -> None:
    """`grasp@100` and `grasp@200`, which fit speck."""
    random = np.random.default_rng(0)
    (data / "adapters").mkdir(parents=True, exist_ok=True)
    down = random.normal(size=(4, 64)).astype(np.float32)
    up = random.normal(size=(128, 4)).astype(np.float32)
    for step in (100, 200):
        tensors = {f"{QUERY}.lora_A.weight": down, f"{QUERY}.lora_B.weight": up * step / 200}
        safetensors.numpy.save_file(tensors, data / "adapters" / f"grasp@{step}.safetensors")
