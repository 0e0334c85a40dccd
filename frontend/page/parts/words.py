"""What parts of every page say: the ways out that an error offers, and the reasoner's adapter."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "reasoner.adapter": "Adapter of the reasoner",
    "reasoner.adapter_help": "A LoRA adapter that the reasoner wears for its answers; images stay as they are",
    "reasoner.no_adapter": "No reasoner adapter",
    "fix.use": "Use {value}",
    "fix.tier": "Try {tier}p",
    "fix.frames": "Try {frames} frames",
    "fix.one": "One at a time",
    "fix.own_words": "Use your original prompt",
    "fix.storage": "Storage",
    "fix.on": "on",
    "fix.off": "off",
}
