"""Every word of the page that is not a request field's own title or help, in one place.

What a page says of `WORDS` travels to the browser inside its HTML; `{name}` is filled in there.
"""

from __future__ import annotations

from frontend.page.form import words as form
from frontend.page.frame import words as frame
from frontend.page.media import words as media
from frontend.page.parts import words as parts
from frontend.page.playhead import words as playhead
from frontend.places import FORMS, PLACES

STUDIO = "Orrery"

SKIP = "Skip to the form"
PAGES = "Pages"
CONNECTING = frame.CONNECTING
HELP = "Keyboard shortcuts"
SETTINGS = frame.SETTINGS
DARK = "Dark mode"
GUARDRAIL = "guardrail"
CLOSE = frame.CLOSE

GENERATE = "Generate"
PROMPTS: dict[str, str] = {place.name: place.prompt for place in FORMS}
"""By page, what an empty prompt asks."""

UNSAID = "default"
ON = "on"
OFF = "off"
AND_MORE = "{first} and {more} more"

ROBOT_STOP = "STOP"
ROBOT_STOP_LABEL = "Emergency stop"
ROBOT_STOP_KEYS = "Space or Esc · "
ROBOT_STOP_HELP = "not the hardware stop"

PALETTE_KEY = (("Ctrl", "K"), "Open the command palette")
"""Beside a page's own keys."""

WORDS: dict[str, str] = {
    key: words
    for said in (
        *(part.WORDS for part in (parts, frame, media, playhead, form)),
        *(place.words for place in (*FORMS, *PLACES)),
    )
    for key, words in said.items()
}
