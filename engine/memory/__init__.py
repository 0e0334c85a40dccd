"""Fitting into less memory: weights that stay on the host, sleep, clips decoded in strips, and what else to ask for."""

from engine.memory.budget import Budget, free_bytes
from engine.memory.estimate import Shape
from engine.memory.moving import move_weights
from engine.memory.streamed_blocks import keep_on_host
from engine.memory.strips import decode_in_strips

__all__ = ["Budget", "Shape", "decode_in_strips", "free_bytes", "keep_on_host", "move_weights"]
