"""Tensors in, tensors out. The only room that knows torch, and only the worker imports it.

Calls point downward:

    engine        load, begin, step, preview, finish; converse, decode; sleep, wake
    parallel      several processes share each pass
    memory        weights on the host, what would fit
    sampling      any plan, step by step; knows no request
    planning      a request to a frozen plan; one file for each kind of request
    reasoner      conversations, token by token, on the same weights
    towers, vae   the model itself, clips decoded in strips; know no plan
    adapters      LoRA on the towers, added and taken away
    weights       the released layout; the only place that knows its names
    speck         builds the tiny random checkpoint in that layout
    bench         times all of it against diffusers
    verify        accounts for every tensor of a folder

A file is opened only while a checkpoint is loaded or built.
"""

from engine.codecs import Result
from engine.engine import Engine
from engine.reasoner import Conversation, Footage
from engine.sampling import Trajectory

__all__ = ["Conversation", "Engine", "Footage", "Result", "Trajectory"]
