"""Keys and values of a conversation, kept so that each token is read once."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.weights.config import ModelConfig

MIN_CAPACITY = 256


class Cache:
    """What the reasoner remembers of one conversation: a pair of tensors [L, K, capacity, D].

    The tensors stay where they are until they are full, then move to some twice as long, so that a step writes in
    place. Positions up to `length` are filled; the next ones are written layer by layer and counted by `advance`.
    """

    def __init__(self, config: ModelConfig, device: torch.device, dtype: torch.dtype) -> None:
        shape = (config.num_hidden_layers, config.num_key_value_heads, 0, config.head_dim)
        self.keys = torch.empty(shape, device=device, dtype=dtype)
        self.values = torch.empty(shape, device=device, dtype=dtype)
        self.length = 0

    @property
    def capacity(self) -> int:
        """Tokens that there is room for."""
        return self.keys.shape[2]

    def reserve(self, length: int) -> None:
        """Make room for `length` tokens in all; those that are there stay."""
        if length <= self.capacity:
            return
        capacity = max(self.capacity, MIN_CAPACITY)
        while capacity < length:
            capacity *= 2
        self.keys, self.values = (self._moved(old, capacity) for old in (self.keys, self.values))

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Put keys and values [K, n, D] of the next n tokens behind those that are there.

        Returns:
            All of that layer, [K, length + n, D] each.
        """
        end = self.length + keys.shape[1]
        assert end <= self.capacity
        self.keys[layer, :, self.length : end] = keys
        self.values[layer, :, self.length : end] = values
        return self.keys[layer, :, :end], self.values[layer, :, :end]

    def advance(self, num_tokens: int) -> None:
        """Count tokens that every layer has written."""
        self.length += num_tokens

    def take(self, other: Cache, length: int) -> None:
        """Begin with the first `length` tokens of another conversation, copied."""
        assert self.length == 0
        self.reserve(length)
        self.keys[:, :, :length] = other.keys[:, :, :length]
        self.values[:, :, :length] = other.values[:, :, :length]
        self.length = length

    def trimmed(self) -> Cache:
        """A copy without spare room."""
        copy = Cache.__new__(Cache)
        copy.keys = self.keys[:, :, : self.length].clone()
        copy.values = self.values[:, :, : self.length].clone()
        copy.length = self.length
        return copy

    def _moved(self, old: Tensor, capacity: int) -> Tensor:
        new = old.new_empty((*old.shape[:2], capacity, old.shape[3]))
        new[:, :, : self.length] = old[:, :, : self.length]
        return new
