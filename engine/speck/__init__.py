"""speck: a tiny random checkpoint in the released layout, with every structural quirk of Nano's and none of its skill.

diffusers, transformers and the engine load the same folder. What it draws is noise, by design.
"""

from engine.speck.build import build_speck

__all__ = ["build_speck"]
