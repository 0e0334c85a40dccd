"""Tensors in, tensors out. The only room that knows torch, and only the worker imports it.

Calls point downward:

    engine        load, begin, step, preview, finish
    sampling      any plan, step by step; knows no request
    planning      a request to a frozen plan; one file for each kind of request
    towers, vae   the model itself; know no plan
    weights       the released layout; the only place that knows its names
    speck         builds the tiny random checkpoint in that layout
    bench         times all of it against diffusers

A file is opened only while a checkpoint is loaded or built.
"""

from engine.engine import Engine
from engine.result import Result
from engine.sampling import Trajectory

__all__ = ["Engine", "Result", "Trajectory"]
