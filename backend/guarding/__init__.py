"""The guardrail: a program of its own that reads prompts and sees frames, asked over loopback."""

from backend.guarding.frames import FrameGuard, SeenFrames
from backend.guarding.guard import Guard

__all__ = ["FrameGuard", "Guard", "SeenFrames"]
