"""Every word of the page that is not a request field's own title or help, in one place.

`WORDS` travels to the browser inside the served HTML; `{name}` is filled in there.
"""

from __future__ import annotations

from frontend.page.arena import words as arena
from frontend.page.ask import words as ask
from frontend.page.checkpoints import words as checkpoints
from frontend.page.compare import words as compare
from frontend.page.form import words as form
from frontend.page.frame import words as frame
from frontend.page.keys import CLIP_KEYS, MAKING_KEYS, Keys
from frontend.page.library import words as library
from frontend.page.making import words as making
from frontend.page.media import words as media
from frontend.page.parts import words as parts
from frontend.page.playhead import words as playhead
from frontend.page.queue import words as queue
from frontend.page.refine import words as refine
from frontend.page.robot import words as robot
from frontend.page.transfer import words as transfer
from frontend.page.world import words as world

STUDIO = "Orrery"

SKIP = "Skip to the form"
PLACES = "Pages"
CONNECTING = frame.CONNECTING
HELP = "Keyboard shortcuts"
DARK = "Dark mode"
GUARDRAIL = "guardrail"
CLOSE = frame.CLOSE

GENERATE = "Generate"
PLACEHOLDERS: dict[str, str] = {
    "image": making.IMAGE_PLACEHOLDER,
    "video": making.VIDEO_PLACEHOLDER,
    "sound": making.SOUND_PLACEHOLDER,
    "transfer": transfer.PLACEHOLDER,
    "world": world.PLACEHOLDER,
    "inverse": world.PLACEHOLDER,
    "policy": world.POLICY_PLACEHOLDER,
}
"""By page, what an empty prompt asks."""

UNSAID = "default"
ON = "on"
OFF = "off"
AND_MORE = "{first} and {more} more"

ROBOT_STOP = "STOP"
ROBOT_STOP_LABEL = "Emergency stop"
ROBOT_STOP_HELP = "Space or Esc · not the hardware stop"

SHORTCUTS: dict[str, Keys] = {
    "image": MAKING_KEYS,
    **dict.fromkeys(("video", "sound", "transfer", "world", "inverse", "policy"), CLIP_KEYS),
    "ask": ask.KEYS,
    "compare": compare.KEYS,
    "arena": arena.KEYS,
    "refine": refine.KEYS,
    "library": library.KEYS,
    "queue": queue.KEYS,
    "checkpoints": checkpoints.KEYS,
    "robot": robot.KEYS,
}
"""By page, keys and what they do, as the help lists them."""

PALETTE_KEY = (("Ctrl", "K"), "Open the command palette")
"""The same of every page."""

_ROOMS = (
    parts,
    frame,
    media,
    playhead,
    form,
    making,
    transfer,
    world,
    ask,
    compare,
    arena,
    refine,
    library,
    queue,
    checkpoints,
    robot,
)

WORDS: dict[str, str] = {key: words for room in _ROOMS for key, words in room.WORDS.items()}
