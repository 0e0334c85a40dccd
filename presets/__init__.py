"""Data: checkpoints, defaults, prompts. No code lives here."""
