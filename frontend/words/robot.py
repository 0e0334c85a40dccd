"""The keys of the robot page, whose words are `frontend.robot_text`."""

from __future__ import annotations

from frontend.robot_text import ROBOT_WORDS
from frontend.words.keys import Keys

KEYS: Keys = (
    (("Space",), "STOP, except while typing"),
    (("Esc",), "STOP while anything moves, also while typing"),
    (("H",), "Hold"),
    (("R",), "Resume"),
    (("A", "X"), "Play the chunk that is shown, or ask again"),
    (("N",), "Play the next row, in step mode"),
    (("Ctrl", "↵"), "Start, or send another instruction"),
    (("/",), "Go to the instruction"),
    (("?",), "This list"),
)

WORDS: dict[str, str] = ROBOT_WORDS
