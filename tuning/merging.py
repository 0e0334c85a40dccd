"""What a save holds of what learns: an adapter's matrices, or whole weights with an adapter folded in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from engine.towers import OmniModel
from tuning.lora import LearningLora, adapter_parameters
from tuning.weights import released_tensors


def adapter_tensors(
    model: OmniModel, layers: Sequence[LearningLora], weights: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """An adapter's matrices by PEFT's names.

    Args:
        weights: what learns, by its names in the model.
    """
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    return {name: weights[names[id(parameter)]] for name, parameter in adapter_parameters(layers)}


def merged_tensors(
    model: OmniModel, layers: Sequence[LearningLora], weights: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """What learns as whole weights, by official names, on the CPU.

    Each adapted layer becomes `base + scale * up @ down`, computed in float32 and kept in the dtype of the base.

    Args:
        weights: what learns, by its names in the model.
    """
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    of_layers = {names[id(part)] for layer in layers for part in (*layer.downs, *layer.ups)}
    whole = {name: value for name, value in weights.items() if name not in of_layers}
    targets = {id(module): name for name, module in model.named_modules()}
    for layer in layers:
        pairs = zip(layer.downs, layer.ups, strict=True)
        added = torch.cat([weights[names[id(up)]] @ weights[names[id(down)]] for down, up in pairs])
        base = layer.base.weight.detach()
        whole[f"{targets[id(layer)]}.weight"] = (base.float() + layer.scale * added).to(base)
    return released_tensors(model, whole)
