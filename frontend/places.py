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
        script: the module that the page begins with, in `frontend/static`.
        styles: style sheets beside those of every page, in `frontend/static`.
        within: name of the place in whose entry of the rail it is counted, if it has none of its own.
    """

    name: str
    group: str
    title: str
    path: str
    icon: str
    kind: str = ""
    script: str = "orrery.js"
    styles: tuple[str, ...] = ()
    within: str = ""


STYLES = ("tokens", "shell", "toasts", "controls", "form", "stage")
"""The style sheets of every page, in the order in which they apply; a place's own follow."""

MAKING_STYLES = ("popover", "making", "media", "player", "beside_clip")
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
    script="transfer.js",
    styles=(*MAKING_STYLES, "transfer"),
)
_WORLD_STYLES = (*MAKING_STYLES, "world")
WORLD = Place("world", "Make", "World", "/world", "world", "predict_video", script="world.js", styles=_WORLD_STYLES)
INVERSE = Place(
    "inverse", "Make", "World", "/inverse", "world", "predict_actions", "world.js", _WORLD_STYLES, within="world"
)
POLICY = Place("policy", "Make", "World", "/policy", "world", "run_policy", "world.js", _WORLD_STYLES, within="world")
_LISTS = ("keeping", "queue")
PLAYHEAD_STYLES = ("playhead", "playhead_bar")
ASK = Place(
    "ask",
    "Think",
    "Ask",
    "/ask",
    "ask",
    script="ask.js",
    styles=("keeping", "popover", "media", "player", "beside_clip", "ask"),
)
COMPARE = Place(
    "compare",
    "Judge",
    "Compare",
    "/compare",
    "compare",
    script="compare.js",
    styles=(*_LISTS, "media", *PLAYHEAD_STYLES, "compare", "compare_form"),
)
_ARENA_STYLES = (*_LISTS, "media", *PLAYHEAD_STYLES, "arena", "arena_tables")
ARENA = Place("arena", "Judge", "Arena", "/arena", "arena", script="arena.js", styles=_ARENA_STYLES)
_REFINE_STYLES = ("keeping", "media", "player", "beside_clip", "ask", "refine", "refine_tree")
REFINE = Place("refine", "Judge", "Refine", "/refine", "refine", script="refine.js", styles=_REFINE_STYLES)
_LIBRARY_STYLES = ("keeping", "library", "peek", "player", "beside_clip")
LIBRARY = Place("library", "Keep", "Library", "/library", "library", script="library.js", styles=_LIBRARY_STYLES)
QUEUE = Place("queue", "Keep", "Queue", "/queue", "queue", script="queue.js", styles=_LISTS)
CHECKPOINTS = Place(
    "checkpoints",
    "System",
    "Checkpoints",
    "/checkpoints",
    "checkpoints",
    script="checkpoints.js",
    styles=(*_LISTS, "checkpoints"),
)
ROBOT = Place(
    "robot",
    "Act",
    "Robot",
    "/robot",
    "robot",
    script="robot.js",
    styles=("robot", "robot_orders", "robot_seen", "robot_recorded"),
)
API = Place("api", "System", "API", "/docs", "braces")

MAKING: tuple[Place, ...] = (IMAGE, VIDEO, SOUND, TRANSFER, WORLD)
"""Places with a form, as the rail lists them."""

FORMS: tuple[Place, ...] = (*MAKING, INVERSE, POLICY)
"""Every place with a form."""

KEEPING: tuple[Place, ...] = (ASK, COMPARE, ARENA, REFINE, LIBRARY, QUEUE, CHECKPOINTS)
"""Places of what was made, what is being made and what makes it."""

PLACES: tuple[Place, ...] = (*MAKING, ASK, COMPARE, ARENA, REFINE, LIBRARY, QUEUE, ROBOT, CHECKPOINTS, API)
