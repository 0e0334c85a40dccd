"""The places of the studio, as the rail lists them. A place is listed on the day it exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from frontend.page.arena import words as arena
from frontend.page.ask import words as ask
from frontend.page.blind import words as blind
from frontend.page.checkpoints import words as checkpoints
from frontend.page.compare import words as compare
from frontend.page.evaluate import generation_words
from frontend.page.evaluate import words as evaluate
from frontend.page.hue import words as hue
from frontend.page.imagining import words as imagining
from frontend.page.keys import CLIP_KEYS, MAKING_KEYS, Keys
from frontend.page.library import words as library
from frontend.page.making import words as making
from frontend.page.queue import words as queue
from frontend.page.refine import words as refine
from frontend.page.robot import words as robot
from frontend.page.transfer import words as transfer
from frontend.page.tune import words as tune
from frontend.page.world import words as world


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
        prompt: what its form's empty prompt asks.
        words: those of its scripts alone.
        keys: keys and what they do, as the help lists them.
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
    prompt: str = ""
    words: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    keys: Keys = ()
    script: str = "making/orrery.js"
    styles: tuple[str, ...] = ()
    within: str = ""


STYLES = (
    "frame/typeface",
    "frame/tokens",
    "frame/components",
    "frame/shell",
    "frame/toasts",
    "frame/motion",
    "parts/controls",
    "parts/popover",
    "form/form",
    "making/stage",
)
"""The style sheets of every page, in the order in which they apply; a place's own follow."""

