"""What can be computed with: checkpoints with their presets, and LoRA adapters."""
