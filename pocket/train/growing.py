"""Towers with more layers that still compute what they computed: training goes on from there with more to learn with.

Each new layer is a copy of the one before it that adds nothing to the residual stream, so that texts, pictures and
actions are what they were until it has learnt something.
"""

from __future__ import annotations

import torch

from engine.towers import OmniModel
from engine.towers.block import Block


def source_layers(before: int, after: int, kept: int) -> list[int]:
    """Of each layer after growing, the layer before; where one comes a second time, that is a new one.

    Args:
        before, after: layers of a tower.
        kept: first layers that nothing is put between, since a vision encoder's features are added behind them.
    """
    rest = after - kept
    return [*range(kept), *(kept + index * (before - kept) // rest for index in range(rest))]


@torch.no_grad()
def grow(model: OmniModel, fresh: OmniModel, kept: int) -> None:
    """Put a model into a fresh one of the same sizes with as many layers or more.

    Args:
        kept: see `source_layers`.
    """
    sources = source_layers(model.config.num_hidden_layers, fresh.config.num_hidden_layers, kept)
    own = model.state_dict()
    grown = {name: value for name, value in own.items() if ".blocks." not in name}
    for name in fresh.state_dict():
        tower, found, place = name.partition(".blocks.")
        if found:
            layer, _, part = place.partition(".")
            grown[name] = own[f"{tower}.blocks.{sources[int(layer)]}.{part}"]
    fresh.load_state_dict(grown)
    for tower in (fresh.reasoner, fresh.generator):
        for layer, block in enumerate(tower.blocks):
            if layer and sources[layer] == sources[layer - 1]:
                assert isinstance(block, Block)
                block.out.weight.zero_()
                block.feed_forward.down.weight.zero_()
