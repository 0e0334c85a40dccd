"""What the sound page says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.words.keys import CLIP_KEYS, Keys

PLACEHOLDER = "What should be seen and heard?"

KEYS: Keys = CLIP_KEYS

WORDS: dict[str, str] = {
    "empty.sound": "Write what is seen and heard, then Generate.",
    "waveform.label": "Sound of the clip, as loudness over time",
}