PLAYHEAD_STYLES = ("playhead/playhead", "playhead/bar")
MAKING_STYLES = ("making/making", "media/media", "media/player", "media/beside_clip", "media/lightbox")
IMAGE = Place(
    "image",
    "Make",
    "Image",
    "/",
    "image",
    kind="generate_image",
    prompt=making.IMAGE_PLACEHOLDER,
    words=making.WORDS,
    keys=MAKING_KEYS,
    styles=MAKING_STYLES,
)
VIDEO = Place(
    "video",
    "Make",
    "Video",
    "/video",
    "video",
    kind="generate_video",
    prompt=making.VIDEO_PLACEHOLDER,
    words=making.WORDS,
    keys=CLIP_KEYS,
    styles=MAKING_STYLES,
)
SOUND = replace(VIDEO, name="sound", title="Sound", path="/sound", icon="sound", prompt=making.SOUND_PLACEHOLDER)
TRANSFER = Place(
    "transfer",
    "Make",
    "Transfer",
    "/transfer",
    "transfer",
    kind="transfer_video",
    prompt=transfer.PLACEHOLDER,
    words=making.WORDS | transfer.WORDS,
    keys=CLIP_KEYS,
    script="transfer/transfer.js",
    styles=(*MAKING_STYLES, "transfer/transfer"),
)
WORLD = Place(
    "world",
    "Make",
    "World",
    "/world",
    "world",
    kind="predict_video",
    prompt=world.PLACEHOLDER,
    words=making.WORDS | world.WORDS | imagining.WORDS,
    keys=CLIP_KEYS,
    script="world/world.js",
    styles=(*MAKING_STYLES, *PLAYHEAD_STYLES, "world/world", "imagining/imagining"),
)
INVERSE = replace(WORLD, name="inverse", path="/inverse", kind="predict_actions", within="world")
POLICY = replace(
    WORLD, name="policy", path="/policy", kind="run_policy", prompt=world.POLICY_PLACEHOLDER, within="world"
)
_LOOKING = ("parts/keeping", "media/media", "media/player", "media/beside_clip")
ASK = Place(
    "ask",
    "Think",
    "Ask",
    "/ask",
    "ask",
    words=ask.WORDS,
    keys=ask.KEYS,
    script="ask/ask.js",
    styles=(*_LOOKING, "media/lightbox", "ask/ask"),
)
COMPARE = Place(
    "compare",
    "Judge",
    "Compare",
    "/compare",
    "compare",
    words=compare.WORDS,
    keys=compare.KEYS,
    script="compare/compare.js",
    styles=(
        "parts/keeping",
        "media/media",
        *PLAYHEAD_STYLES,
        "media/player",
        "media/lightbox",
        "compare/compare",
        "compare/form",
    ),
)
ARENA = Place(
    "arena",
    "Judge",
    "Arena",
    "/arena",
    "arena",
    words=arena.WORDS,
    keys=arena.KEYS,
    script="arena/arena.js",
    styles=("parts/keeping", "media/media", *PLAYHEAD_STYLES, "arena/arena", "arena/tables"),
)
REFINE = Place(
    "refine",
    "Judge",
    "Refine",
    "/refine",
    "refine",
    words=refine.WORDS,
    keys=refine.KEYS,
    script="refine/refine.js",
    styles=(*_LOOKING, "media/lightbox", "ask/ask", "refine/refine", "refine/tree"),
)
EVALUATE = Place(
    "evaluate",
    "Judge",
    "Evaluate",
    "/evaluate",
    "evaluate",
    words=evaluate.WORDS | generation_words.WORDS | hue.WORDS | blind.WORDS,
    keys=(*hue.KEYS, *blind.KEYS, *evaluate.KEYS),
    script="evaluate/evaluate.js",
    styles=(
        *(*_LOOKING, "hue/hue", "blind/blind"),
        *("evaluate/evaluate", "evaluate/generation", "evaluate/timeline", "evaluate/builder", "evaluate/editor"),
    ),
)
TUNE = Place(
    "tune",
    "Think",
    "Tune",
    "/tune",
    "tune",
    words=tune.WORDS,
    keys=tune.KEYS,
    script="tune/tune.js",
    styles=("parts/keeping", "tune/tune"),
)
LIBRARY = Place(
    "library",
    "Keep",
    "Library",
    "/library",
    "library",
    words=library.WORDS,
    keys=library.KEYS,
    script="library/library.js",
    styles=("parts/keeping", "library/library", "library/peek", "media/player", "media/beside_clip", "media/lightbox"),
)
QUEUE = Place(
    "queue",
    "Keep",
    "Queue",
    "/queue",
    "queue",
    words=queue.WORDS,
    keys=queue.KEYS,
    script="queue/queue.js",
    styles=("parts/keeping", "queue/queue"),
)
CHECKPOINTS = Place(
    "checkpoints",
    "System",
    "Checkpoints",
    "/checkpoints",
    "checkpoints",
    words=checkpoints.WORDS,
    keys=checkpoints.KEYS,
    script="checkpoints/checkpoints.js",
    styles=("parts/keeping", "checkpoints/checkpoints"),
)
ROBOT = Place(
    "robot",
    "Act",
    "Robot",
    "/robot",
    "robot",
    words=robot.WORDS | imagining.WORDS,
    keys=robot.KEYS,
    script="robot/robot.js",
    styles=(
        "media/media",
        *PLAYHEAD_STYLES,
        *("robot/robot", "robot/orders", "robot/seen", "robot/recorded"),
        "imagining/imagining",
    ),
)
API = Place("api", "System", "API", "/docs", "braces")

MAKING: tuple[Place, ...] = (IMAGE, VIDEO, SOUND, TRANSFER, WORLD)
"""Places with a form, as the rail lists them."""

FORMS: tuple[Place, ...] = (*MAKING, INVERSE, POLICY)
"""Every place with a form."""

KEEPING: tuple[Place, ...] = (ASK, TUNE, COMPARE, ARENA, REFINE, EVALUATE, LIBRARY, QUEUE, CHECKPOINTS)
"""Places of what was made, what is being made and what makes it."""

PLACES: tuple[Place, ...] = (
    *MAKING,
    ASK,
    TUNE,
    COMPARE,
    ARENA,
    REFINE,
    EVALUATE,
    LIBRARY,
    QUEUE,
    ROBOT,
    CHECKPOINTS,
    API,
)
