"""Both towers, built around the tensors of a checkpoint."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.towers.fp8_linear import Fp8Linear
from engine.towers.generator import Generator, Precision
from engine.towers.reasoner import Reasoner
from engine.weights.config import ModelConfig
from engine.weights.quantization import PreciseSteps


class OmniModel(nn.Module):
    """The reasoner and the generator of one checkpoint."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.reasoner = Reasoner(config)
        self.generator = Generator(config)

    def prepare(self, precision: Precision, *, compiled: bool, precise_steps: PreciseSteps | None = None) -> None:
        """Settle how blocks are computed, see `Generator.prepare`; the reasoner reads prompts the same way, exactly."""
        self.generator.prepare(precision, compiled=compiled, precise_steps=precise_steps)
        self.reasoner.pieces = self.generator.pieces

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
    model = empty_model(config)
    assign(model, weights, weights["generator.patch_in.weight"].dtype)
    return model.eval().requires_grad_(False)


def empty_model(config: ModelConfig) -> OmniModel:
    """A model without any memory, on the meta device."""
    with torch.device("meta"):
        return OmniModel(config)


def assign(module: nn.Module, weights: dict[str, Tensor], dtype: torch.dtype, *, strict: bool = True) -> None:
    """Put tensors in the place of a module's.

    Args:
        dtype: what layers in FP8 take and give.
        strict: all of the module's, and no others.
    """
    for name, scale in weights.items():
        layer, _, kind = name.rpartition(".")
        if kind == "scale":
            module.set_submodule(layer, Fp8Linear(weights[f"{layer}.weight"], scale, dtype))
    module.load_state_dict(weights, strict=strict, assign=True)
