"""The ways out that an error offers, on every page."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "fix.use": "Use {value}",
    "fix.tier": "Try {tier}p",
    "fix.frames": "Try {frames} frames",
    "fix.one": "One at a time",
    "fix.own_words": "Use your original prompt",
    "fix.storage": "Storage",
    "fix.on": "on",
    "fix.off": "off",
}
