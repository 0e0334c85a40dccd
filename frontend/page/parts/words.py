"""What parts of every page say: ways out that an error offers, the reasoner's adapter, a video's token budget."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "reasoner.adapter": "Adapter of the reasoner",
    "reasoner.adapter_help": "A LoRA adapter that the reasoner wears for its answers; images stay as they are",
    "reasoner.no_adapter": "No reasoner adapter",
    "budget.title": "Token budget of a video",
    "budget.help": "A token is a square of 32 pixels of two frames; frames × resolution is what a video takes",
    "budget.width": "Width",
    "budget.height": "Height",
    "budget.duration_s": "Seconds",
    "budget.takes": "{frames} frames at {width}x{height} are {tokens} tokens.",
    "budget.left": "{left} of {most} are left for times, question and answer.",
    "budget.too_many": "That is {over} more than the {most} of a conversation.",
    "budget.largest": "Square frames of up to {side} px leave {words} for words.",
    "budget.none_fits": "No frame size leaves {words} for words: use fewer frames.",
    "fix.use": "Use {value}",
    "fix.tier": "Try {tier}p",
    "fix.frames": "Try {frames} frames",
    "fix.one": "One at a time",
    "fix.own_words": "Use your original prompt",
    "fix.storage": "Storage",
    "fix.on": "on",
    "fix.off": "off",
}
