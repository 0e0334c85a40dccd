"""Checkpoints in FP8 in the layout that NVIDIA releases, made of ordinary ones, and ordinary ones made of those."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.speck.layout import root_index

IGNORED = ("proj_in", "proj_out", "time_embedder*", "audio_proj_*", "action_proj_*", "lm_head", "embed_tokens")
"""What NVIDIA's exporter leaves in bfloat16."""

POLICY: dict[str, Any] = {
    "schema_version": 1,
    "type": "first_last_n",
    "index_space": "denoising_loop_iteration",
    "scope": ["transformer"],
    "default_mode": "native",
    "first_steps": {"count": 3, "mode": "a16"},
    "last_steps": {"count": 3, "mode": "a16"},
    "overlap": "a16",
    "reasoner": "a16",
}
"""Of Nano's, Super's and Super-Image2Video's FP8 revisions, as diffusers 0.42 has it (`mixed_precision.py`)."""

OTHER_RANGES = (
    "layers.1.self_attn.to_q.output_quantizer._amax",
    "layers.0.mlp_moe_gen.up_proj.output_quantizer._scale",
    *(f"layers.0.self_attn.{name}_bmm_quantizer._{kind}" for name in "qkv" for kind in ("amax", "scale")),
    "layers.0.self_attn.softmax_quantizer._amax",
    "layers.0.self_attn.bmm2_output_quantizer._amax",
    "layers.1.self_attn.k_proj.k_scale",
    "layers.1.self_attn.to_v.v_scale",
)
"""Further ones that ModelOpt may save of a model of two blocks, of which no sum depends."""

LARGEST = 448.0

Tensors = dict[str, Tensor]


def write_in_fp8(
    source: Path,
    folder: Path,
    *,
    per_output: bool = False,
    ignored: Sequence[str] = (),
    policy: dict[str, Any] | None = POLICY,
) -> Path:
    """Round the matrices of both towers' blocks; everything else is stored in bfloat16.

    Args:
        per_output: a weight's scales are one for each output; else there is one.
        ignored: modules that stay as they are, beside `IGNORED`.
    """
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("transformer", "*.index.json"))
    (folder / "transformer").mkdir()
    patterns = [*IGNORED, *ignored]
    weights: Tensors = {}
    beside: Tensors = {}
    for name, tensor in transformer(source).items():
        module = name.removesuffix(".weight")
        if tensor.ndim != 2 or any(fnmatchcase(module, pattern) for pattern in patterns):
            weights[name] = tensor.bfloat16()
            continue
        largest = tensor.float().abs().amax(1) if per_output else tensor.float().abs().amax()
        scale = largest / LARGEST
        weights[name] = (tensor.float() / (scale[:, None] if per_output else scale)).to(torch.float8_e4m3fn)
        beside[f"{module}.weight_scale"] = scale
        beside[f"{module}.input_scale"] = torch.tensor(0.02)
        beside[f"{module}.weight_quantizer._amax"] = largest
        beside[f"{module}.weight_quantizer._scale"] = scale.clone()
        beside[f"{module}.input_quantizer._amax"] = torch.tensor(0.02 * LARGEST)
    write_transformer(folder, weights, beside)
    config = json.loads((source / "transformer" / "config.json").read_text())
    config["quantization_config"] = {
        "config_groups": {
            "group_0": {
                "input_activations": {"dynamic": False, "num_bits": 8, "type": "float"},
                "weights": {"dynamic": False, "num_bits": 8, "type": "float"},
                "targets": ["Linear"],
            }
        },
        "ignore": patterns,
        "quant_algo": "FP8_PER_CHANNEL_PER_TOKEN" if per_output else "FP8",
        "producer": {"name": "modelopt", "version": "0.45.0"},
        "quant_method": "modelopt",
        "runtime": None if policy is None else {"diffusion_step_policy": policy},
    }
    (folder / "transformer" / "config.json").write_text(json.dumps(config))
    return folder


def write_widened(source: Path, folder: Path, dtype: torch.dtype) -> Path:
    """An ordinary checkpoint of the weights that one in FP8 stands for."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("transformer", "*.index.json"))
    (folder / "transformer").mkdir()
    stored = transformer(source)
    own = {name: tensor for name, tensor in stored.items() if "scale" not in name and "quantizer" not in name}
    for name, tensor in own.items():
        if tensor.dtype == torch.float8_e4m3fn:
            scale = stored[f"{name.removesuffix('.weight')}.weight_scale"].reshape(-1, 1)
            own[name] = (tensor.float() * scale).to(dtype)
    write_transformer(folder, own)
    config = json.loads((source / "transformer" / "config.json").read_text())
    del config["quantization_config"]
    (folder / "transformer" / "config.json").write_text(json.dumps(config))
    return folder


def transformer(folder: Path) -> Tensors:
    """All tensors of a checkpoint's transformer."""
    shards = sorted((folder / "transformer").glob("*.safetensors"))
    return {name: tensor for shard in shards for name, tensor in load_file(shard).items()}


def write_transformer(folder: Path, *shards: Tensors) -> None:
    """Write shards of a transformer and both indexes."""
    weight_map: dict[str, str] = {}
    for number, tensors in enumerate(shards, 1):
        name = f"diffusion_pytorch_model-{number:05}-of-{len(shards):05}.safetensors"
        save_file(tensors, folder / "transformer" / name, metadata={"format": "pt"})
        weight_map |= dict.fromkeys(tensors, name)
    index = folder / "transformer" / "diffusion_pytorch_model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    (folder / "model.safetensors.index.json").write_text(json.dumps(root_index(folder)))


def change_tensors(folder: Path, edit: Callable[[Tensors], object]) -> None:
    """Rewrite a transformer, in one shard, with something done to its tensors."""
    tensors = transformer(folder)
    edit(tensors)
    for shard in (folder / "transformer").glob("*.safetensors"):
        shard.unlink()
    write_transformer(folder, tensors)


def change_quantization(folder: Path, **fields: object) -> None:
    """Say other things in a transformer's `quantization_config`."""
    path = folder / "transformer" / "config.json"
    config = json.loads(path.read_text())
    config["quantization_config"] |= fields
    path.write_text(json.dumps(config))
