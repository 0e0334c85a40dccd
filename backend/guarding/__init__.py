"""The guardrail: a program of its own that reads prompts and sees frames, asked over loopback."""

from backend.guarding.guard import FrameGuard, Guard, SeenFrames

__all__ = ["FrameGuard", "Guard", "SeenFrames"]
