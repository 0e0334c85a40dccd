"""The places of the studio, as the rail lists them. A place is listed on the day it exists."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """One entry of the rail.

    Attributes:
        name: also the prefix of the page's element ids.
        group: the heading it stands under.
        title: as read.
        path: on this server.
        icon: a name in `frontend.icons`.
        kind: the request that its form makes; empty for a place without one.
        script: the module that the page begins with, in `frontend/page`.
        styles: style sheets beside those of every page, in `frontend/page`, without their ending.
        within: name of the place in whose entry of the rail it is counted, if it has none of its own.
    """

    name: str
    group: str
    title: str
    path: str
    icon: str
    kind: str = ""
    script: str = "making/orrery.js"
    styles: tuple[str, ...] = ()
    within: str = ""


STYLES = (
    "frame/tokens",
    "frame/shell",
    "frame/toasts",
    "parts/controls",
    "parts/popover",
    "form/form",
    "making/stage",
)
"""The style sheets of every page, in the order in which they apply; a place's own follow."""

MAKING_STYLES = ("making/making", "media/media", "media/player", "media/beside_clip")
IMAGE = Place("image", "Make", "Image", "/", "image", "generate_image", styles=MAKING_STYLES)
VIDEO = Place("video", "Make", "Video", "/video", "video", "generate_video", styles=MAKING_STYLES)
SOUND = Place("sound", "Make", "Sound", "/sound", "sound", "generate_video", styles=MAKING_STYLES)
TRANSFER = Place(
    "transfer",
    "Make",
    "Transfer",
    "/transfer",
    "transfer",
    "transfer_video",
    script="transfer/transfer.js",
    styles=(*MAKING_STYLES, "transfer/transfer"),
)
_WORLD_STYLES = (*MAKING_STYLES, "world/world")
WORLD = Place(
    "world", "Make", "World", "/world", "world", "predict_video", script="world/world.js", styles=_WORLD_STYLES
)
INVERSE = Place(
    "inverse", "Make", "World", "/inverse", "world", "predict_actions", "world/world.js", _WORLD_STYLES, within="world"
)
POLICY = Place(
    "policy", "Make", "World", "/policy", "world", "run_policy", "world/world.js", _WORLD_STYLES, within="world"
)
_LISTS = ("parts/keeping", "queue/queue")
PLAYHEAD_STYLES = ("playhead/playhead", "playhead/bar")
ASK = Place(
    "ask",
    "Think",
    "Ask",
    "/ask",
    "ask",
    script="ask/ask.js",
    styles=("parts/keeping", "media/media", "media/player", "media/beside_clip", "ask/ask"),
)
COMPARE = Place(
    "compare",
    "Judge",
    "Compare",
    "/compare",
    "compare",
    script="compare/compare.js",
    styles=(*_LISTS, "media/media", *PLAYHEAD_STYLES, "compare/compare", "compare/form"),
)
_ARENA_STYLES = (*_LISTS, "media/media", *PLAYHEAD_STYLES, "arena/arena", "arena/tables")
ARENA = Place("arena", "Judge", "Arena", "/arena", "arena", script="arena/arena.js", styles=_ARENA_STYLES)
_REFINE_STYLES = (
    "parts/keeping",
    "media/media",
    "media/player",
    "media/beside_clip",
    "ask/ask",
    "refine/refine",
    "refine/tree",
)
REFINE = Place("refine", "Judge", "Refine", "/refine", "refine", script="refine/refine.js", styles=_REFINE_STYLES)
_LIBRARY_STYLES = ("parts/keeping", "library/library", "library/peek", "media/player", "media/beside_clip")
LIBRARY = Place(
    "library", "Keep", "Library", "/library", "library", script="library/library.js", styles=_LIBRARY_STYLES
)
QUEUE = Place("queue", "Keep", "Queue", "/queue", "queue", script="queue/queue.js", styles=_LISTS)
CHECKPOINTS = Place(
    "checkpoints",
    "System",
    "Checkpoints",
    "/checkpoints",
    "checkpoints",
    script="checkpoints/checkpoints.js",
    styles=(*_LISTS, "checkpoints/checkpoints"),
)
ROBOT = Place(
    "robot",
    "Act",
    "Robot",
    "/robot",
    "robot",
    script="robot/robot.js",
    styles=("robot/robot", "robot/orders", "robot/seen", "robot/recorded"),
)
API = Place("api", "System", "API", "/docs", "braces")

MAKING: tuple[Place, ...] = (IMAGE, VIDEO, SOUND, TRANSFER, WORLD)
"""Places with a form, as the rail lists them."""

FORMS: tuple[Place, ...] = (*MAKING, INVERSE, POLICY)
"""Every place with a form."""

KEEPING: tuple[Place, ...] = (ASK, COMPARE, ARENA, REFINE, LIBRARY, QUEUE, CHECKPOINTS)
"""Places of what was made, what is being made and what makes it."""

PLACES: tuple[Place, ...] = (*MAKING, ASK, COMPARE, ARENA, REFINE, LIBRARY, QUEUE, ROBOT, CHECKPOINTS, API)
