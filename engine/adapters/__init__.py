"""LoRA adapters: read from a file, added to the towers at a scale, taken away without a trace."""

from engine.adapters.lora import LoraAdapters

__all__ = ["LoraAdapters"]
