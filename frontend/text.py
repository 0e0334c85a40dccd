"""Every word of the page that is not a request field's own title or help, in one place.

`WORDS` travels to the browser inside the served HTML; `{name}` is filled in there.
"""

from __future__ import annotations

from frontend.words import (
    arena,
    ask,
    checkpoints,
    compare,
    header,
    image,
    library,
    making,
    playhead,
    queue,
    refine,
    robot,
    sound,
    tools,
    transfer,
    video,
    world,
)
from frontend.words.keys import Keys

STUDIO = "Orrery"

SKIP = "Skip to the form"
PLACES = "Places"
CONNECTING = header.CONNECTING
HELP = "Keyboard shortcuts"
DARK = "Dark mode"
GUARDRAIL = "guardrail"
CLOSE = header.CLOSE

GENERATE = "Generate"
PLACEHOLDERS: dict[str, str] = {
    "image": image.PLACEHOLDER,
    "video": video.PLACEHOLDER,
    "sound": sound.PLACEHOLDER,
    "transfer": transfer.PLACEHOLDER,
    "world": world.PLACEHOLDER,
    "inverse": world.PLACEHOLDER,
    "policy": world.POLICY_PLACEHOLDER,
}
"""By page, what an empty prompt asks."""

UNSAID = "its own"
ON = "on"
OFF = "off"
AND_MORE = "{first} and {more} more"

ROBOT_STOP = "STOP"
ROBOT_STOP_LABEL = "Emergency stop"
ROBOT_STOP_HELP = "Space or Esc · not the hardware stop"

_PLACES = {
    "image": image,
    "video": video,
    "sound": sound,
    "transfer": transfer,
    "world": world,
    "inverse": world,
    "policy": world,
    "ask": ask,
    "library": library,
    "refine": refine,
    "queue": queue,
    "robot": robot,
    "compare": compare,
    "arena": arena,
    "checkpoints": checkpoints,
}

SHORTCUTS: dict[str, Keys] = {name: words.KEYS for name, words in _PLACES.items()}
"""By page, keys and what they do, as the help lists them."""

MISTAKES: dict[str, str] = {
    "greater_than_equal": "At least {ge:g}",
    "less_than_equal": "At most {le:g}",
    "int_type": "A whole number is needed",
    "int_from_float": "A whole number is needed",
    "int_parsing": "A whole number is needed",
    "float_type": "A number is needed",
    "float_parsing": "A number is needed",
    "finite_number": "A finite number is needed",
    "literal_error": "One of {expected}",
    "missing": "This is needed",
}
"""What to say below a field, by pydantic's name for what is wrong with it."""

WORDS: dict[str, str] = {
    key: words for part in (header, making, tools, playhead, *_PLACES.values()) for key, words in part.WORDS.items()
}
