"""Fitting into less memory: weights that stay on the host, sleep, and what else to ask for."""

from engine.memory.budget import Budget, Shape, free_bytes
from engine.memory.host_weights import keep_on_host, move_weights

__all__ = ["Budget", "Shape", "free_bytes", "keep_on_host", "move_weights"]
