"""How a place lists its keys for the help."""

from __future__ import annotations

Keys = tuple[tuple[tuple[str, ...], str], ...]
"""Keys, and what they do: `((("Ctrl", "↵"), "Generate"),)`."""

MAKING_KEYS: Keys = (
    (("Ctrl", "↵"), "Generate, also while typing"),
    (("Esc",), "Leave a field, then cancel the job shown"),
    (("/",), "Go to the prompt"),
    (("←", "→"), "Move between options, or along the strip"),
    (("F",), "Enlarge the result"),
    (("?",), "Show this list"),
)
"""Of every page with a form."""

CLIP_KEYS: Keys = (
    *MAKING_KEYS[:3],
    (("J", "L"), "Previous frame, next frame; arrow keys too"),
    (("K",), "Play or pause"),
    *MAKING_KEYS[3:],
)
"""Of those that show clips."""
