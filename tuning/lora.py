"""LoRA adapters that learn: low-rank parts beside frozen linear layers, one for each module of the released layout.

The engine fuses queries, keys and values, and gate and up, into one layer each; an adapter knows the modules apart. The
second matrix starts at zero, so that the first step computes what the checkpoint does, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from engine.towers import OmniModel
from engine.weights.key_map import key_map
from studio.tuning import Lora

TowerName = Literal["generator", "reasoner"]

LAYERS = {
    "attention": ("qkv", "out"),
    "all": ("qkv", "out", "feed_forward.up", "feed_forward.down"),
}
"""Layers of a block, by `Lora.layers`."""


@dataclass(frozen=True)
class Module:
    """A linear module of the released layout, such as `layers.3.self_attn.add_q_proj`."""

    name: str
    outputs: int


class LearningLora(nn.Module):
    """`base(x) + scale * up(down(x))` for each module that a layer fuses.

    Attributes:
        base: the frozen layer.
        downs: [rank, inputs] of each module, float32, drawn as PEFT draws them.
        ups: [outputs, rank] of each, float32, zeros.
        scale: what their product is multiplied by.
    """

    def __init__(
        self, base: nn.Linear, modules: Sequence[Module], rank: int, scale: float, dice: torch.Generator
    ) -> None:
        super().__init__()
        self.base, self.modules_here, self._rank, self.scale = base, tuple(modules), rank, scale
        self._count = len(modules)
        device = base.weight.device
        downs = [torch.empty(rank, base.in_features) for _ in modules]
        for down in downs:
            nn.init.kaiming_uniform_(down, a=math.sqrt(5), generator=dice)
        self.downs = nn.ParameterList(down.to(device) for down in downs)
        self.ups = nn.ParameterList(torch.zeros(module.outputs, rank, device=device) for module in modules)

    @property
    def weight(self) -> Tensor:
        """The base layer's, for whoever asks where and in what it computes."""
        return self.base.weight

    def forward(self, x: Tensor) -> Tensor:
        """x [..., inputs] → [..., outputs]."""
        out = self.base(x)
        # By their places: PyTorch's compiler does not unpack a list of parameters.
        low = linear(x.to(self.downs[0].dtype), torch.cat([self.downs[place] for place in range(self._count)]))
        parts = [linear(part, self.ups[place]) for place, part in enumerate(low.split(self._rank, -1))]
        return out + (self.scale * torch.cat(parts, -1)).to(out.dtype)


def put_on(model: OmniModel, tower: TowerName, lora: Lora, seed: int) -> list[LearningLora]:
    """Put a fresh adapter on a tower's layers; nothing else of the model learns."""
    model.requires_grad_(False)
    dice = torch.Generator().manual_seed(seed)
    made: list[LearningLora] = []
    for entry in key_map(model.config):
        name = entry.target.removesuffix(".weight")
        if not name.startswith(f"{tower}.blocks.") or not name.endswith(LAYERS[lora.layers]):
            continue
        base = model.get_submodule(name)
        assert isinstance(base, nn.Linear)
        modules = [Module(source.name.removesuffix(".weight"), source.shape[0]) for source in entry.sources]
        layer = LearningLora(base, modules, lora.rank, lora.scale, dice)
        model.set_submodule(name, layer)
        made.append(layer)
    return made


def adapter_parameters(layers: Sequence[LearningLora]) -> Iterator[tuple[str, nn.Parameter]]:
    """Every matrix with its name in PEFT's layout."""
    for layer in layers:
        for module, down, up in zip(layer.modules_here, layer.downs, layer.ups, strict=True):
            yield f"base_model.model.{module.name}.lora_A.weight", down
            yield f"base_model.model.{module.name}.lora_B.weight", up
