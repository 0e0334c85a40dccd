"""LoRA adapters: read from a file, put on the towers at a scale, taken off without a trace."""

from engine.adapters.wardrobe import Wardrobe

__all__ = ["Wardrobe"]
