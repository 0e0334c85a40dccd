"""What the video page says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.words.keys import CLIP_KEYS, Keys

PLACEHOLDER = "What should happen?"

KEYS: Keys = CLIP_KEYS

WORDS: dict[str, str] = {
    "empty.video": "Write what should happen, then Generate. A picture or a clip to start from is welcome.",
    "start.title": "Starts from",
    "start.empty": "nothing yet: words alone. A picture or a clip may be dropped here.",
    "start.kept": "Kept",
    "start.of": "{kept} of {frames} frames",
    "start.end": "Which end of the clip is kept",
    "start.first": "its beginning",
    "start.last": "its end",
}
