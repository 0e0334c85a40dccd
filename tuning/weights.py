"""Towers to train: fresh ones on the engine's own modules, and from them the tensors of the released layout."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from engine.towers import OmniModel, build_model
from engine.towers.block import Block
from engine.weights import ModelConfig, open_folder, read_weights
from engine.weights.key_map import key_map


def fresh_model(config: ModelConfig, seed: int) -> OmniModel:
    """Both towers, initialised: matrices normal with 0.02, or less where they write to the residual stream."""
    model = OmniModel(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(fresh_values(name, parameter.shape, config, generator))
    return _tied(model)


def fresh_values(name: str, shape: torch.Size, config: ModelConfig, generator: torch.Generator) -> Tensor:
    """What a parameter of this name in the model begins with, float32 on the CPU."""
    if name.endswith("norm.weight"):
        return torch.ones(shape)
    if name.endswith(("bias", "patch_out.weight", "sound.reading.weight", "action.reading")):
        # The first velocity is none: the loss starts at the variance of its target.
        return torch.zeros(shape)
    if name.endswith("action.embedding"):
        return torch.empty(shape).normal_(std=config.hidden_size**-0.5, generator=generator)
    depth = (2 * config.num_hidden_layers) ** 0.5
    scale = depth if name.endswith((".out.weight", ".down.weight")) else 1.0
    fan_in = shape[-1] ** -0.5 if len(shape) > 1 else 0.02
    std = 0.02 if "embed_tokens" in name or "bias" in name else 0.6 * fan_in
    return torch.empty(shape).normal_(std=std / scale, generator=generator)


def _tied(model: OmniModel) -> OmniModel:
    model.requires_grad_(True).train()
    tie_heads(model)
    return model


def tie_heads(model: OmniModel) -> None:
    """Keep the query norms of a layer's heads equal, and its key norms: a checkpoint has one row for all of either.

    The engine stores a row a head. Rows that start equal and get the mean of their gradients stay equal.
    """
    for tower in (model.reasoner, model.generator):
        for block in tower.blocks:
            assert isinstance(block, Block)
            if block.qk_norm is not None and block.qk_norm.weight.requires_grad:
                block.qk_norm.weight.register_hook(_Tied(block.num_heads))


class _Tied:
    """The gradient [N + K, D] with each kind's rows at their mean."""

    def __init__(self, num_heads: int) -> None:
        self._num_heads = num_heads

    def __call__(self, gradient: Tensor) -> Tensor:
        kinds = gradient.tensor_split([self._num_heads])
        return torch.cat([kind.mean(0, keepdim=True).expand_as(kind) for kind in kinds])


def released_tensors(model: OmniModel, parameters: dict[str, Tensor] | None = None) -> dict[str, Tensor]:
    """The tensors of `transformer/` by their official names, on the CPU: `engine.weights.key_map` backwards.

    Args:
        parameters: instead of all of the model's own, by their names here.
    """
    own = parameters if parameters is not None else dict(model.named_parameters())
    released: dict[str, Tensor] = {}
    for entry in key_map(model.config):
        if entry.target not in own:
            continue
        sizes = [source.heads or source.shape[0] for source in entry.sources]
        parts = own[entry.target].detach().cpu().split(sizes)
        for source, part in zip(entry.sources, parts, strict=True):
            released[source.name] = (part[0] if source.heads else part).reshape(source.shape).clone()
    return released


def read_model(folder: Path) -> OmniModel:
    """The towers of a checkpoint, to be trained on, in float32.

    Raises:
        NotACheckpoint, BrokenCheckpoint: see `engine.weights.open_folder`.
    """
    opened = open_folder(folder)
    weights = read_weights(opened, torch.device("cpu"), torch.float32)
    model = build_model(opened.config, {name: tensor.clone() for name, tensor in weights.items()})
    return _tied(model)
