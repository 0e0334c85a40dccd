"""What the image page says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.words.keys import MAKING_KEYS, Keys

PLACEHOLDER = "What should the picture show?"

KEYS: Keys = MAKING_KEYS

WORDS: dict[str, str] = {
    "empty.image": "Write a prompt, then Generate.",
}
