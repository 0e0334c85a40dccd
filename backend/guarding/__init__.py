"""The guardrail: a program of its own that reads prompts before they are run, asked over loopback."""

from backend.guarding.guard import Guard

__all__ = ["Guard"]
