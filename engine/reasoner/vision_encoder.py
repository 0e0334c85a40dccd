"""The vision encoder: patches in, tokens for the reasoner out. Its modules are transformers'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from transformers import Qwen3VLVisionModel
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

from engine.reasoner.pixels import Patches
from studio.checkpoints import read_json
from studio.errors import BrokenCheckpoint
from studio.sight import EDGE

EDGE_PREFIXES = {"model.visual.": "encoder.", "model.projector.": "projector."}
"""Edge's repository keeps the names of transformers' whole model."""


@dataclass(frozen=True)
class VisionFeatures:
    """What the encoder makes of one picture or clip, in the model's dtype.

    Attributes:
        features: [tokens, H], what takes the place of the placeholders' embeddings.
        deep: [tokens, H] each, added behind the first layers; none for Edge.
    """

    features: Tensor
    deep: tuple[Tensor, ...]


class VisionEncoder(nn.Module):
    """The encoder of one checkpoint; Edge's is followed by its projector."""

    def __init__(self, encoder: nn.Module, projector: nn.Module | None) -> None:
        super().__init__()
        self.encoder = encoder
        self.projector = projector

    def forward(self, patches: Patches) -> VisionFeatures:
        """Look at one picture or clip; frames do not see one another."""
        weight = next(self.encoder.parameters())
        values = patches.values.to(weight.device, weight.dtype)
        grid = torch.tensor([patches.grid], device=weight.device)
        out: Any = self.encoder(values, grid_thw=grid, return_dict=True)
        if self.projector is not None:
            return VisionFeatures(self.projector(out.last_hidden_state), ())
        return VisionFeatures(out.pooler_output, tuple(out.deepstack_features))


def read_vision_encoder(folder: Path, device: torch.device, dtype: torch.dtype) -> VisionEncoder | None:
    """The encoder in `vision_encoder/`, described by the root configuration; none where either is missing.

    Raises:
        BrokenCheckpoint: a file cannot be read, or does not hold exactly the encoder's tensors.
    """
    shards = sorted((folder / "vision_encoder").glob("*.safetensors"))
    if not shards or not (folder / "config.json").is_file():
        return None
    config = read_json(folder / "config.json")
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []), torch.device(device):
        vision = _build(config, folder)
    weights = _read_weights(shards, device, dtype, EDGE_PREFIXES if vision.projector is not None else {})
    expected = {name: tuple(tensor.shape) for name, tensor in vision.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if different := sorted(dict(found.items() ^ expected.items())):
        raise BrokenCheckpoint(
            f"{folder / 'vision_encoder'} does not fit config.json: {', '.join(different[:5])}.",
            param="checkpoint",
            hint="Pull it again.",
        )
    vision.load_state_dict(weights, strict=True, assign=True)
    return vision.eval().requires_grad_(False)


def _build(config: Mapping[str, Any], folder: Path) -> VisionEncoder:
    try:
        if config.get("model_type") == EDGE:
            # Not every transformers that reads Nano and Super has Edge.
            from transformers.models.cosmos3_edge import modeling_cosmos3_edge as edge
            from transformers.models.cosmos3_edge.configuration_cosmos3_edge import Cosmos3EdgeConfig

            own = Cosmos3EdgeConfig(**{name: value for name, value in config.items() if name != "model_type"})
            return VisionEncoder(edge.Cosmos3EdgeVisionModel(own.vision_config), edge.Cosmos3EdgePatchMerger(own))  # type: ignore[arg-type]
        vision = config.get("vision_config") or {}
        return VisionEncoder(
            Qwen3VLVisionModel(
                Qwen3VLVisionConfig(**{name: value for name, value in vision.items() if name != "model_type"})
            ),
            None,
        )
    except ImportError as error:
        raise BrokenCheckpoint(
            f"{folder} needs a newer transformers: {error}.", param="checkpoint", hint="Install the newest version."
        ) from None
    except (TypeError, ValueError, KeyError, AttributeError, StrictDataclassError) as error:
        raise BrokenCheckpoint(
            f"{folder}/config.json does not describe a reasoner: {error}.", param="checkpoint"
        ) from None


def _read_weights(
    shards: list[Path], device: torch.device, dtype: torch.dtype, prefixes: Mapping[str, str]
) -> dict[str, Tensor]:
    weights: dict[str, Tensor] = {}
    try:
        for shard in shards:
            with safe_open(shard, framework="pt", device=str(device)) as opened:
                for name in opened.keys():  # noqa: SIM118
                    weights[_named(name, prefixes)] = opened.get_tensor(name).to(dtype)
    except (SafetensorError, OSError) as error:
        raise BrokenCheckpoint(f"{shards[0].parent} cannot be read: {error}.", param="checkpoint") from None
    return weights


def _named(name: str, prefixes: Mapping[str, str]) -> str:
    for theirs, ours in prefixes.items():
        if name.startswith(theirs):
            return ours + name.removeprefix(theirs)
    return f"encoder.{name}"
