"""The two towers of Cosmos 3 on one set of weights.

The reasoner reads a prompt once and leaves a `Prefix`: per-layer keys and values. The generator alone runs at every
denoising step, over `[prefix | diffusion tokens]`. This is exact, because the reasoner never sees the generator
(technical report, sections 2.3 and 5.3.1).

On a GPU the reasoner writes through `decoding`: recorded steps, one token of each conversation at a time.

Letters of the shapes: U prompt tokens, S packed diffusion tokens, H model width, N query heads, K key-value heads,
D head width, L layers.
"""

from engine.towers.cache import Cache
from engine.towers.fp8_linear import Fp8Linear, quantise
from engine.towers.generator import Generator, Precision
from engine.towers.model import OmniModel, assign, build_model, empty_model
from engine.towers.packing import Average, Exchange, Pack, Prefix
from engine.towers.prompt_reader import PromptReader
from engine.towers.reasoner import Reasoner
from engine.towers.rope import Rope, rope_tables

__all__ = [
    "Average",
    "Cache",
    "Exchange",
    "Fp8Linear",
    "Generator",
    "OmniModel",
    "Pack",
    "Precision",
    "Prefix",
    "PromptReader",
    "Reasoner",
    "Rope",
    "assign",
    "build_model",
    "empty_model",
    "quantise",
    "rope_tables",
]
