"""Denoising any plan: noise, trajectories, one packed step for several of them, the solver, the step cache."""

from engine.sampling.sampler import Evaluate, PrefixStore, denoise, prepare
from engine.sampling.step_cache import next_steps
from engine.sampling.trajectory import Chunk, Step, Trajectory

__all__ = ["Chunk", "Evaluate", "PrefixStore", "Step", "Trajectory", "denoise", "next_steps", "prepare"]
