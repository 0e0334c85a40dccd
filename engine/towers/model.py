"""Both towers, built around the tensors of a checkpoint."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.towers.fp8_linear import Fp8Linear
from engine.towers.generator import Generator
from engine.towers.reasoner import Reasoner
from engine.weights.config import ModelConfig


class OmniModel(nn.Module):
    """The reasoner and the generator of one checkpoint."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.reasoner = Reasoner(config)
        self.generator = Generator(config)

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.generator.patch_in.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """What it computes in, the timestep embedder apart."""
        return self.generator.patch_in.weight.dtype


def build_model(config: ModelConfig, weights: dict[str, Tensor]) -> OmniModel:
    """A model that holds exactly these tensors; nothing is copied or initialised.

    Args:
        weights: as `engine.weights.read_weights` gives them; a matrix in FP8 has its scale beside it.
    """
    with torch.device("meta"):
        model = OmniModel(config)
    dtype = weights["generator.patch_in.weight"].dtype
    for name, scale in weights.items():
        layer, _, kind = name.rpartition(".")
        if kind == "scale":
            model.set_submodule(layer, Fp8Linear(weights[f"{layer}.weight"], scale, dtype))
    model.load_state_dict(weights, strict=True, assign=True)
    return model.eval().requires_grad_(False)
