"""Fitting into less memory: weights that stay on the host or are divided among ranks, and what else to ask for."""

from engine.memory.budget import Budget, Shape, free_bytes
from engine.memory.host_weights import keep_on_host, move_weights
from engine.memory.sharded_weights import Peers, ShardedBlocks, shard_weights
from engine.memory.streamed_blocks import StreamedBlocks

__all__ = [
    "Budget",
    "Peers",
    "Shape",
    "ShardedBlocks",
    "StreamedBlocks",
    "free_bytes",
    "keep_on_host",
    "move_weights",
    "shard_weights",
]
