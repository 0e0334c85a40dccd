"""Towers that are wider but still compute what they computed: training goes on from there with more to learn with.

New channels of the residual stream are written by nothing yet and read by weights that were just drawn; new heads and
new inner channels compute something and nothing reads it yet. So texts, pictures and actions are what they were, and
every new weight gets a gradient within two steps.
"""

from __future__ import annotations

import torch
from torch import Tensor
from transformers import Qwen3VLVisionModel

from engine.towers import OmniModel
from engine.weights import ModelConfig

WRITERS = (
    "embed_tokens.weight",
    "timesteps.second.weight",
    "patch_in.weight",
    "patch_in.bias",
    "out.weight",
    "down.weight",
    "sound.embedding.weight",
    "sound.embedding.bias",
    "modality",
    "action.embedding",
    "action.embedding_bias",
)
"""Of parameters' names the ends of those that write to the residual stream."""


@torch.no_grad()
def grow(model: OmniModel, fresh: OmniModel) -> None:
    """Put a model into a fresh one of as many layers that is as wide or wider, with as many heads or more."""
    own, config = model.state_dict(), fresh.config
    # A norm divides by the root of a mean over more channels, of which the new ones are 0.
    louder = (model.config.hidden_size / config.hidden_size) ** 0.5
    grown: dict[str, Tensor] = {}
    for name, wide in fresh.state_dict().items():
        if name.endswith("qk_norm.weight"):
            # One row for all query heads and one for all key heads.
            rows = own[name][[0] * config.num_attention_heads + [-1] * config.num_key_value_heads]
            grown[name] = rows.clone()
        elif name.endswith("norm.weight"):
            grown[name] = _placed(own[name], wide) * louder
        else:
            before, after = (_parts(name, value, of.config) for value, of in ((own[name], model), (wide, fresh)))
            start = [torch.zeros_like(part) for part in after] if name.endswith(WRITERS) else after
            parts = [_placed(part, room) for part, room in zip(before, start, strict=True)]
            grown[name] = torch.cat(parts).reshape(wide.shape)
    fresh.load_state_dict(grown)


@torch.no_grad()
def grow_sight(own: dict[str, Tensor], sight: Qwen3VLVisionModel) -> None:
    """Put a vision encoder's weights into a fresh one whose features are wider: new channels of them are 0."""
    wide = sight.state_dict()
    sight.load_state_dict({name: _placed(own[name], torch.zeros_like(wide[name])) for name in wide})


def _parts(name: str, value: Tensor, config: ModelConfig) -> list[Tensor]:
    """What is stacked in a tensor, each to be widened by itself, its last two dimensions being all it has."""
    if name.endswith("qkv.weight"):
        heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
        return list(value.split([count * config.head_dim for count in (heads, kv_heads, kv_heads)]))
    if name.endswith("up.weight"):
        return list(value.split(config.intermediate_size))
    if name.endswith("action.embedding"):
        return [value.unflatten(1, (-1, config.hidden_size))]
    if name.endswith("action.reading"):
        return [value.unflatten(1, (config.hidden_size, -1))]
    return [value]


def _placed(own: Tensor, wide: Tensor) -> Tensor:
    """A wide tensor whose first rows, columns and so on are those of a smaller one."""
    placed = wide.clone()
    placed[tuple(slice(size) for size in own.shape)] = own
    return placed
