"""The place of checkpoints: load, unload, memory, download."""
