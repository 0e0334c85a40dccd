"""How a place lists its keys for the help."""

from __future__ import annotations

Keys = tuple[tuple[tuple[str, ...], str], ...]
"""Keys, and what they do: `((("Ctrl", "↵"), "Generate"),)`."""

MAKING_KEYS: Keys = (
    (("Ctrl", "↵"), "Generate, also while typing"),
    (("Esc",), "Leave a field, then cancel the job on the stage"),
    (("/",), "Go to the prompt"),
    (("←", "→"), "Move between choices, or along the strip"),
    (("?",), "This list"),
)
"""Of every page with a form."""

CLIP_KEYS: Keys = (
    *MAKING_KEYS[:3],
    (("J", "L"), "One frame back, one on; the arrows too"),
    (("K",), "Play, pause"),
    *MAKING_KEYS[3:],
)
"""Of those that show clips."""
